import type { Scenario } from './scenario.ts'

/** At most this many scenarios can be compared. More columns would not be readable. */
export const MAX_SCENARIOS = 3

export const MAX_NAME_LENGTH = 60

/** Makes a valid name: the text is trimmed and cut to the maximum length. Undefined if nothing is left. */
export function toName(text: string): string | undefined {
  const name = text.trim().slice(0, MAX_NAME_LENGTH).trim()
  return name === '' ? undefined : name
}

/** The labels of scenarios: the name or, without a name, the position. */
export const namesOf = (scenarios: readonly Pick<Scenario, 'name'>[]): readonly string[] =>
  scenarios.map(({ name }, i) => name ?? `Scenario ${i + 1}`)

/** Inserts a copy after a scenario. The copy has no name, because the name would be wrong once the copy is changed. */
export function withCopy(scenarios: readonly Scenario[], index: number): readonly Scenario[] {
  const copied = scenarios[index]
  if (copied === undefined || scenarios.length >= MAX_SCENARIOS) return scenarios
  return scenarios.toSpliced(index + 1, 0, { ...copied, name: undefined })
}

/** Removes a scenario. The only scenario cannot be removed. */
export const without = (scenarios: readonly Scenario[], index: number): readonly Scenario[] =>
  scenarios.length > 1 ? scenarios.toSpliced(index, 1) : scenarios

/** Swaps two scenarios. Returns the list unchanged if one of them does not exist. */
export function swapped(scenarios: readonly Scenario[], index: number, other: number): readonly Scenario[] {
  const [a, b] = [scenarios[index], scenarios[other]]
  return a === undefined || b === undefined ? scenarios : scenarios.with(index, b).with(other, a)
}

/** Changes fields of one scenario in the list. */
export const changedAt = (scenarios: readonly Scenario[], index: number, change: Partial<Scenario>): readonly Scenario[] =>
  scenarios.map((scenario, i) => (i === index ? { ...scenario, ...change } : scenario))

/** Adds to each item of a list its index, which distinguishes equal items. */
export const withIndexes = <One>(list: readonly One[]): readonly { readonly one: One; readonly index: number }[] =>
  list.map((one, index) => ({ one, index }))
