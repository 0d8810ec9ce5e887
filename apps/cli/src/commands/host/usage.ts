import { graphql, type ResultOf } from '@gantt/client'
import { gibPair, mibPair } from '../../output/format.ts'

/** The GraphQL fields of a Usage. */
export const USAGE = graphql(`fragment Usage on ResourceUsage { resourceClass total reserved allocationRatio capacity used claimed free }`)

/** One resource class of a host. */
export type Usage = ResultOf<typeof USAGE>

const FROM = graphql(`fragment OriginParts on AllocationOrigin { source by at reason aggregate { name } release }`)

/** The GraphQL fields that show where the ratio and the reserved amount of a Usage were set. */
export const ORIGIN = graphql(`fragment Origins on ResourceUsage { ratioFrom { ...OriginParts } reservedFrom { ...OriginParts } }`, [FROM])

/** Where a ratio or a reserved amount was set. */
export type Origin = ResultOf<typeof FROM>

export type OriginedUsage = Usage & ResultOf<typeof ORIGIN>

/** Text about a value: where it was set, who set it, and when. */
export function originText({ source, by, at, reason, aggregate, release }: Origin): string {
  const set = [...(by === null ? [] : [`set by ${by}`]), ...(at === null ? [] : [at])].join(', ')
  const edit = set === '' ? '' : ` (${set}${reason === null ? '' : `: ${reason}`})`
  switch (source) {
    case 'HOST':
      return `this host${edit}`
    case 'AGGREGATE':
      return `aggregate ${aggregate?.name ?? '-'}${edit}`
    case 'FLEET':
      return `the fleet${edit}`
    case 'NOVA_DEFAULT':
      return `default of Nova ${release ?? '-'}${edit}`
    case 'REPORT':
      return 'its report'
    default:
      return 'no source'
  }
}

/** The free amount and the capacity of a class as "free/capacity", overcommit included. "-" if the host does not have the class. */
export function freeOf(capacity: readonly Usage[], resourceClass: string): string {
  const usage = capacity.find((each) => each.resourceClass === resourceClass)
  if (usage === undefined) return '-'
  if (resourceClass === 'MEMORY_MB') return mibPair(usage.free, usage.capacity)
  if (resourceClass === 'DISK_GB') return gibPair(usage.free, usage.capacity)
  return `${usage.free}/${usage.capacity}`
}
