// Small helpers that build elements. Text always becomes text nodes: nothing that a server or a file says becomes markup.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = Array.isArray(value) ? value.filter(Boolean).join(" ") : value;
    else if (name === "style") for (const [key, set] of Object.entries(value)) element.style.setProperty(key, set);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

// Puts new content into a place and keeps what a reader would miss: keyboard focus, the caret of a text, and how far
// lists were scrolled.
export function refill(place, ...children) {
  const active = place.contains(document.activeElement) ? document.activeElement : null;
  const focused = active?.dataset.key;
  const caret = [active?.selectionStart, active?.selectionEnd];
  const scrolled = new Map([...place.querySelectorAll("[data-scroll]")].map((e) => [e.dataset.scroll, e.scrollTop]));
  place.replaceChildren(...children.flat(Infinity).filter(Boolean));
  for (const element of place.querySelectorAll("[data-scroll]")) {
    if (scrolled.has(element.dataset.scroll)) element.scrollTop = scrolled.get(element.dataset.scroll);
  }
  const again = focused ? place.querySelector(`[data-key="${CSS.escape(focused)}"]`) : null;
  again?.focus({ preventScroll: true });
  if (again && Number.isInteger(caret[0])) again.setSelectionRange(...caret);
}

let toastTimer = 0;

export function toast(sentence) {
  const place = byId("toast");
  place.textContent = sentence;
  place.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (place.hidden = true), 6000);
}

// A button that stays reachable when it can do nothing, so that everybody can find out why.
export function action(label, { act, reason = null, key, ...properties }) {
  return h(
    "button",
    {
      type: "button",
      "data-key": key,
      "aria-disabled": reason ? "true" : undefined,
      title: reason ?? properties.title,
      ...properties,
      ...(reason ? { title: reason } : {}),
      onclick: () => (reason ? toast(reason) : act()),
    },
    label,
  );
}
