import { graphql, type ResultOf } from '@gantt/client'
import { gibPair, mibPair } from '../../output/format.ts'

/** The selection of a Usage. */
export const USAGE = graphql(`fragment Usage on ResourceUsage { resourceClass total reserved allocationRatio capacity used claimed free }`)

/** One resource class of a host. */
export type Usage = ResultOf<typeof USAGE>

const FROM = graphql(`fragment OriginParts on AllocationOrigin { source by at reason aggregate { name } release }`)

/** The selection of the sources of the ratio and the reserved amount of a Usage. */
export const ORIGIN = graphql(`fragment Origins on ResourceUsage { ratioFrom { ...OriginParts } reservedFrom { ...OriginParts } }`, [FROM])

/** The source of a ratio or of a reserved amount. */
export type Origin = ResultOf<typeof FROM>

export type OriginedUsage = Usage & ResultOf<typeof ORIGIN>

/** The source, who set the value, and when. */
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

/** "free/capacity" of a class, overcommit included; "-" if the host does not have the class. */
export function freeOf(capacity: readonly Usage[], resourceClass: string): string {
  const usage = capacity.find((each) => each.resourceClass === resourceClass)
  if (usage === undefined) return '-'
  if (resourceClass === 'MEMORY_MB') return mibPair(usage.free, usage.capacity)
  if (resourceClass === 'DISK_GB') return gibPair(usage.free, usage.capacity)
  return `${usage.free}/${usage.capacity}`
}
