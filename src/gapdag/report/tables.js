"use strict";
// Sorting for every table of class sortable; filter, copy and download for the edges.
(() => {
  const { byId, edges, data, isShown, counted, on, save } = report;
  const words = new Intl.Collator(undefined, { numeric: true });

  function cellValue(row, column) {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  }

  function sort(table, column, direction) {
    const rows = [...table.tBodies[0].rows];
    const keyed = rows.map((row) => [cellValue(row, column), row]);
    keyed.sort(([a], [b]) => direction * (typeof a === "number" ? a - b : words.compare(a, b)));
    table.tBodies[0].append(...keyed.map(([, row]) => row));
  }

  document.querySelectorAll("table.sortable").forEach((table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      head.querySelector("button")?.addEventListener("click", () => {
        const numeric = table.tBodies[0].rows[0]?.cells[column].dataset.v !== undefined;
        const was = head.getAttribute("aria-sort");
        // the first click shows what is looked for most: A first, the largest first
        const up = was ? was === "descending" : !numeric;
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        sort(table, column, up ? 1 : -1);
      });
    });
  });

  const table = byId("edge-table");
  if (!table) return;
  const rows = [...table.tBodies[0].rows]; // as written: the order of edges
  const edgeOf = new Map(rows.map((row, i) => [row, edges[i]]));
  const filter = byId("edge-filter");

  function show() {
    const asked = filter.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row, i) => {
      const text = `${row.cells[0].textContent}\n${row.cells[2].textContent}`.toLowerCase();
      row.hidden = !isShown(edges[i]) || !text.includes(asked);
      shown += row.hidden ? 0 : 1;
    });
    byId("table-count").value = counted(shown);
  }

  function text(separator) {
    const quote = (value) => {
      const plain = String(value);
      return /[",\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
    };
    const shown = [...table.tBodies[0].rows].filter((row) => !row.hidden);
    const lines = shown.map((row) => {
      const e = edgeOf.get(row);
      const kind = e.directed ? "directed" : "undirected";
      return [data.columns[e.source], data.columns[e.target], e.weight, kind];
    });
    const all = [["source", "target", "weight", "kind"], ...lines];
    return { n: lines.length, text: all.map((l) => l.map(quote).join(separator) + "\n").join("") };
  }

  // browsers that keep the clipboard from pages opened from disk still copy a selection
  function copySelected(content) {
    const area = report.make("textarea", content, { className: "away" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    byId("copy").focus();
    return done;
  }

  async function copy() {
    const { n, text: tabs } = text("\t"); // a spreadsheet takes tabs as cells
    const done = await navigator.clipboard?.writeText(tabs).then(() => true, () => false)
      || copySelected(tabs);
    byId("copy-note").textContent = done ? `Copied ${n} ${n === 1 ? "edge" : "edges"}.`
      : "This browser does not let the page copy; download the CSV instead.";
  }

  filter.addEventListener("input", show);
  on("threshold", show);
  byId("copy").addEventListener("click", copy);
  byId("download").addEventListener("click", () => save(text(",").text, "edges.csv"));
})();
