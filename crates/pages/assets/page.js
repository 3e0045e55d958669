// Makes a page live: asks for it again now and then, and changes what has changed. Without this a page is as it was when it
// was asked for.
"use strict";

const EVERY_MS = 5000;

// --- Numbers, as the server shows them -----------------------------------------------------------------------------

const digits = value => value >= 99.95 || value === Math.trunc(value) ? value.toFixed(0) : String(+value.toFixed(value >= 9.995 ? 1 : 2));
const show = {
  rate: value => (value >= 999.5 ? Math.round(value).toLocaleString("en") : digits(value)) + "/s",
  latency: us => us < 999.5 ? digits(us) + " µs" : us < 999500 ? digits(us / 1e3) + " ms" : digits(us / 1e6) + " s",
  bytes: value => {
    let unit = 0;
    for (; value >= 1023.5 && unit < 6; unit++) value /= 1024;
    return digits(value) + " " + ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][unit];
  },
  number: value => value.toFixed(2),
};

// --- Charts: values of the time that is pointed at ------------------------------------------------------------------

const WIDTH = 360, HEIGHT = 100, SECONDS = 10;

// The width of a sample.
const stepOf = figure => WIDTH / +figure.dataset.span;

// The value of a line at x, of its nearest point.
const valueAt = (path, x, top, step) => {
  let nearest = null;
  for (const [, pointX, pointY] of path.getAttribute("d").matchAll(/[ML]([\d.]+) ([\d.]+)/g)) {
    const distance = Math.abs(pointX - x);
    if (distance <= step && (!nearest || distance < nearest.distance)) nearest = { distance, y: +pointY };
  }
  return nearest && (1 - nearest.y / HEIGHT) * top;
};

const point = (figure, x) => {
  const svg = figure.querySelector("svg"), legend = figure.querySelector(".legend");
  let cursor = svg.querySelector(".cursor"), at = legend.querySelector(".at");
  if (x === null) {
    if (!cursor) return;
    cursor.remove();
    at.remove();
    legend.querySelectorAll("b").forEach(value => { value.textContent = value.dataset.now ?? value.textContent; delete value.dataset.now; });
    return;
  }
  if (!cursor) {
    cursor = document.createElementNS(svg.namespaceURI, "path");
    cursor.setAttribute("class", "cursor");
    svg.append(cursor);
    at = document.createElement("span");
    at.className = "at";
    legend.append(at);
  }
  cursor.setAttribute("d", `M${x} 0V${HEIGHT}`);
  const seconds = Math.round((WIDTH - x) / stepOf(figure)) * SECONDS;
  at.textContent = seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
  for (const value of legend.querySelectorAll("b")) {
    value.dataset.now ??= value.textContent;
    const number = valueAt(svg.querySelector(`path.data[data-line="${value.dataset.line}"]`), x, +figure.dataset.top, stepOf(figure));
    value.textContent = number === null ? "–" : show[figure.dataset.unit](number);
  }
};

const chartOf = event => event.target.closest?.(".chart svg")?.closest(".chart");
const pointed = event => {
  const figure = chartOf(event);
  if (!figure) return;
  const box = figure.querySelector("svg").getBoundingClientRect();
  point(figure, Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1) * WIDTH);
};
document.addEventListener("pointermove", pointed);
document.addEventListener("pointerdown", pointed);
for (const end of ["pointerout", "focusout"]) {
  document.addEventListener(end, event => { const figure = chartOf(event); if (figure) point(figure, null); });
}
document.addEventListener("keydown", event => {
  const figure = chartOf(event);
  const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -30, PageDown: 30, Home: -1000, End: 1000 };
  if (figure && event.key in steps) {
    const cursor = figure.querySelector(".cursor");
    const x = cursor ? +cursor.getAttribute("d").match(/M([\d.]+)/)[1] : WIDTH;
    point(figure, Math.min(Math.max(x + steps[event.key] * stepOf(figure), 0), WIDTH));
    event.preventDefault();
  } else if (event.key === "/" && !event.target.closest("input, textarea")) {
    const field = document.querySelector("input[type=search]");
    if (field) { field.focus(); event.preventDefault(); }
  } else if (event.key === "Escape" && figure) {
    point(figure, null);
  }
});

// --- Live ------------------------------------------------------------------------------------------------------------

// Makes one tree like another, in place: what has the focus keeps it, what is scrolled stays.
const become = (old, fresh) => {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) {
    old.replaceWith(fresh);
    return;
  }
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  // Somebody is about to follow a link in it, or reads it: it is not to change under their hands.
  const isUsed = old.matches(":focus-within, :hover");
  if (isUsed && (old.nodeName === "TABLE" || old.nodeName === "FORM" || old.nodeName === "FIGURE")) return;
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !(old.nodeName === "DETAILS" && name === "open")) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  const [mine, theirs] = [[...old.childNodes], [...fresh.childNodes]];
  theirs.forEach((child, at) => at < mine.length ? become(mine[at], child) : old.append(child));
  mine.slice(theirs.length).forEach(child => child.remove());
};

const refresh = async () => {
  const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(EVERY_MS * 2) });
  if (!answer.ok) throw new Error(answer.statusText);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["where", "main", "as-of"]) {
    const [old, other] = [document.getElementById(id), fresh.getElementById(id)];
    if (old && other) become(old, document.adoptNode(other));
  }
};

if (document.body.hasAttribute("data-live")) {
  const button = document.createElement("button");
  button.className = "live";
  button.title = "Refresh this page every few seconds";
  const wanted = sessionStorage.getItem("live") !== "off";
  const set = (on, text) => {
    button.setAttribute("aria-pressed", String(on));
    button.textContent = text ?? (on ? "Live" : "Paused");
  };
  set(wanted);
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    sessionStorage.setItem("live", on ? "on" : "off");
    set(on);
  });
  document.body.append(button);
  const isOn = () => button.getAttribute("aria-pressed") === "true";
  const look = async () => {
    if (isOn() && !document.hidden) {
      try {
        await refresh();
        if (isOn()) set(true);
      } catch {
        if (isOn()) set(true, "The server does not answer");
      }
    }
    setTimeout(look, EVERY_MS);
  };
  setTimeout(look, EVERY_MS);
}
