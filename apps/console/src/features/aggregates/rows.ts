import type { RowField } from '../../lib/csv.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import type { LIST } from './documents.ts'

export type AggregateRow = ResultOf<typeof LIST>['aggregates']['nodes'][number]

/** Formats metadata in one line. */
export const textOfPairs = (pairs: AggregateRow['metadata']): string => pairs.map(({ key, value }) => `${key}=${value}`).join('  ')

/** The fields of an aggregate that are copied as CSV or JSON. */
export const aggregateFieldsCopied: readonly RowField<AggregateRow>[] = [
  ['uuid', ({ uuid }) => uuid],
  ['name', ({ name }) => name, 'name'],
  ['availabilityZone', ({ availabilityZone }) => availabilityZone, 'az'],
  ['hosts', ({ hostCount }) => hostCount, 'hosts'],
  ['metadata', ({ metadata }) => textOfPairs(metadata), 'metadata'],
  ['version', ({ version }) => version, 'version'],
  ['updatedAt', ({ updatedAt }) => updatedAt, 'updated'],
]

interface Flavor {
  readonly extraSpecs: readonly { readonly key: string }[]
}

/** How many flavors have this metadata key as an extra spec, with or without a scope in front of the key. */
export const countNaming = (flavors: readonly Flavor[], key: string): number =>
  flavors.filter(({ extraSpecs }) => extraSpecs.some((spec) => spec.key === key || spec.key.endsWith(`:${key}`))).length
