import { atOnce, isStorable, type Steps } from '@gantt/scheduler-core'
import { callSize } from '../../services/calls/json-size.ts'

/** A JSON value may be nested this deep. */
export const MAX_JSON_DEPTH = 32

/** The check yields after this many values. */
const VALUES_AT_ONCE = 5_000

/**
 * The results for the objects and lists that were checked. The values of variables are coerced up to three times (by the executor, and to
 * describe errors), and a large value is checked in steps before. Nothing changes a value after it was parsed from the body.
 */
const results = new WeakMap<object, boolean>()

/** `isSafeJsonInSteps` without yielding. */
export const isSafeJson = (root: unknown): boolean => atOnce(isSafeJsonInSteps(root))

/**
 * True if a JSON value has only safe numbers and storable texts, has no key `__proto__`, and is neither nested too deep nor too large. A
 * loop is used, because with recursion a deeply nested document would exhaust the stack. A value that is contained several times is counted
 * and visited each time, so the loop ends where a limit is exceeded. Yields after VALUES_AT_ONCE values, because a call can have a quarter
 * of a million values.
 */
export function* isSafeJsonInSteps(root: unknown): Steps<boolean> {
  if (typeof root !== 'object' || root === null) return yield* visit(root)
  const known = results.get(root)
  if (known !== undefined) return known
  const isSafe = yield* visit(root)
  results.set(root, isSafe)
  return isSafe
}

function* visit(root: unknown): Steps<boolean> {
  if (!isSafeScalar(root)) return false
  let values = 0
  let characters = typeof root === 'string' ? root.length : 0
  let visited = 0
  const waiting: Container[] = isContainer(root) ? [{ value: root, depth: 0 }] : []
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, depth } = next
    if (depth >= MAX_JSON_DEPTH || Object.hasOwn(value, '__proto__')) return false
    const keys = Array.isArray(value) ? [] : Object.keys(value)
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    values += inner.length
    for (const key of keys) characters += key.length
    if (values > callSize.values || characters > callSize.characters || !keys.every(isStorable)) return false
    for (const one of inner) {
      if (++visited % VALUES_AT_ONCE === 0) yield
      if (typeof one === 'string') characters += one.length
      if (characters > callSize.characters || !isSafeScalar(one)) return false
      // scalars are checked here, so that a quarter of a million of them does not need as many objects
      if (isContainer(one)) waiting.push({ value: one, depth: depth + 1 })
    }
  }
  return characters <= callSize.characters
}

/** A list or an object, and how deep it is nested. */
interface Container {
  readonly value: object
  readonly depth: number
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** True for values that are neither unsafe numbers nor texts that cannot be stored. */
function isSafeScalar(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  // above 2^53 - 1, the received number can differ from the number that was sent
  return typeof value !== 'number' || (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
}
