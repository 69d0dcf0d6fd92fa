"use strict";
// What the reader does to the drawing: pointer, keys, buttons, search, paper.
(() => {
  const { data, edges, state, byId, on, label, number, choose, colour, make, save } = report;
  const { cy, arrange, fit, find } = report.graph;
  const box = byId("graph");
  const tip = byId("tip");

  function tipText(element) {
    if (element.isNode()) return label(element.data("i"));
    const e = edges[element.data("index")];
    const sign = e.directed ? "→" : "—";
    return `\u2068${label(e.source)}\u2069 ${sign} \u2068${label(e.target)}\u2069\n`
      + `strength ${number(e.strength)}${e.weight < 0 ? `, weight ${number(e.weight)}` : ""}`
      + (e.directed ? "" : "\ndirection unknown");
  }

  cy.on("mouseover", "node, edge", (event) => {
    tip.textContent = tipText(event.target);
    tip.hidden = false;
    box.classList.add("over");
  });
  cy.on("mousemove", (event) => {
    if (tip.hidden) return;
    const stage = byId("stage").getBoundingClientRect();
    const { clientX, clientY } = event.originalEvent;
    const left = Math.min(clientX - stage.left + 14, stage.width - tip.offsetWidth - 4);
    tip.style.left = `${Math.max(0, left)}px`;
    tip.style.top = `${clientY - stage.top + 16}px`;
  });
  const hide = () => {
    tip.hidden = true;
    box.classList.remove("over");
  };
  cy.on("mouseout", "node, edge", hide);
  cy.on("viewport drag", hide);
  // a route was found for where its ends were
  cy.on("drag", "node", (event) => event.target.connectedEdges().removeClass("routed"));
  cy.on("tap", "node", (event) => choose(event.target.data("i")));
  cy.on("tap", (event) => event.target === cy && choose(null));

  // The wheel scrolls the page until the reader has clicked the drawing.
  // (Cytoscape takes the focus away on mousedown; click comes after.)
  box.addEventListener("click", () => box.focus({ preventScroll: true }));
  box.addEventListener("focusin", () => cy.userZoomingEnabled(true));
  box.addEventListener("focusout", () => cy.userZoomingEnabled(false));
  box.addEventListener("pointerleave", hide);

  const middle = () => ({ x: cy.width() / 2, y: cy.height() / 2 });
  const zoom = (by) => cy.zoom({ level: cy.zoom() * by, renderedPosition: middle() });
  const keys = {
    ArrowLeft: () => cy.panBy({ x: 60, y: 0 }), ArrowRight: () => cy.panBy({ x: -60, y: 0 }),
    ArrowUp: () => cy.panBy({ x: 0, y: 60 }), ArrowDown: () => cy.panBy({ x: 0, y: -60 }),
    "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: fit,
  };
  box.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  byId("zoom-in").addEventListener("click", keys["+"]);
  byId("zoom-out").addEventListener("click", keys["-"]);
  byId("fit").addEventListener("click", fit);
  byId("arrange").addEventListener("click", arrange);

  const expand = byId("expand");
  function setExpanded(is) {
    document.body.classList.toggle("expanded", is);
    expand.setAttribute("aria-pressed", String(is));
    expand.textContent = is ? "Close" : "Expand";
    fit();
  }
  expand.addEventListener("click", () => setExpanded(!document.body.classList.contains("expanded")));
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (state.chosen !== null) choose(null);
    else if (document.body.classList.contains("expanded")) setExpanded(false);
  });

  const search = byId("find");
  byId("find-list").append(...data.labels.map((text) => make("option", undefined, { value: text })));
  function matches() {
    const asked = search.value.trim().toLowerCase();
    if (!asked) return [];
    const all = data.labels.map((text, i) => [text.toLowerCase(), i]);
    const found = all.filter(([text]) => text.includes(asked));
    return found.sort((a, b) => (b[0] === asked) - (a[0] === asked)).map(([, i]) => i);
  }
  search.addEventListener("input", () => {
    const found = matches();
    cy.batch(() => {
      cy.nodes().removeClass("match");
      found.forEach((i) => cy.getElementById(`n${i}`).addClass("match"));
    });
    search.setAttribute("aria-invalid", String(search.value.trim() !== "" && !found.length));
    const exact = found.length && label(found[0]).toLowerCase() === search.value.trim().toLowerCase();
    if (exact) find(found[0]);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const [first] = matches();
    if (first !== undefined) find(first);
  });

  const picture = (background, output) =>
    cy.png({ full: true, scale: 2, maxWidth: 8000, maxHeight: 8000, bg: background, output });
  byId("save-png").addEventListener("click", () => save(picture(colour("surface"), "blob"), "graph.png"));

  // Paper gets a picture of the whole graph: the drawing itself has the size of the screen.
  const paper = byId("graph-print");
  on("print", () => {
    paper.src = picture("#ffffff", "base64uri");
    paper.hidden = false;
  });
  on("printed", () => {
    paper.removeAttribute("src");
    paper.hidden = true;
  });

  new ResizeObserver(() => cy.resize()).observe(box);
})();
