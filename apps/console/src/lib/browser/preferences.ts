import { useSyncExternalStore } from 'react'

/** The preferences of this browser with their possible values. The first value is the default. */
export const preferences = {
  /** The zone in which all times of the console are shown: the browser's own, or UTC. */
  timezone: ['local', 'utc'],
  /** Memory and disk in the largest unit with a value of at least 1, or exactly in MiB and GiB. */
  units: ['scaled', 'exact'],
  /** The height of rows: 28 pixels (`compact`) or 36 pixels (`cosy`). */
  density: ['compact', 'cosy'],
  /** `high`: text and lines have the strongest contrast. */
  contrast: ['normal', 'high'],
  /** `on`: lists that can follow changes do so when they are opened. */
  live: ['on', 'off'],
  /** `off`: shortcuts without Ctrl have no effect (WCAG 2.1.4). */
  shortcuts: ['on', 'off'],
} as const

export type Preference = keyof typeof preferences
export type Choice<Name extends Preference> = (typeof preferences)[Name][number]

const listeners = new Set<() => void>()
const chosen = new Map<Preference, string>()

/** The present value of a preference. Components that must follow changes of the value use usePreference. */
export function preference<Name extends Preference>(name: Name): Choice<Name> {
  if (!chosen.has(name)) chosen.set(name, stored(name))
  return chosen.get(name) as Choice<Name>
}

export function choose<Name extends Preference>(name: Name, value: Choice<Name>): void {
  chosen.set(name, value)
  try {
    localStorage.setItem(keyOf(name), value)
  } catch {
    // if the browser has no storage, the choice is lost when the page is closed
  }
  notify()
}

/** A hook that returns the value of a preference and follows changes on this page and in other tabs. */
export const usePreference = <Name extends Preference>(name: Name): Choice<Name> => useSyncExternalStore(follow, () => preference(name))

function follow(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const notify = (): void => {
  for (const listener of listeners) listener()
}

const keyOf = (name: Preference): string => `gantt.${name}`

function stored(name: Preference): string {
  const [usual, ...others] = preferences[name]
  try {
    const kept = localStorage.getItem(keyOf(name))
    return others.find((value) => value === kept) ?? usual
  } catch {
    return usual
  }
}

// Another tab has changed a preference. A key of null means that the whole storage was cleared.
globalThis.addEventListener?.('storage', ({ key }: StorageEvent) => {
  if (key !== null && !key.startsWith('gantt.')) return
  chosen.clear()
  notify()
})
