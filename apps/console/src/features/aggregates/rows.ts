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

interface Flavor {
  readonly extraSpecs: readonly { readonly key: string }[]
}

/** How many flavors name a key of metadata as an extra spec, with a scope before it or without. */
export const countNaming = (flavors: readonly Flavor[], key: string): number =>
  flavors.filter(({ extraSpecs }) => extraSpecs.some((spec) => spec.key === key || spec.key.endsWith(`:${key}`))).length
