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

/** What can still be given of what may be given in all, overcommit included; "-" where the host has none. */
export function freeOf(capacity: readonly Usage[], resourceClass: string): string {
  const usage = capacity.find((each) => each.resourceClass === resourceClass)
  if (usage === undefined) return '-'
  if (resourceClass === 'MEMORY_MB') return mibPair(usage.free, usage.capacity)
  if (resourceClass === 'DISK_GB') return gibPair(usage.free, usage.capacity)
  return `${usage.free}/${usage.capacity}`
}
