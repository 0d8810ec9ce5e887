import type { PoolState } from './pool.ts'

/** The sort of a pool's devices: the name of the pool without its NUMA cell. */
export const sortOf = (pool: string): string => pool.replace(/@\d+(?=\?|$)/, '')

const namesOf = (pool: string): readonly string[] => (pool.split(/[@?]/, 1)[0] as string).toLowerCase().split(':')

export const vendorOf = (pool: string): string => namesOf(pool)[0] ?? ''

/** The vendor and product of a pool's devices, in lower case. */
export const productOf = (pool: string): string => namesOf(pool).slice(0, 2).join(':')

/** True if the devices of two pools have the same vendor and product. Upper and lower case are treated as equal, as in requests. */
export function isOfProduct(a: string, b: string): boolean {
  const [vendor, product] = namesOf(a)
  const [otherVendor, otherProduct] = namesOf(b)
  return vendor === otherVendor && product === otherProduct
}

/** How different the devices of two pools are: 0 for the same sort, 1 for the same product, 2 for the same vendor, 3 for other vendors. */
function unlikeness(a: string, b: string): number {
  if (sortOf(a) === sortOf(b)) return 0
  if (isOfProduct(a, b)) return 1
  return namesOf(a)[0] === namesOf(b)[0] ? 2 : 3
}

/** All pools of the list, sorted by the similarity of their devices to the devices of `pool`, most similar first. */
export const likestFirst = (list: readonly PoolState[], pool: string): readonly PoolState[] =>
  list
    .map((one) => ({ one, by: one.key === pool ? -1 : unlikeness(one.key, pool) }))
    .sort((a, b) => a.by - b.by)
    .map(({ one }) => one)

/** The pools of the list whose devices are most similar to the devices of `pool`. Several if they are equally similar. */
export function likestOf(list: readonly PoolState[], pool: string): readonly PoolState[] {
  const [first] = likestFirst(list, pool)
  return first === undefined ? [] : list.filter(({ key }) => unlikeness(key, pool) === unlikeness(first.key, pool))
}
