"use strict";
// What the parts of the page share: the data, the threshold, the chosen column, the theme.
const report = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const edges = data.edges.map(([source, target, weight, directed], index) => (
    { index, source, target, weight, strength: Math.abs(weight), directed: directed === 1 }
  ));
  const listeners = {};
  const state = { threshold: 0, chosen: null };

  const byId = (id) => document.getElementById(id);
  const on = (event, f) => (listeners[event] ??= []).push(f);
  const tell = (event) => (listeners[event] ?? []).forEach((f) => f());

  // a further measure (confidence) is one more condition here
  const isShown = (edge) => edge.strength >= state.threshold;
  const label = (i) => data.labels[i];

  function number(x) {
    const size = Math.abs(x);
    const text = size === 0 || (size >= 1e-3 && size < 1e4) ? x.toFixed(3) : x.toPrecision(3);
    return text.replace("-", "−");
  }

  const counted = (n) => `${n} of ${edges.length} ${edges.length === 1 ? "edge" : "edges"}`;

  function choose(i) {
    state.chosen = i;
    tell("chosen");
  }

  const colour = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  // elements are only ever made with textContent, so that no name is read as HTML
  function make(tag, text, properties = {}) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    return Object.assign(element, properties);
  }

  function save(content, name) {
    const blob = content instanceof Blob ? content : new Blob([content], { type: "text/csv" });
    const link = make("a", undefined, { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function theme() {
    const root = document.documentElement;
    const button = byId("theme");
    const show = () => {
      button.setAttribute("aria-pressed", String(root.dataset.theme === "dark"));
      tell("theme");
    };
    const set = (dark) => {
      root.dataset.theme = dark ? "dark" : "light";
      show();
    };
    button.addEventListener("click", () => set(root.dataset.theme !== "dark"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => set(e.matches));
    show();
  }

  function threshold() {
    const slider = byId("threshold");
    if (!slider) return;
    slider.addEventListener("input", () => {
      // the far end keeps the strongest edge, whatever rounding does to the slider's value
      const last = slider.value === slider.max;
      state.threshold = last ? edges[0].strength : Number(slider.value);
      const shown = edges.filter(isShown).length;
      byId("threshold-value").value = number(state.threshold);
      byId("edge-count").value = counted(shown);
      slider.setAttribute("aria-valuetext", `${number(state.threshold)}, ${counted(shown)}`);
      tell("threshold");
    });
  }

  // Paper is light, and what is folded on the screen is not on paper otherwise.
  function printing() {
    const root = document.documentElement;
    let before = null;
    addEventListener("beforeprint", () => {
      const folded = [...document.querySelectorAll("main details:not([open])")];
      before = { folded, theme: root.dataset.theme };
      folded.forEach((d) => (d.open = true));
      root.dataset.theme = "light";
      tell("theme");
      tell("print");
    });
    addEventListener("afterprint", () => {
      before.folded.forEach((d) => (d.open = false));
      root.dataset.theme = before.theme;
      tell("theme");
      tell("printed");
    });
  }

  function start() {
    theme();
    threshold();
    printing();
    tell("threshold");
    if (!report.graph) byId("graph").textContent = "The drawing failed; the table says the same.";
    document.body.dataset.ready = "true";
  }

  addEventListener("DOMContentLoaded", start); // when the other scripts have run

  return { data, edges, state, byId, on, isShown, label, number, counted, choose, colour, make,
    save };
})();
