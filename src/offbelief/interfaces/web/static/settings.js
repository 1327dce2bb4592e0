// What a player prefers and the keys of their seats, kept in this browser.

const PREFERENCES = "offbelief.preferences";
const KEYS = "offbelief.keys";

function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? {};
  } catch {
    return {};
  }
}

function write(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Private windows may refuse; the game goes on without.
  }
}

export const preferences = { letters: true, pace: 700, ...read(PREFERENCES) };

export function prefer(change) {
  Object.assign(preferences, change);
  write(PREFERENCES, preferences);
}

export const keyOf = (id) => read(KEYS)[id] ?? null;
export const hasKey = (id) => id in read(KEYS);
export const keepKey = (id, key) => write(KEYS, { ...read(KEYS), [id]: key });
