import { readFloat, readInt, trimBlanks } from '../text/numbers.ts'

/** A host with the metadata of its aggregates. */
export interface Aggregated {
  readonly aggregates: readonly { readonly name: string; readonly metadata: Readonly<Record<string, string>> }[]
}

/** The values of a key over the host's aggregates, each split at commas and trimmed. Undefined if no aggregate has the key. */
export function splitValues({ aggregates }: Aggregated, key: string): ReadonlySet<string> | undefined {
  const whole = wholeValues(aggregates, key)
  return whole.length === 0 ? undefined : new Set(whole.flatMap((value) => value.split(',').map(trimBlanks)))
}

/** The values of a key over the host's aggregates, unchanged. */
export function wholeValues(aggregates: Aggregated['aggregates'], key: string): readonly string[] {
  // Keys come from operators. The key `constructor` must not match an inherited member.
  return aggregates.flatMap(({ metadata }) => (Object.hasOwn(metadata, key) ? (metadata[key] ?? []) : []))
}

/** The host's aggregates with a key, as the source of a reason: `aggregate <names> <key>`. */
export function aggregatesWith({ aggregates }: Aggregated, key: string): string {
  const names = aggregates.filter(({ metadata }) => Object.hasOwn(metadata, key)).map(({ name }) => name)
  return names.length === 0 ? `aggregates, ${key}` : `aggregate ${names.join(', ')} ${key}`
}

export interface FromAggregates {
  readonly value: number
  /** The source of the value: `aggregate <name> <key>`; undefined for the option's value. */
  readonly source: string | undefined
}

/** The lowest whole number that the host's aggregates have for a key. If they have none or an invalid one, the option's value. */
export const leastInt = (host: Aggregated, key: string, option: number): FromAggregates => least(host, key, option, readInt)

/** Like leastInt, for numbers with a fraction. */
export const leastFloat = (host: Aggregated, key: string, option: number): FromAggregates => least(host, key, option, readFloat)

function least({ aggregates }: Aggregated, key: string, option: number, read: (text: string) => number | undefined): FromAggregates {
  // Every weigher calls this for every host, and usually no aggregate has the key.
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
