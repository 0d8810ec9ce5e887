import type { NumaCellRequest, RequestSpec } from '../../request/request-spec.ts'
import type { Refusal } from './remedy.ts'

/** Whether a cell of the guest has its memory in pages of which each counts. */
export const hasPages = ({ numaTopology }: RequestSpec): boolean => (numaTopology?.cells ?? []).some(isPaged)

export const isPaged = ({ pageSize }: NumaCellRequest): boolean => pageSize !== null && pageSize !== 'small'

/**
 * How far apart sizes of the guest's cells are, in MiB, that are whole pages of the sizes it states; where it leaves the size to the host, one
 * for each size that the host has.
 */
export function pageSteps({ fleet, host, request }: Pick<Refusal, 'fleet' | 'host' | 'request'>): readonly number[] {
  const wishes = (request.numaTopology?.cells ?? []).map(({ pageSize }) => pageSize)
  const stated = wishes.flatMap((wish) => (typeof wish === 'number' ? [mibOf(wish)] : [])).reduce(leastCommon, 1)
  if (!wishes.some((wish) => wish === 'large' || wish === 'any')) return [stated]
  const sizes = fleet.hosts.get(host).stats.numaCells.flatMap(({ pages }) => pages.map(({ sizeKib }) => sizeKib))
  return [...new Set(sizes.map((sizeKib) => leastCommon(stated, mibOf(sizeKib))))]
}

const KIB_PER_MIB = 1_024

/** The least number of MiB that is whole pages. */
const mibOf = (sizeKib: number): number => sizeKib / greatestCommon(sizeKib, KIB_PER_MIB)

const greatestCommon = (one: number, other: number): number => (other === 0 ? one : greatestCommon(other, one % other))

const leastCommon = (one: number, other: number): number => (one / greatestCommon(one, other)) * other
