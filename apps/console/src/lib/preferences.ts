import { useSyncExternalStore } from 'react'

/** What each person chooses for this browser, with the values that each choice has; the first holds where nothing was chosen. */
export const preferences = {
  /** The zone in which all times of the console are shown: the browser's own, or UTC. */
  timezone: ['local', 'utc'],
  /** Memory and disk in the largest unit that keeps a whole part, or in MiB and GiB to the last one. */
  units: ['scaled', 'exact'],
  /** Rows of 28 pixels, or of 36. */
  density: ['compact', 'cosy'],
  /** Whether colours of text and lines are as far apart as they can be. */
  contrast: ['normal', 'high'],
  /** Whether lists that can follow changes begin with it. */
  live: ['on', 'off'],
  /** Single-key shortcuts can be turned off (WCAG 2.1.4). */
  shortcuts: ['on', 'off'],
} as const

export type Preference = keyof typeof preferences
export type Choice<Name extends Preference> = (typeof preferences)[Name][number]

const listeners = new Set<() => void>()
const chosen = new Map<Preference, string>()

/** What holds now. Components that must follow it use usePreference. */
export function preference<Name extends Preference>(name: Name): Choice<Name> {
  if (!chosen.has(name)) chosen.set(name, stored(name))
  return chosen.get(name) as Choice<Name>
}

export function choose<Name extends Preference>(name: Name, value: Choice<Name>): void {
  chosen.set(name, value)
  try {
    localStorage.setItem(keyOf(name), value)
  } catch {
    // a browser without storage forgets the choice with the page
  }
  notify()
}

/** What holds; the component follows it, whichever switch or tab changes it. */
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

// what was chosen in another tab; a key of null: everything was removed
globalThis.addEventListener?.('storage', ({ key }: StorageEvent) => {
  if (key !== null && !key.startsWith('gantt.')) return
  chosen.clear()
  notify()
})
