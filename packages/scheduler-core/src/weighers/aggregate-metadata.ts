import { readFloat, readInt, trimBlanks } from '../text/numbers.ts'

/** The aggregates of one host, with their metadata. */
export interface Aggregated {
  readonly aggregates: readonly { readonly name: string; readonly metadata: Readonly<Record<string, string>> }[]
}

/** The values of a metadata key in all aggregates of the host, split at commas and trimmed. Undefined if no aggregate has the key. */
export function splitValues({ aggregates }: Aggregated, key: string): ReadonlySet<string> | undefined {
  const whole = wholeValues(aggregates, key)
  return whole.length === 0 ? undefined : new Set(whole.flatMap((value) => value.split(',').map(trimBlanks)))
}

/** The values of a metadata key in all aggregates of a host, as operators wrote them. */
export function wholeValues(aggregates: Aggregated['aggregates'], key: string): readonly string[] {
  // Keys come from operators. The key `constructor` must not match an inherited member.
  return aggregates.flatMap(({ metadata }) => (Object.hasOwn(metadata, key) ? (metadata[key] ?? []) : []))
}

/** Text for the source of a reason. It names the host's aggregates that have the metadata key: `aggregate <names> <key>`. */
export function aggregatesWith({ aggregates }: Aggregated, key: string): string {
  const names = aggregates.filter(({ metadata }) => Object.hasOwn(metadata, key)).map(({ name }) => name)
  return names.length === 0 ? `aggregates, ${key}` : `aggregate ${names.join(', ')} ${key}`
}

export interface FromAggregates {
  readonly value: number
  /** The aggregate that has the value, as `aggregate <name> <key>`. Undefined if the value is `option`. */
  readonly source: string | undefined
}

/**
 * The lowest integer in the host's aggregates for the metadata key. Returns `option` if no aggregate has the key or a value is no integer.
 */
export const minInt = (host: Aggregated, key: string, option: number): FromAggregates => least(host, key, option, readInt)

/** Like minInt, but for numbers with or without a fraction. */
export const minFloat = (host: Aggregated, key: string, option: number): FromAggregates => least(host, key, option, readFloat)

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
