import type { RowField } from '../../lib/csv.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import type { LIST } from './documents.ts'

export type AggregateRow = ResultOf<typeof LIST>['aggregates']['nodes'][number]

/** Metadata in one line. */
export const textOfPairs = (pairs: AggregateRow['metadata']): string => pairs.map(({ key, value }) => `${key}=${value}`).join('  ')

/** What a copy has of each aggregate. */
export const aggregateFieldsCopied: readonly RowField<AggregateRow>[] = [
  ['uuid', ({ uuid }) => uuid],
  ['name', ({ name }) => name, 'name'],
  ['availabilityZone', ({ availabilityZone }) => availabilityZone, 'az'],
  ['hosts', ({ hostCount }) => hostCount, 'hosts'],
  ['metadata', ({ metadata }) => textOfPairs(metadata), 'metadata'],
  ['version', ({ version }) => version, 'version'],
  ['updatedAt', ({ updatedAt }) => updatedAt, 'updated'],
]
