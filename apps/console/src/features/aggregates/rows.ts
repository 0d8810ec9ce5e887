import { toCsv } from '../../lib/csv.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import type { LIST } from './documents.ts'

export type AggregateRow = ResultOf<typeof LIST>['aggregates']['nodes'][number]

/** Metadata in one line. */
export const textOfPairs = (pairs: AggregateRow['metadata']): string => pairs.map(({ key, value }) => `${key}=${value}`).join('  ')

/** Rows under a heading, safe to open as a sheet. */
export const csvOf = (rows: readonly AggregateRow[]): string =>
  toCsv(
    ['uuid', 'name', 'availabilityZone', 'hosts', 'metadata', 'version', 'updatedAt'],
    rows.map(({ uuid, name, availabilityZone, hostCount, metadata, version, updatedAt }) => [
      uuid,
      name,
      availabilityZone,
      hostCount,
      textOfPairs(metadata),
      version,
      updatedAt,
    ]),
  )
