/** Objects that are nested deeper are not searched. A request that has them is refused for its depth. */
const MAX_DEPTH = 64

interface Spot {
  readonly value: object
  readonly path: readonly string[]
}

/** Finds an object of a request that has more than `most` keys. Lists are searched, and a document of Nova is not. */
export function findWideObject(root: unknown, most: number): Spot | undefined {
  const spots: Spot[] = []
  // each object is searched once, because the input can have a cycle
  const found = new Set<object>()
  const add = (value: unknown, path: readonly string[]): void => {
    const isDocument = path.length === 1 && path[0] === 'nova'
    if (typeof value !== 'object' || value === null || isDocument || found.has(value)) return
    found.add(value)
    spots.push({ value, path })
  }
  add(root, [])
  for (let spot = spots.pop(); spot !== undefined; spot = spots.pop()) {
    const { value, path } = spot
    if (path.length > MAX_DEPTH) continue
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) if (typeof item === 'object') add(item, [...path, String(i)])
      continue
    }
    const members = Object.entries(value)
    if (members.length > most) return spot
    for (const [key, member] of members) if (typeof member === 'object') add(member, [...path, key])
  }
  return undefined
}
