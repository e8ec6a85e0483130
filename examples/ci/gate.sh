#!/bin/sh
# Gate an agent against the stored run of the main branch: what agent-gate.yml does in jobs, in
# one shell. Run it from the root of a project that has task files.
#
#   gate.sh AGENT BASELINE [SHARDS [PATH...]]
#
#   AGENT     what --tau-agent takes, e.g. my_agent.py:agent or the URL of an endpoint
#   BASELINE  the folder of main's stored run; "" where there is none yet, which leaves out
#             "no regression"
#   SHARDS    how many parts to cut the run into (2)
#   PATH      what pytest collects, e.g. tasks; without one all that it finds by itself, which
#             where the project has tests of other things runs those too
#
# Exit status: 0 every gate holds; 1 one fails, or a test that is no trial does; 6 none fails, but
# one cannot be told, for instance since the endpoint was down; anything else: the run itself went
# wrong.
set -eu

agent=$1
baseline=$2
shards=${3:-2}
if [ "$#" -gt 3 ]; then shift 3; else set --; fi # what is left are the paths
python=${PYTHON:-python}
trials=${TAU_TRIALS:-4}
out=$PWD/${TAU_OUT:-tau-gate}

rm -rf "$out"
mkdir -p "$out"

shard=1
while [ "$shard" -le "$shards" ]; do
    # A part alone decides nothing of the agent, and may have no trial at all: its own gate always
    # holds, and is there so that failed trials are left to the gates of the whole.
    status=0
    "$python" -m pytest "$@" \
        --tau-agent="$agent" --tau-trials="$trials" \
        --tau-shard="$shard/$shards" ${baseline:+"--tau-durations=$baseline"} \
        --tau-run-dir="$out/shard-$shard" \
        --tau-gate="trials >= 0" || status=$?
    case $status in
    0 | 6) ;; # 6: the whole cannot be told either
    *) exit "$status" ;;
    esac
    shard=$((shard + 1))
done

# The gates: the second is asked where there is a run to compare with.
gate="pass^1 >= 0.5"
against=${baseline:+"no regression within 2%"}
compared=${baseline:+"--baseline=$baseline"}
if [ -z "$baseline" ]; then
    echo "there is no stored run to compare with: 'no regression' is not asked" >&2
fi
"$python" -m pytest_taubench merge "$out"/shard-*/* --out "$out/run"
for page in report.html report.md; do
    "$python" -m pytest_taubench report "$out/run" ${compared:+"$compared"} \
        "--gate=$gate" ${against:+"--gate=$against"} --out "$out/$page"
done
"$python" -m pytest_taubench gate "$out/run" ${compared:+"$compared"} "$gate" ${against:+"$against"}
