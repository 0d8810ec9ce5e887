import type { PoolState } from './pool.ts'

/** Pools that differ in nothing but their NUMA cell hold devices that serve alike. */
export const sortOf = (pool: string): string => pool.replace(/@\d+(?=\?|$)/, '')

const namesOf = (pool: string): readonly string[] => (pool.split(/[@?]/, 1)[0] as string).toLowerCase().split(':')

export const vendorOf = (pool: string): string => namesOf(pool)[0] ?? ''

/** The vendor and product of a pool's devices, in small letters. */
export const productOf = (pool: string): string => namesOf(pool).slice(0, 2).join(':')

/** Whether the devices of two pools are of one vendor and product; names of pools are compared as requests are with them. */
export function isOfProduct(a: string, b: string): boolean {
  const [vendor, product] = namesOf(a)
  const [otherVendor, otherProduct] = namesOf(b)
  return vendor === otherVendor && product === otherProduct
}

/** How unlike the devices of two pools are: 0 of one sort, 1 of one product, 2 of one vendor, 3 none of these. */
function unlikeness(a: string, b: string): number {
  if (sortOf(a) === sortOf(b)) return 0
  if (isOfProduct(a, b)) return 1
  return namesOf(a)[0] === namesOf(b)[0] ? 2 : 3
}

/** The pools of a host that may be the devices of one, the likest first, and otherwise in their order. */
export const likestFirst = (list: readonly PoolState[], pool: string): readonly PoolState[] =>
  list
    .map((one) => ({ one, by: one.key === pool ? -1 : unlikeness(one.key, pool) }))
    .sort((a, b) => a.by - b.by)
    .map(({ one }) => one)

/** Of these the likest ones. */
export function likestOf(list: readonly PoolState[], pool: string): readonly PoolState[] {
  const [first] = likestFirst(list, pool)
  return first === undefined ? [] : list.filter(({ key }) => unlikeness(key, pool) === unlikeness(first.key, pool))
}
