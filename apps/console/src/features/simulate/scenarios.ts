import type { Scenario } from './scenario.ts'

/** So many scenarios stand next to each other: more columns could not be read. */
export const MOST_SCENARIOS = 3

export const MOST_NAME_LENGTH = 60

/** A name as it is kept: without spaces around it and cut to its greatest length; undefined where nothing is left. */
export function toName(text: string): string | undefined {
  const name = text.trim().slice(0, MOST_NAME_LENGTH).trim()
  return name === '' ? undefined : name
}

/** How each of some scenarios is called: as it is named, else by its place. */
export const namesOf = (scenarios: readonly Pick<Scenario, 'name'>[]): readonly string[] =>
  scenarios.map(({ name }, i) => name ?? `Scenario ${i + 1}`)

/** A copy of one behind it, to be made otherwise. A name is not copied: it would say what the copy is not. */
export function withCopy(scenarios: readonly Scenario[], index: number): readonly Scenario[] {
  const copied = scenarios[index]
  if (copied === undefined || scenarios.length >= MOST_SCENARIOS) return scenarios
  return scenarios.toSpliced(index + 1, 0, { ...copied, name: undefined })
}

/** Without one; the last that is left stays. */
export const without = (scenarios: readonly Scenario[], index: number): readonly Scenario[] =>
  scenarios.length > 1 ? scenarios.toSpliced(index, 1) : scenarios

/** With two in each other's place; as they are where one of them is not there. */
export function swapped(scenarios: readonly Scenario[], index: number, other: number): readonly Scenario[] {
  const [a, b] = [scenarios[index], scenarios[other]]
  return a === undefined || b === undefined ? scenarios : scenarios.with(index, b).with(other, a)
}

/** With one changed in some of what it says. */
export const changedAt = (scenarios: readonly Scenario[], index: number, change: Partial<Scenario>): readonly Scenario[] =>
  scenarios.map((scenario, i) => (i === index ? { ...scenario, ...change } : scenario))

/** Each with its index, which distinguishes it from others that may be equal. */
export const withIndexes = <One>(list: readonly One[]): readonly { readonly one: One; readonly index: number }[] =>
  list.map((one, index) => ({ one, index }))
