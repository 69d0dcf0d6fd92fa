"use strict";
// #dark and #light in the address choose; else the system does. Runs before the first paint.
(() => {
  const asked = location.hash.slice(1);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme =
    asked === "dark" || asked === "light" ? asked : dark ? "dark" : "light";
})();
