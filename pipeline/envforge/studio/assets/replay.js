"use strict";
(() => {
  const steps = [...document.querySelectorAll(".step")];
  const panels = [...document.querySelectorAll(".panel")];
  const place = document.getElementById("place");
  let at = -1;
  const choose = (wanted, scroll) => {
    if (!steps.length) return;
    at = Math.max(0, Math.min(steps.length - 1, wanted));
    steps.forEach((step, number) => {
      step.classList.toggle("chosen", number === at);
      step.setAttribute("aria-current", number === at ? "step" : "false");
    });
    panels.forEach((panel, number) => panel.classList.toggle("shown", number === at));
    place.textContent = `${at + 1} of ${steps.length}`;
    if (scroll) steps[at].scrollIntoView({ block: "nearest" });
  };
  const keys = {
    ArrowDown: () => at + 1, ArrowRight: () => at + 1, j: () => at + 1, n: () => at + 1,
    ArrowUp: () => at - 1, ArrowLeft: () => at - 1, k: () => at - 1, p: () => at - 1,
    Home: () => 0, End: () => steps.length - 1,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    choose(keys[event.key](), true);
  });
  steps.forEach((step, number) => step.addEventListener("click", () => choose(number, false)));
  document.getElementById("before").addEventListener("click", () => choose(at - 1, true));
  document.getElementById("after").addEventListener("click", () => choose(at + 1, true));
  document.body.classList.add("live");
  choose(0, false);
})();
