import type { PoolState } from './pool.ts'

/** The name of a pool without its NUMA cell. It is equal for pools with devices that differ only in their cell. */
export const sortOf = (pool: string): string => pool.replace(/@\d+(?=\?|$)/, '')

const namesOf = (pool: string): readonly string[] => (pool.split(/[@?]/, 1)[0] as string).toLowerCase().split(':')

export const vendorOf = (pool: string): string => namesOf(pool)[0] ?? ''

/** The vendor and product of a pool's devices, in lower case. */
export const productOf = (pool: string): string => namesOf(pool).slice(0, 2).join(':')

/** Whether the devices of two pools have the same vendor and product. The names are compared like those in requests. */
export function isOfProduct(a: string, b: string): boolean {
  const [vendor, product] = namesOf(a)
  const [otherVendor, otherProduct] = namesOf(b)
  return vendor === otherVendor && product === otherProduct
}

/** How different the devices of two pools are: 0 for the same sort, 1 for the same product, 2 for the same vendor, 3 otherwise. */
function unlikeness(a: string, b: string): number {
  if (sortOf(a) === sortOf(b)) return 0
  if (isOfProduct(a, b)) return 1
  return namesOf(a)[0] === namesOf(b)[0] ? 2 : 3
}

/** The pools of a host that may contain the devices of a given pool, most similar first, and equally similar ones in their order. */
export const likestFirst = (list: readonly PoolState[], pool: string): readonly PoolState[] =>
  list
    .map((one) => ({ one, by: one.key === pool ? -1 : unlikeness(one.key, pool) }))
    .sort((a, b) => a.by - b.by)
    .map(({ one }) => one)

/** The pools of the list that are most similar to a given pool. */
export function likestOf(list: readonly PoolState[], pool: string): readonly PoolState[] {
  const [first] = likestFirst(list, pool)
  return first === undefined ? [] : list.filter(({ key }) => unlikeness(key, pool) === unlikeness(first.key, pool))
}
