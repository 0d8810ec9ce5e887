import type { HostState } from './host-state.ts'
import { pythonStrip, readFloat, readInt } from './text/numbers.ts'

/** The values of a key over the host's aggregates, each split at commas and trimmed; undefined: no aggregate has the key. */
export function splitValues({ aggregates }: HostState, key: string): ReadonlySet<string> | undefined {
  const whole = wholeValues(aggregates, key)
  return whole.length === 0 ? undefined : new Set(whole.flatMap((value) => value.split(',').map(pythonStrip)))
}

/** The values of a key over the host's aggregates, as they are. */
export function wholeValues(aggregates: HostState['aggregates'], key: string): readonly string[] {
  // keys are somebody's words: `constructor` must not find what every object inherits
  return aggregates.flatMap(({ metadata }) => (Object.hasOwn(metadata, key) ? (metadata[key] ?? []) : []))
}

/** Which of the host's aggregates say something under a key, as the source of a reason: `aggregate <names> <key>`. */
export function aggregatesWith({ aggregates }: HostState, key: string): string {
  const names = aggregates.filter(({ metadata }) => Object.hasOwn(metadata, key)).map(({ name }) => name)
  return names.length === 0 ? `aggregates, ${key}` : `aggregate ${names.join(', ')} ${key}`
}

export interface FromAggregates {
  readonly value: number
  /** Where it comes from: `aggregate <name> <key>`; undefined: it is the option's. */
  readonly source: string | undefined
}

/** What of a host these read. */
type Aggregated = Pick<HostState, 'aggregates'>

/** The least whole number that the host's aggregates give for a key; the option's where they give none, or one that is no number. */
export const leastInt = (host: Aggregated, key: string, option: number): FromAggregates => least(host, key, option, readInt)

/** As leastInt, for numbers with a fraction. */
export const leastFloat = (host: Aggregated, key: string, option: number): FromAggregates => least(host, key, option, readFloat)

function least({ aggregates }: Aggregated, key: string, option: number, read: (text: string) => number | undefined): FromAggregates {
  // asked of every host by every weigher, and mostly nothing is said
  if (!aggregates.some(({ metadata }) => Object.hasOwn(metadata, key))) return { value: option, source: undefined }
  const given = aggregates.flatMap((aggregate) =>
    wholeValues([aggregate], key).map((text) => ({ value: read(text), source: `aggregate ${aggregate.name} ${key}` })),
  )
  let best: FromAggregates | undefined
  for (const { value, source } of given) {
    if (value === undefined) return { value: option, source: undefined }
    if (best === undefined || value < best.value) best = { value, source }
  }
  return best ?? { value: option, source: undefined }
}
