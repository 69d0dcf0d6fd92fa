"use strict";
// The drawing: Cytoscape.js draws, dagre arranges by causal order; here is only what they show.
(() => {
  const { data, edges, state, byId, on, isShown, label, number, choose, colour, make } = report;
  const box = byId("graph");
  const many = edges.length > 250;
  const strongest = Math.max(...edges.map((e) => e.strength), 1e-300);
  const pen = document.createElement("canvas").getContext("2d");
  const FONT = "system-ui, Segoe UI, Roboto, Noto Sans, sans-serif";
  const WIDEST = 150;
  const MOST_CROSSED = 2500;
  const ROW = 36;
  const READABLE = 0.8;

  function elements() {
    pen.font = `13px ${FONT}`;
    const nodes = data.labels.map((text, i) => ({
      data: { id: `n${i}`, i, label: text, w: Math.min(WIDEST, pen.measureText(text).width) + 22 },
    }));
    const lines = edges.map((e) => ({
      data: { id: `e${e.index}`, index: e.index, source: `n${e.source}`, target: `n${e.target}`,
        width: (many ? 0.7 : 1) + (many ? 2.8 : 3.5) * (e.strength / strongest) },
      classes: `${e.directed ? "" : "undirected"} ${e.weight < 0 ? "negative" : "positive"}`,
    }));
    return [...nodes, ...lines];
  }

  function style() {
    const signed = edges.some((e) => e.weight < 0);
    const paint = (name) => ({ "line-color": colour(name), "target-arrow-color": colour(name) });
    return [
      { selector: "node", style: {
        shape: "round-rectangle", width: "data(w)", height: 28, label: "data(label)",
        "background-color": colour("surface"), "border-width": 1.2, "border-color": colour("edge"),
        color: colour("ink"), "font-family": FONT, "font-size": 13, "text-valign": "center",
        "text-wrap": "ellipsis", "text-max-width": `${WIDEST}px` } },
      { selector: "node.alone", style: { color: colour("muted"), "border-color": colour("line") } },
      { selector: "edge", style: {
        "curve-style": "straight", width: "data(width)", "target-arrow-shape": "triangle",
        "arrow-scale": many ? 0.7 : 0.9, opacity: edges.length > 1000 ? 0.3 : many ? 0.6 : 0.85, ...paint("edge") } },
      { selector: "edge.undirected", style: { "target-arrow-shape": "none" } },
      ...(signed ? [{ selector: "edge.positive", style: paint("blue") },
        { selector: "edge.negative", style: paint("orange") }] : []),
      // dagre leads long edges around the nodes between their ends
      { selector: "edge.routed", style: { "curve-style": "unbundled-bezier",
        "control-point-weights": (e) => e.scratch("controlPointWeights"),
        "control-point-distances": (e) => e.scratch("controlPointDistances") } },
      { selector: ".weak", style: { display: "none" } },
      { selector: ".faded", style: { opacity: 0.13 } },
      { selector: "node.match", style: { "border-width": 3, "border-color": colour("accent") } },
      { selector: "node.cause", style: { "background-color": colour("cause"),
        "border-color": colour("cause-line"), "border-width": 2 } },
      { selector: "node.effect", style: { "background-color": colour("effect"),
        "border-color": colour("effect-line"), "border-width": 2 } },
      { selector: "node.chosen", style: { "background-color": colour("accent"),
        "border-color": colour("accent"), color: colour("surface"), "font-weight": "bold" } },
      // on top: the arrowheads of faded edges would cut into theirs
      { selector: "edge.path", style: { opacity: 1, "z-index": 9 } },
    ];
  }

  const cy = cytoscape({ container: box, elements: elements(), style: style(),
    layout: { name: "preset" }, minZoom: 0.03, maxZoom: 5, boxSelectionEnabled: false,
    autounselectify: true, userZoomingEnabled: false });
  const node = (i) => cy.getElementById(`n${i}`);
  const line = (e) => cy.getElementById(`e${e.index}`);

  // How far a node is from the end of its longest path; a cycle is cut where it closes.
  function heights(lines) {
    const children = new Map();
    for (const e of lines) children.set(e.source, [...(children.get(e.source) ?? []), e.target]);
    const height = new Map();
    const visit = (i) => {
      if (height.has(i)) return height.get(i);
      height.set(i, 0);
      height.set(i, Math.max(0, ...(children.get(i) ?? []).map((j) => 1 + visit(j))));
      return height.get(i);
    };
    lines.forEach((e) => [e.source, e.target].forEach(visit));
    return height;
  }

  // dagre's time grows with the layers that edges cross, so a dense graph is arranged by fewer:
  // one step of each longest path, which fixes the layers of all, then the strongest.
  function arranging(lines) {
    const height = heights(lines);
    const stepped = new Set();
    const steps = lines.filter((e) => {
      const is = height.get(e.source) - height.get(e.target) === 1 && !stepped.has(e.source);
      if (is) stepped.add(e.source);
      return is;
    });
    const chosen = new Set(steps);
    let crossed = steps.length;
    for (const e of lines) {
      crossed += Math.abs(height.get(e.source) - height.get(e.target));
      if (crossed > MOST_CROSSED) break;
      chosen.add(e);
    }
    return { all: chosen.size === lines.length, lines: [...chosen] };
  }

  // dagre leaves a large graph far taller than a screen: keep its layers and its order in them,
  // close the gaps, and let the layers stand apart as far as the drawing is wide.
  function squeeze(placed) {
    const was = placed.boundingBox({ includeEdges: false });
    const layers = new Map();
    placed.forEach((n) => {
      const x = Math.round(n.position("x"));
      layers.set(x, [...(layers.get(x) ?? []), n]);
    });
    const fullest = Math.max(...[...layers.values()].map((l) => l.length));
    const height = Math.min(was.h, fullest * ROW);
    const wide = (height * box.clientWidth) / box.clientHeight / was.w;
    const stretch = Math.max(1, Math.min(3, wide));
    cy.batch(() => layers.forEach((layer, x) => {
      layer.sort((a, b) => a.position("y") - b.position("y"));
      const ys = layer.map((n) => ((n.position("y") - was.y1) / was.h) * height);
      for (let k = 1; k < ys.length; k++) ys[k] = Math.max(ys[k], ys[k - 1] + ROW);
      for (let k = ys.length - 1, most = height; k >= 0; k--, most -= ROW) {
        ys[k] = Math.min(ys[k], most);
      }
      layer.forEach((n, k) => n.position({ x: x * stretch, y: ys[k] }));
    }));
  }

  function layered(placed) {
    const by = arranging(edges.filter(isShown));
    const used = cy.collection(by.lines.map(line));
    placed.union(used).layout({ name: "dagre", rankDir: "LR", nodeSep: 14, edgeSep: 6, rankSep: 70,
      acyclicer: "greedy", ranker: by.all ? "network-simplex" : "longest-path", fit: false,
      useDagreEdgeControlPoints: true, automaticDagreEdgeStyle: false }).run();
    const { w, h } = placed.boundingBox({ includeEdges: false });
    const tall = many || h > 1.5 * w * (box.clientHeight / box.clientWidth);
    if (tall) squeeze(placed);
    else used.filter((e) => e.scratch("controlPointWeights").length > 0).addClass("routed");
  }

  // Columns without an edge have no place in the causal order: a grid below the others.
  function arrange() {
    const placed = cy.edges().not(".weak").connectedNodes();
    const alone = cy.nodes().not(placed);
    cy.elements().removeClass("alone routed");
    alone.addClass("alone");
    if (placed.nonempty()) layered(placed);
    if (alone.nonempty()) {
      const bounds = { includeEdges: false };
      const above = placed.nonempty() ? placed.boundingBox(bounds) : { x1: 0, y2: 0, w: 0 };
      const cell = Math.max(...alone.map((n) => n.width())) + 16;
      const across = Math.max(Math.ceil(Math.sqrt(alone.length)), Math.floor(above.w / cell));
      const cols = Math.min(alone.length, across);
      const down = Math.ceil(alone.length / cols);
      alone.layout({ name: "grid", cols, rows: down, fit: false, condense: true,
        boundingBox: { x1: above.x1, y1: above.y2 + 36, w: cols * cell, h: down * 40 } }).run();
    }
    fit();
  }

  function fit() {
    cy.resize();
    cy.fit(cy.nodes(), 24);
    if (cy.zoom() > 1.25) {
      cy.zoom(1.25);
      cy.center(cy.nodes());
    }
  }

  // every node that a directed path of shown edges leads to (forward) or from
  function reach(start, forward) {
    const next = new Map();
    for (const e of edges) {
      if (!e.directed || !isShown(e)) continue;
      const [from, to] = forward ? [e.source, e.target] : [e.target, e.source];
      next.set(from, [...(next.get(from) ?? []), to]);
    }
    const seen = new Set();
    const open = [start];
    while (open.length) {
      for (const i of next.get(open.pop()) ?? []) {
        if (!seen.has(i)) {
          seen.add(i);
          open.push(i);
        }
      }
    }
    return seen;
  }

  function highlight() {
    const chosen = state.chosen;
    const causes = chosen === null ? new Set() : reach(chosen, false);
    const effects = chosen === null ? new Set() : reach(chosen, true);
    cy.batch(() => {
      cy.elements().removeClass("faded cause effect chosen path");
      if (chosen !== null) {
        const near = edges.filter((e) => !e.directed && [e.source, e.target].includes(chosen));
        const up = new Set([...causes, chosen]);
        const down = new Set([...effects, chosen]);
        const onPath = edges.filter((e) => e.directed
          && ((up.has(e.source) && up.has(e.target)) || (down.has(e.source) && down.has(e.target))));
        cy.elements().addClass("faded");
        causes.forEach((i) => node(i).removeClass("faded").addClass("cause"));
        effects.forEach((i) => node(i).removeClass("faded").addClass("effect"));
        near.filter(isShown).forEach((e) =>
          node(e.source === chosen ? e.target : e.source).removeClass("faded"));
        node(chosen).removeClass("faded").addClass("chosen");
        [...near, ...onPath].forEach((e) => line(e).removeClass("faded").addClass("path"));
      }
    });
    describe(causes, effects);
  }

  function describe(causes, effects) {
    const panel = byId("chosen");
    const chosen = state.chosen;
    panel.replaceChildren();
    panel.hidden = chosen === null;
    byId("legend").hidden = chosen !== null;
    if (chosen === null) return;
    const clear = make("button", "Clear", { type: "button", onclick: () => choose(null) });
    const name = make("bdi", label(chosen), { className: "name" });
    const head = make("h3");
    head.append(name);
    const n = (k, one, many_) => `${k} ${k === 1 ? one : many_}`;
    const sum = make("p", `${n(causes.size, "ancestor", "ancestors")}, `
      + n(effects.size, "descendant", "descendants"), { className: "muted" });
    panel.append(head, sum);
    const shown = edges.filter(isShown);
    const lists = [
      ["Direct causes", "cause", shown.filter((e) => e.directed && e.target === chosen)],
      ["Direct effects", "effect", shown.filter((e) => e.directed && e.source === chosen)],
      ["Linked, direction unknown", "", shown.filter((e) => !e.directed
        && [e.source, e.target].includes(chosen))],
    ];
    for (const [title, kind, found] of lists) {
      if (!found.length) continue;
      const list = make("ul", undefined, { className: kind });
      for (const e of found) {
        const other = e.source === chosen ? e.target : e.source;
        const item = make("li");
        const go = make("button", undefined, { type: "button", onclick: () => find(other) });
        go.append(make("bdi", label(other), { className: "name" }));
        item.append(go, make("span", number(e.weight), { className: "num" }));
        list.append(item);
      }
      panel.append(make("h4", title), list);
    }
    panel.append(clear);
  }

  // Where names are too small to read, come closer.
  function find(i) {
    choose(i);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    cy.stop();
    cy.animate({ zoom: Math.max(cy.zoom(), READABLE), center: { eles: node(i) },
      duration: still ? 0 : 200 });
  }

  report.graph = { cy, arrange, fit, find, highlight, style };

  on("threshold", () => {
    cy.batch(() => edges.forEach((e) => {
      const element = line(e);
      if (element.hasClass("weak") === isShown(e)) element.toggleClass("weak", !isShown(e));
    }));
    highlight();
  });
  on("chosen", highlight);
  on("theme", () => cy.style(style()));
  arrange();
})();
