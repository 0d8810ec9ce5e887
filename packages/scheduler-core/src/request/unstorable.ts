import type { Problem } from '../text/problem.ts'
import { isStorable } from '../values/storable.ts'

/**
 * Inputs may be nested at most this deep. All meaningful documents are less deep, and recursive code does not exhaust the stack at this
 * depth.
 */
const MAX_DEPTH = 64

/** A problem that zod schemas do not report: text that cannot be stored, the key `__proto__`, or too deep nesting. */
export interface Oddity {
  readonly kind: 'text' | 'key' | 'depth'
  readonly path: readonly string[]
  readonly expected: string
  readonly found: unknown
}

interface Spot {
  readonly value: unknown
  readonly key: string
  readonly parent: Spot | undefined
  readonly depth: number
}

/**
 * Finds the values of an input that could not be stored unchanged: text with NUL or half a surrogate pair (PostgreSQL refuses both), the
 * key `__proto__`, and the first value that is nested too deep. The search is a loop and not a recursion, because a recursion could exhaust
 * the stack.
 */
export function findOddities(root: unknown, most: number): Oddity[] {
  const found: Oddity[] = []
  const spots: Spot[] = [{ value: root, key: '', parent: undefined, depth: 0 }]
  while (spots.length > 0 && found.length < most) {
    const spot = spots.pop() as Spot
    const { value, depth } = spot
    if (typeof value === 'string') {
      if (!isStorable(value))
        found.push({ kind: 'text', path: pathOf(spot), expected: 'be text without NUL and halves of surrogate pairs', found: value })
      continue
    }
    if (value === null || typeof value !== 'object') continue
    if (depth >= MAX_DEPTH) {
      found.push({ kind: 'depth', path: pathOf(spot).slice(0, 8), expected: `be nested at most ${MAX_DEPTH} deep`, found: value })
      return found
    }
    const isList = Array.isArray(value)
    for (const key of Object.keys(value).reverse()) {
      const item = (value as Readonly<Record<string, unknown>>)[key]
      // Numbers in a list need no check. They are skipped early, because most values of a report are such numbers.
      if (isList && typeof item !== 'string' && typeof item !== 'object') continue
      const inner: Spot = { value: item, key, parent: spot, depth: depth + 1 }
      if (key === '__proto__') found.push({ kind: 'key', path: pathOf(inner), expected: '', found: key })
      else if (!isStorable(key))
        found.push({ kind: 'text', path: pathOf(inner), expected: 'have a key without NUL and halves of surrogate pairs', found: key })
      spots.push(inner)
    }
  }
  return found
}

function pathOf(spot: Spot): Problem['path'] {
  const path: string[] = []
  for (let at: Spot | undefined = spot; at?.parent !== undefined; at = at.parent) path.push(at.key)
  return path.reverse()
}
