import { gibPair, mibPair } from './format.ts'

/** One resource class of a host, as the API tells it. */
export interface Usage {
  readonly resourceClass: string
  readonly total: number
  readonly reserved: number
  readonly allocationRatio: number
  readonly capacity: number
  readonly used: number
  readonly claimed: number
  readonly free: number
}

/** Selects a Usage. */
export const USAGE = 'resourceClass total reserved allocationRatio capacity used claimed free'

/** Who says a ratio or a reserved amount. */
export interface Origin {
  readonly source: string
  readonly by: string | null
  readonly at: string | null
  readonly reason: string | null
  readonly aggregate: { readonly name: string } | null
  readonly release: string | null
}

export interface OriginedUsage extends Usage {
  readonly ratioFrom: Origin
  readonly reservedFrom: Origin
}

const FROM = '{ source by at reason aggregate { name } release }'
/** Selects who says ratio and reserved amount of a Usage. */
export const ORIGIN = `ratioFrom ${FROM} reservedFrom ${FROM}`

/** Who says it, who set that, and when. */
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
      return 'nobody'
  }
}

/** What can still be given of what may be given in all, overcommit included; "-" where the host has none. */
export function freeOf(capacity: readonly Usage[], resourceClass: string): string {
  const usage = capacity.find((each) => each.resourceClass === resourceClass)
  if (usage === undefined) return '-'
  if (resourceClass === 'MEMORY_MB') return mibPair(usage.free, usage.capacity)
  if (resourceClass === 'DISK_GB') return gibPair(usage.free, usage.capacity)
  return `${usage.free}/${usage.capacity}`
}
