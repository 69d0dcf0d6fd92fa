"use strict";
// The picture of the holes: one pixel a column and block of rows, enlarged by the style sheet.
(() => {
  const { byId, data, label, colour, on } = report;
  const canvas = byId("holes");
  if (!canvas || !data.holes) return;

  const { bounds } = data.holes;
  const cells = Uint8Array.from(atob(data.holes.cells), (c) => c.charCodeAt(0));
  const width = data.columns.length;
  const height = bounds.length - 1;
  canvas.width = width;
  canvas.height = height;

  function channels(name) {
    const hex = colour(name).slice(1);
    return [0, 2, 4].map((k) => parseInt(hex.slice(k, k + 2), 16));
  }

  function paint() {
    const [from, to] = [channels("cell"), channels("hole")];
    const context = canvas.getContext("2d");
    const image = context.createImageData(width, height);
    cells.forEach((share, i) => {
      for (let c = 0; c < 3; c++) {
        image.data[4 * i + c] = from[c] + ((to[c] - from[c]) * share) / 255;
      }
      image.data[4 * i + 3] = 255;
    });
    context.putImageData(image, 0, 0);
  }

  const at = { column: 0, row: 0 };
  function say() {
    const share = cells[at.row * width + at.column] / 255;
    const [first, last] = [bounds[at.row] + 1, bounds[at.row + 1]];
    const rows = first === last ? `row ${first}` : `rows ${first} to ${last}`;
    const state = share === 1 ? "missing" : share === 0 ? "observed"
      : `${Math.round(100 * share)}% missing`;
    byId("holes-at").value = `${label(at.column)}, ${rows}: ${state}.`;
  }
  const within = (x, n) => Math.max(0, Math.min(n - 1, x));

  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    at.column = within(Math.floor(((event.clientX - box.left) / box.width) * width), width);
    at.row = within(Math.floor(((event.clientY - box.top) / box.height) * height), height);
    say();
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const move = step[event.key];
    if (!move) return;
    event.preventDefault();
    at.column = within(at.column + move[0], width);
    at.row = within(at.row + move[1], height);
    say();
  });
  on("theme", paint);
})();
