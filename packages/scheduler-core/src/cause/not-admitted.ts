import type { Code } from '../codes.ts'
import type { Steps } from '../fleet/steps.ts'
import type { HostIndex } from '../host-index.ts'
import type { Reason, ReasonCount } from '../reason.ts'
import type { Admission } from './admission.ts'
import { type Condition, letInBy, placesFirst } from './admission.ts'

/** Hosts that are asked between two pauses. */
const SLICE = 128

/** Hosts that are not admitted, each counted for the first condition that does not let it in: that which leaves none first, then most hosts first. */
export function* notAdmitted(conditions: readonly Condition[], hosts: readonly HostIndex[], leavesNone: Code | null): Steps<ReasonCount[]> {
  const found = new Map<string, { filter: string; code: Code; hosts: number; example: Reason }>()
  let left = hosts
  for (const condition of placesFirst(conditions)) {
    const inside = new Set(yield* letInBy(condition, left))
    for (const [i, host] of left.entries()) {
      if (i % SLICE === SLICE - 1) yield
      if (inside.has(host)) continue
      const example = condition.reasonAt(host)
      const key = `${condition.filter} ${example.code}`
      const known = found.get(key)
      if (known === undefined) found.set(key, { filter: condition.filter, code: example.code, hosts: 1, example })
      else known.hosts++
    }
    left = [...inside]
  }
  const isFirst = ({ code }: ReasonCount): number => Number(code === leavesNone)
  return [...found.values()].sort((a, b) => isFirst(b) - isFirst(a) || b.hosts - a.hosts)
}

/** How many hosts each filter lets in by itself, and each thing that it asks for. */
export function* countAlone(conditions: readonly Condition[], present: readonly HostIndex[]): Steps<Admission[]> {
  const found: Admission[] = []
  let each: { which: string; alone: number }[] = []
  for (const condition of conditions) {
    const { filter, which, isSingle } = condition
    const alone = (yield* letInBy(condition, present)).length
    if (isSingle) each.push({ which, alone })
    else {
      found.push({ filter, which, alone, each })
      each = []
    }
  }
  return found
}

/** So many pairs of things that exclude each other are said. */
const PAIRS = 3

/**
 * Things that the request asks for of which hosts have each but none has all: each two of those that no host has both, else all of a smallest
 * number. Empty where no host has one of them, and where there are but two, since the counts of each say as much.
 */
export function* exclusiveOf(conditions: readonly Condition[], present: readonly HostIndex[]): Steps<readonly (readonly string[])[]> {
  const things = conditions.filter((one) => one.isSingle || !conditions.some((other) => other.isSingle && other.filter === one.filter))
  if (things.length < 3) return []
  const having: { readonly which: string; readonly hosts: ReadonlySet<HostIndex> }[] = []
  for (const thing of things) having.push({ which: thing.which, hosts: new Set(yield* letInBy(thing, present)) })
  if (having.some(({ hosts }) => hosts.size === 0)) return []
  const isOfNone = (some: typeof having): boolean => {
    const [first, ...others] = some
    return first !== undefined && ![...first.hosts].some((host) => others.every(({ hosts }) => hosts.has(host)))
  }
  const pairs: (readonly string[])[] = []
  for (const [i, one] of having.entries())
    for (const other of having.slice(i + 1)) {
      yield
      if (pairs.length < PAIRS && isOfNone([one, other])) pairs.push([one.which, other.which])
    }
  if (pairs.length > 0) return pairs
  let least = having
  for (const one of having) {
    yield
    const without = least.filter((other) => other !== one)
    if (isOfNone(without)) least = without
  }
  return least.length < having.length ? [least.map(({ which }) => which)] : []
}
