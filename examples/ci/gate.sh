#!/bin/sh
# Gate an agent against the stored run of the main branch: what agent-gate.yml does in jobs, in
# one shell. Run it from the root of a project that has task files.
#
#   gate.sh AGENT BASELINE [SHARDS]
#
#   AGENT     what --tau-agent takes, e.g. my_agent.py:agent or the URL of an endpoint
#   BASELINE  the folder of main's stored run
#   SHARDS    how many parts to cut the run into (2)
#
# Exit status: 0 every gate holds; 1 one fails; 6 none fails, but one cannot be told, for instance
# since the endpoint was down; anything else: the run itself went wrong.
set -eu

agent=$1
baseline=$2
shards=${3:-2}
python=${PYTHON:-python}
trials=${TAU_TRIALS:-4}
out=$PWD/${TAU_OUT:-tau-gate}

rm -rf "$out"
mkdir -p "$out"

shard=1
while [ "$shard" -le "$shards" ]; do
    # A part alone decides nothing of the agent, so its own gate asks only that it ran.
    "$python" -m pytest \
        --tau-agent="$agent" --tau-trials="$trials" \
        --tau-shard="$shard/$shards" --tau-durations="$baseline" \
        --tau-run-dir="$out/shard-$shard" \
        --tau-gate="trials >= 1" || [ "$?" -eq 6 ] # 6: the whole cannot be told either
    shard=$((shard + 1))
done

"$python" -m pytest_taubench merge "$out"/shard-*/* --out "$out/run"
"$python" -m pytest_taubench report "$out/run" --baseline "$baseline" --out "$out/report.html"
"$python" -m pytest_taubench report "$out/run" --baseline "$baseline" --out "$out/report.md"
"$python" -m pytest_taubench gate "$out/run" --baseline "$baseline" \
    "pass^1 >= 0.5" "no regression within 2%"
