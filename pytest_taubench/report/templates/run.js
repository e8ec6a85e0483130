"use strict";
// All text of trials goes in by textContent: nothing an agent wrote is ever parsed as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 100;
  const byId = (id) => document.getElementById(id);
  let limit = PAGE;

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined && text !== null) made.textContent = text;
    return made;
  }

  function theme() {
    const root = document.documentElement;
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const set = (on) => { root.dataset.theme = on ? "dark" : "light"; };
    set(dark.matches);
    dark.addEventListener("change", (event) => set(event.matches));
    byId("theme").addEventListener("click", () => set(root.dataset.theme !== "dark"));
  }

  function choices(id, values) {
    for (const value of [...new Set(values)].sort()) {
      const option = element("option", "", value);
      option.value = value;
      byId(id).append(option);
    }
  }

  function changeOf(trial) {
    return data.changed[trial.task] || "same";
  }

  function fold(title, open) {
    const made = element("details");
    made.open = Boolean(open);
    made.append(element("summary", "", title));
    return made;
  }

  function table(head, rows) {
    const made = element("table");
    const top = element("tr");
    head.forEach((name) => top.append(element("th", "", name)));
    made.append(top);
    rows.forEach((cells) => {
      const row = element("tr");
      cells.forEach((cell) => {
        const [text, className] = Array.isArray(cell) ? cell : [cell, ""];
        row.append(element("td", className, text));
      });
      made.append(row);
    });
    return made;
  }

  function pretty(text) {
    try { return JSON.stringify(JSON.parse(text), null, 2); } catch (error) { return text; }
  }

  function message(item) {
    if (item.role === "tool") {
      const result = fold(`${item.name || "tool"} answered`, false);
      result.append(element("pre", "", pretty(item.text || "")));
      return result;
    }
    const made = element("div", `message ${item.role}`);
    made.append(element("span", "who", item.name || (item.role === "assistant" ? "agent" : item.role)));
    if (item.thought) {
      const thought = fold("thinks", false);
      thought.append(element("pre", "", item.thought));
      made.append(thought);
    }
    if (item.text) made.append(element("span", "", item.text));
    item.calls.forEach(([name, args]) => {
      const call = fold(`calls ${name}`, false);
      call.append(element("pre", "", pretty(args)));
      made.append(call);
    });
    return made;
  }

  function changes(trial) {
    const rows = trial.changes.map(([record, field, before, expected, actual, same]) =>
      [record, field, before, [expected, ""], [actual, same ? "same" : "other"]]);
    const made = fold("database: expected against actual change", trial.result !== "passed");
    made.append(rows.length
      ? table(["record", "field", "at the start", "expected", "actual"], rows)
      : element("p", "quiet", "nothing was to change, and nothing did"));
    return made;
  }

  function fill(body, trial) {
    body.append(element("p", "quiet", trial.id));
    if (trial.components.length) {
      body.append(element("p", "", "components: " + trial.components
        .map(([name, value, vacuous]) => `${name} ${value}${vacuous ? " (nothing to grade)" : ""}`).join(", ")));
    }
    trial.notes.forEach((note) => body.append(element("p", "warn", note)));
    if (trial.error) {
      body.append(element("p", "warn", `${trial.error.type}: ${trial.error.message}`));
      if (trial.error.traceback) {
        const trace = fold("traceback", false);
        trace.append(element("pre", "", trial.error.traceback));
        body.append(trace);
      }
    }
    if (trial.missing.length) body.append(element("p", "", `not told: ${trial.missing.join(", ")}`));
    if (trial.found.length) body.append(element("p", "", `told: ${trial.found.join(", ")}`));
    if (trial.attribution) {
      const { paper_class: paperClass, faults, model } = trial.attribution;
      const why = fold("why it failed", true);
      if (paperClass) why.append(element("p", "", `class of the paper: ${paperClass.replace("_", " ")}`));
      why.append(table(["fault", "what happened"],
        faults.map((fault) => [fault.kind.replaceAll("_", " "), fault.detail])));
      if (model) {
        const whose = model.whose ? `${model.whose}'s fault` : "not attributed";
        why.append(element("p", "", `${model.model || "the model"} says: ${whose}. ${model.why}`));
      }
      body.append(why);
    }
    if (trial.graph) {
      const graph = fold("request, gold and prediction", true);
      graph.append(element("pre", "", JSON.stringify(trial.graph, null, 2)));
      body.append(graph);
    } else {
      body.append(changes(trial));
    }
    const talk = fold(`conversation (${trial.messages.length} messages)`, true);
    trial.messages.forEach((item) => talk.append(message(item)));
    body.append(talk);
  }

  function card(trial) {
    const made = element("details", "trial");
    made.id = `trial=${trial.id}`;
    const top = element("summary");
    top.append(element("span", `badge ${trial.result}`, trial.result));
    top.append(element("span", "name", `${trial.suite} · ${trial.name}`));
    const facts = [`trial ${trial.trial}`, trial.ending, `${trial.steps} steps`];
    if (trial.cost !== null) facts.push(`$${trial.cost.toFixed(4)}`);
    if (data.baseline) {
      const before = data.baseline[trial.task];
      facts.push(before ? `baseline ${before[0]} of ${before[1]}, ${changeOf(trial)}` : "not in the baseline");
    }
    top.append(element("span", "quiet", facts.join(" · ")));
    made.append(top);
    const body = element("div", "body");
    made.append(body);
    // Filled on first opening, so that a thousand trials cost nothing until one is read.
    made.addEventListener("toggle", () => {
      if (made.open && !body.hasChildNodes()) fill(body, trial);
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
    const wanted = ["result", "suite", "ending"].map((id) => [id, byId(id).value]).filter(([, v]) => v);
    const change = byId("change").value;
    return data.trials.filter((trial) => wanted.every(([id, value]) => trial[id] === value)
      && (!change || changeOf(trial) === change) && (!words || textOf(trial).includes(words)));
  }

  function show() {
    const found = matching();
    byId("shown").textContent = `${found.length} of ${data.trials.length}`;
    byId("trials").replaceChildren(...found.slice(0, limit).map(card));
    byId("more").hidden = found.length <= limit;
  }

  function map() {
    const tasks = new Map();
    data.trials.forEach((trial) => {
      if (!tasks.has(trial.task)) tasks.set(trial.task, []);
      tasks.get(trial.task).push(trial);
    });
    const rows = [...tasks].map(([task, trials]) => {
      const row = element("div", "row");
      const label = element("span", "label", `${trials[0].suite} · ${trials[0].name}`);
      label.title = task;
      row.append(label);
      const cells = element("span");
      trials.sort((a, b) => a.trial - b.trial).forEach((trial) => {
        const cell = element("a", `cell ${trial.result}`);
        cell.href = "#" + encodeURIComponent(`trial=${trial.id}`);
        cell.title = `trial ${trial.trial}: ${trial.result}`;
        cell.setAttribute("aria-label", `${trial.name} trial ${trial.trial} ${trial.result}`);
        cells.append(cell);
      });
      row.append(cells);
      return row;
    });
    byId("map").replaceChildren(...rows);
  }

  function openLinked() {
    const wanted = decodeURIComponent(location.hash.slice(1));
    if (!wanted.startsWith("trial=")) return;
    let target = document.getElementById(wanted);
    if (!target) {
      ["search", "result", "suite", "ending", "change"].forEach((id) => { byId(id).value = ""; });
      limit = data.trials.length;
      show();
      target = document.getElementById(wanted);
    }
    if (target) { target.open = true; target.scrollIntoView(); }
  }

  theme();
  choices("result", data.trials.map((trial) => trial.result));
  choices("suite", data.trials.map((trial) => trial.suite));
  choices("ending", data.trials.map((trial) => trial.ending));
  if (data.baseline) {
    byId("change").hidden = false;
    choices("change", data.trials.map(changeOf));
  }
  const refilter = () => { limit = PAGE; show(); };
  byId("search").addEventListener("input", refilter);
  ["result", "suite", "ending", "change"].forEach((id) => byId(id).addEventListener("change", refilter));
  byId("more").addEventListener("click", () => { limit += PAGE; show(); });
  window.addEventListener("hashchange", openLinked);
  map();
  show();
  openLinked();
})();
