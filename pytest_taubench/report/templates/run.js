// The map of trials, and the list of them with its filters.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 100;
  const FILTERS = { result: (t) => t.result, suite: (t) => t.suite, ending: (t) => t.ending, change: changeOf };
  const byId = (id) => document.getElementById(id);
  const suites = new Set(data.trials.map((trial) => trial.suite));
  let limit = PAGE;

  function theme() {
    const root = document.documentElement;
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const set = (on) => { root.dataset.theme = on ? "dark" : "light"; };
    dark.addEventListener("change", (event) => set(event.matches));
    byId("theme").addEventListener("click", () => set(root.dataset.theme !== "dark"));
  }

  function counted(values) {
    const counts = new Map();
    values.forEach((value) => counts.set(value, (counts.get(value) || 0) + 1));
    return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  // A choice between fewer than two values is none.
  function choices(id, of) {
    const values = counted(data.trials.map(of));
    byId(id).hidden = values.length < 2;
    values.forEach(([value, count]) => {
      const option = element("option", "", `${value} (${count})`);
      option.value = value;
      byId(id).append(option);
    });
  }

  function changeOf(trial) {
    if (!data.baseline) return "";
    return data.baseline[trial.task] ? data.changed[trial.task] || "same" : "not in the baseline";
  }

  function nameOf(trial) {
    return suites.size > 1 ? `${trial.suite} · ${trial.name}` : trial.name;
  }

  function facts(trial) {
    const found = [`trial ${trial.trial}`, trial.ending, plural(trial.steps, "step")];
    if (trial.cost !== null) found.push(`$${trial.cost.toFixed(4)}`);
    if (data.baseline) {
      const before = data.baseline[trial.task];
      found.push(before ? `baseline ${before[0]} of ${before[1]}, ${changeOf(trial)}` : changeOf(trial));
    }
    return found.join(" · ");
  }

  function card(trial) {
    const made = element("details", "trial");
    made.id = `trial=${trial.id}`;
    const top = element("summary");
    top.append(element("span", `badge ${trial.result}`, trial.result));
    top.append(element("span", "name", nameOf(trial)), element("span", "quiet", facts(trial)));
    made.append(top);
    const body = element("div", "body");
    made.append(body);
    // Filled on first opening, so that a thousand trials cost nothing until one is read.
    made.addEventListener("toggle", () => {
      if (made.open && !body.hasChildNodes()) fillTrial(body, trial);
      if (made.open) history.replaceState(null, "", "#" + encodeURIComponent(made.id));
    });
    return made;
  }

  function textOf(trial) {
    if (!trial.text) {
      trial.text = [trial.id, trial.suite, trial.ending, ...trial.messages.flatMap((item) =>
        [item.text || "", item.thought || "", ...item.calls.flat()])].join("\n").toLowerCase();
    }
    return trial.text;
  }

  function matching() {
    const words = byId("search").value.toLowerCase().trim();
    const wanted = Object.entries(FILTERS).map(([id, of]) => [of, byId(id).value]).filter(([, v]) => v);
    return data.trials.filter((trial) => wanted.every(([of, value]) => of(trial) === value)
      && (!words || textOf(trial).includes(words)));
  }

  function show() {
    const found = matching();
    byId("shown").textContent = `${found.length} of ${data.trials.length}`;
    byId("trials").replaceChildren(...found.slice(0, limit).map(card));
    if (!found.length) byId("trials").append(element("p", "quiet", "No trial fits."));
    byId("more").hidden = found.length <= limit;
    byId("more").textContent = `show ${Math.min(PAGE, found.length - limit)} more`;
  }

  function cell(trial) {
    const made = element("a", `cell ${trial.result}`);
    made.href = "#" + encodeURIComponent(`trial=${trial.id}`);
    made.title = `trial ${trial.trial}: ${trial.result}`;
    made.setAttribute("aria-label", `${trial.name} trial ${trial.trial} ${trial.result}`);
    return made;
  }

  function row(task, trials) {
    const made = element("div", "row");
    const label = element("span", "label", trials[0].name);
    label.title = task;
    const cells = element("span", "cells");
    cells.append(...trials.sort((a, b) => a.trial - b.trial).map(cell));
    made.append(label, cells);
    return made;
  }

  function map() {
    const bySuite = new Map([...suites].map((suite) => [suite, new Map()]));
    data.trials.forEach((trial) => {
      const tasks = bySuite.get(trial.suite);
      if (!tasks.has(trial.task)) tasks.set(trial.task, []);
      tasks.get(trial.task).push(trial);
    });
    const most = Math.max(0, ...[...bySuite.values()].flatMap((tasks) =>
      [...tasks.values()].map((trials) => trials.length)));
    bySuite.forEach((tasks, suite) => {
      if (suites.size > 1) byId("map").append(element("h3", "", suite));
      const rows = element("div", "rows");
      rows.style.columnWidth = `${230 + 16 * Math.min(most, 32)}px`;
      rows.append(...[...tasks].map(([task, trials]) => row(task, trials)));
      byId("map").append(rows);
    });
  }

  function legend() {
    const results = new Map(counted(data.trials.map((trial) => trial.result)));
    ["passed", "failed", "unscored"].filter((name) => results.has(name)).forEach((name) => {
      byId("legend").append(element("span", `cell ${name}`), ` ${name} ${results.get(name)}   `);
    });
  }

  function openLinked() {
    const wanted = decodeURIComponent(location.hash.slice(1));
    const index = data.trials.findIndex((trial) => `trial=${trial.id}` === wanted);
    if (index < 0) return;
    if (!document.getElementById(wanted)) {
      ["search", ...Object.keys(FILTERS)].forEach((id) => { byId(id).value = ""; });
      limit = Math.ceil((index + 1) / PAGE) * PAGE;
      show();
    }
    const target = document.getElementById(wanted);
    target.open = true;
    target.scrollIntoView();
  }

  theme();
  Object.entries(FILTERS).forEach(([id, of]) => choices(id, of));
  const refilter = () => { limit = PAGE; show(); };
  byId("search").addEventListener("input", refilter);
  Object.keys(FILTERS).forEach((id) => byId(id).addEventListener("change", refilter));
  byId("more").addEventListener("click", () => { limit += PAGE; show(); });
  window.addEventListener("hashchange", openLinked);
  legend();
  map();
  show();
  openLinked();
})();
