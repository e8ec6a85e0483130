// What one trial shows when it is opened.
const fillTrial = (() => {
  const PREVIEW = 160;

  function preview(text) {
    const line = (text || "").slice(0, PREVIEW).replace(/\s+/g, " ");
    return (text || "").length > PREVIEW ? `${line}…` : line;
  }

  function folded(title, text, className) {
    const made = fold("", false, className);
    const line = made.firstChild;
    line.append(element("b", "", title), element("span", "quiet", preview(text)));
    made.append(element("pre", "", pretty(text || "")));
    return made;
  }

  function message(item) {
    if (item.role === "tool") {
      const failed = (item.text || "").startsWith("Error");
      return folded(`↳ ${item.name || "tool"} answered`, item.text, `call ${failed ? "failed" : ""}`);
    }
    const calls = item.calls.map(([name, args]) => folded(`calls ${name}`, args, "call"));
    const made = element("div", `message ${item.role} ${item.text || item.thought ? "" : "silent"}`);
    if (item.text || item.thought || !calls.length) {
      made.append(element("span", "who", item.name || (item.role === "assistant" ? "agent" : item.role)));
    }
    if (item.thought) made.append(folded("thinks", item.thought, "call"));
    if (item.text) made.append(element("span", "", item.text));
    else if (!calls.length && !item.thought) made.append(element("span", "quiet", "(an empty message)"));
    made.append(...calls);
    return made;
  }

  function side(text, same) {
    return [`${same ? "✓" : "✗"} ${text}`, same ? "same" : "other"];
  }

  function changes(trial) {
    const rows = [];
    let last = null;
    trial.changes.forEach(([record, field, before, expected, actual, same]) => {
      if (record !== last) rows.push([record]);
      last = record;
      rows.push([field || "(all of it)", before,
        expected === "" ? ["no change", "quiet"] : expected,
        side(actual === "" ? "no change" : actual, same)]);
    });
    const made = fold("database: expected against actual change", trial.result !== "passed");
    made.append(rows.length
      ? table(["field", "at the start", "expected", "actual"], rows)
      : element("p", "quiet", "nothing was to change, and nothing did"));
    return made;
  }

  function planTable(name, rows) {
    const made = table([`${name}, expected`, "predicted"], rows.map(([expected, predicted, same]) => {
      const missing = !predicted && !expected.startsWith(" ");  // said once, not of each argument
      const text = `${same ? "✓" : "✗"} ${missing ? "missing" : predicted}`;
      return [[expected, "indented"], [text, `indented ${same ? "same" : "other"}`]];
    }));
    made.classList.add("plan");
    return made;
  }

  function figures(pairs) {
    const made = element("dl");
    pairs.forEach(([name, value]) => {
      const pair = element("div");
      pair.append(element("dt", "", name.replaceAll("_", " ")), element("dd", "", String(value)));
      made.append(pair);
    });
    return made;
  }

  function plan(trial) {
    const { request, differences, nodes, links, faults, metrics, gold, predicted } = trial.plan;
    const made = fold("request, gold and prediction", true);
    made.append(element("blockquote", "", request));
    differences.forEach((text) => made.append(element("p", "", text)));
    faults.forEach((text) => made.append(element("p", "warn", String(text))));
    if (nodes.length) made.append(planTable("nodes", nodes));
    if (links.length) made.append(planTable("links", links));
    if (metrics.length) made.append(figures(metrics));
    const data = fold("as data", false);
    data.append(element("pre", "", JSON.stringify({ gold, prediction: predicted }, null, 2)));
    made.append(data);
    return made;
  }

  function components(trial) {
    const made = element("p", "components");
    trial.components.forEach(([name, value, remark]) => {
      const text = `${value ? "✓" : "✗"} ${name}${remark ? ` (${remark})` : ""}`;
      const counts = remark !== "not counted";
      made.append(element("span", counts ? (value ? "same" : "other") : "quiet", text));
    });
    return made;
  }

  function attribution({ paper_class: paperClass, faults, model }) {
    const made = fold("why it failed", true);
    if (paperClass) made.append(element("p", "", `class of the paper: ${paperClass.replaceAll("_", " ")}`));
    if (faults.length) {
      made.append(table(["fault", "what happened"],
        faults.map((fault) => [[fault.kind.replaceAll("_", " "), "short"], fault.detail])));
    }
    if (model) {
      const whose = model.whose ? `${model.whose}'s fault` : "not attributed";
      made.append(element("p", "", `${model.model || "the model"} says: ${whose}. ${model.why}`));
    }
    return made;
  }

  function error({ type, message: text, traceback }) {
    const made = element("div");
    made.append(element("p", "warn", `${type}: ${text}`));
    if (traceback) {
      const trace = fold("traceback", false);
      trace.append(element("pre", "", traceback));
      made.append(trace);
    }
    return made;
  }

  return (body, trial) => {
    body.append(element("p", "quiet", trial.id));
    if (trial.components.length) body.append(components(trial));
    if (trial.error) body.append(error(trial.error));
    trial.notes.forEach((note) => body.append(element("p", "", `note: ${note}`)));
    if (trial.missing.length) body.append(element("p", "other", `✗ not told: ${trial.missing.join(", ")}`));
    if (trial.found.length) body.append(element("p", "same", `✓ told: ${trial.found.join(", ")}`));
    if (trial.attribution) body.append(attribution(trial.attribution));
    body.append(trial.plan ? plan(trial) : changes(trial));
    const talk = fold(`conversation (${plural(trial.messages.length, "message")})`, !trial.plan);
    trial.messages.forEach((item) => talk.append(message(item)));
    body.append(talk);
  };
})();
