import type { NumaCellRequest, RequestSpec } from '../../../request/request-spec.ts'
import type { NumberRange, Refusal } from './remedy.ts'

/** True if the memory of a guest cell must be a multiple of a page size. */
export const hasPages = ({ numaTopology }: RequestSpec): boolean => (numaTopology?.cells ?? []).some(isPaged)

export const isPaged = ({ pageSize }: NumaCellRequest): boolean => pageSize !== null && pageSize !== 'small'

/**
 * The steps by which the memory of a guest cell can change, in MiB. If the guest requests a page size, there is one step. If the guest
 * requests `large` or `any`, there is one step for each page size of the host.
 */
export function pageSteps({ fleet, host, request }: Pick<Refusal, 'fleet' | 'host' | 'request'>): readonly number[] {
  const wishes = (request.numaTopology?.cells ?? []).map(({ pageSize }) => pageSize)
  const stated = wishes.flatMap((wish) => (typeof wish === 'number' ? [mibOf(wish)] : [])).reduce(smallestCommon, 1)
  if (!wishes.some((wish) => wish === 'large' || wish === 'any')) return [stated]
  const sizes = fleet.hosts.get(host).stats.numaCells.flatMap(({ pages }) => pages.map(({ sizeKib }) => sizeKib))
  return [...new Set(sizes.map((sizeKib) => smallestCommon(stated, mibOf(sizeKib))))]
}

/**
 * If the guest requests `large` or `any` pages: the sizes that its cells can have, as one range for each page size in the fleet, because
 * instances can be on hosts with different page sizes. Undefined for all other guests, because their step is the same on every host.
 */
export function pageRanges({ fleet, request }: Pick<Refusal, 'fleet' | 'request'>): readonly NumberRange[] | undefined {
  const wishes = (request.numaTopology?.cells ?? []).map(({ pageSize }) => pageSize)
  const open = wishes.filter((wish) => wish === 'large' || wish === 'any')
  if (open.length === 0) return undefined
  const stated = wishes.flatMap((wish) => (typeof wish === 'number' ? [mibOf(wish)] : [])).reduce(smallestCommon, 1)
  const sizes = new Set<number>()
  for (const { stats } of fleet.hosts.present)
    for (const { pages } of stats.numaCells)
      for (const { sizeKib } of pages) if (sizeKib > SMALL_KIB || open.includes('any')) sizes.add(sizeKib)
  const steps = new Set([...sizes].map((sizeKib) => smallestCommon(stated, mibOf(sizeKib))))
  return steps.size === 0 ? undefined : [...steps].map((step) => ({ step, least: step }))
}

const SMALL_KIB = 4
const KIB_PER_MIB = 1_024

/** The smallest whole count of MiB that is a multiple of the page size. */
const mibOf = (sizeKib: number): number => sizeKib / greatestCommon(sizeKib, KIB_PER_MIB)

const greatestCommon = (one: number, other: number): number => (other === 0 ? one : greatestCommon(other, one % other))

export const smallestCommon = (one: number, other: number): number => (one / greatestCommon(one, other)) * other
