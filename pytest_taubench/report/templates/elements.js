function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined && text !== null) made.textContent = text;
  return made;
}

function fold(title, open, className) {
  const made = element("details", className);
  made.open = Boolean(open);
  made.append(element("summary", "", title));
  return made;
}

// A cell is a text, or [text, class]; a row of one cell is a heading over all columns.
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
    if (cells.length === 1) {
      row.className = "over";
      row.firstChild.colSpan = head.length;
    }
    made.append(row);
  });
  const wide = element("div", "wide");
  wide.append(made);
  return wide;
}

function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch (error) { return text; }
}
