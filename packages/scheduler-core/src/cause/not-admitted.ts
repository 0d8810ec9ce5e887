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

/** Things that a request asks for which no host has together, though hosts have each. */
export interface Exclusive {
  /** The places whose hosts are meant, where it is only of these that none has them together. */
  readonly within: readonly string[]
  readonly sets: readonly (readonly string[])[]
}

export const NOTHING_EXCLUSIVE: Exclusive = { within: [], sets: [] }

/**
 * Each two of those that no host has both, else all of a smallest number. Where the request names places, one of these is among them, or they are
 * asked of the hosts of these places alone: what hosts elsewhere have changes nothing. Empty where no host has one of them, and where there are but
 * two, since the counts of each say as much.
 */
export function* exclusiveOf(conditions: readonly Condition[], present: readonly HostIndex[]): Steps<Exclusive> {
  const things = conditions.filter((one) => one.isSingle || !conditions.some((other) => other.isSingle && other.filter === one.filter))
  if (things.length < 3) return NOTHING_EXCLUSIVE
  const having: Having[] = []
  for (const thing of things) {
    const isPlace = thing.by === 'place' && !thing.isExclusion
    having.push({ which: thing.which, isPlace, hosts: new Set(yield* letInBy(thing, present)) })
  }
  if (having.some(({ hosts }) => hosts.size === 0)) return NOTHING_EXCLUSIVE
  const places = having.filter(({ isPlace }) => isPlace)
  const isSaid = (some: readonly Having[]): boolean => (places.length === 0 || some.some(({ isPlace }) => isPlace)) && haveNone(some)
  const pairs = yield* pairsOf(having, isSaid)
  if (pairs.length > 0) return { within: [], sets: pairs }
  const others = having.filter((one) => !one.isPlace && !haveNone([...places, one]))
  const inPlaces = places.length === 0 ? [] : yield* pairsOf(others, (pair) => haveNone([...places, ...pair]))
  if (inPlaces.length > 0) return { within: places.map(({ which }) => which), sets: inPlaces }
  let least = having
  for (const one of having) {
    yield
    const without = least.filter((other) => other !== one)
    if (isSaid(without)) least = without
  }
  return least.length < having.length ? { within: [], sets: [least.map(({ which }) => which)] } : NOTHING_EXCLUSIVE
}

interface Having {
  readonly which: string
  readonly isPlace: boolean
  readonly hosts: ReadonlySet<HostIndex>
}

function haveNone([first, ...others]: readonly Having[]): boolean {
  return first !== undefined && ![...first.hosts].some((host) => others.every(({ hosts }) => hosts.has(host)))
}

/** The first pairs that are so. */
function* pairsOf(having: readonly Having[], isSo: (pair: readonly Having[]) => boolean): Steps<readonly (readonly string[])[]> {
  const pairs: (readonly string[])[] = []
  for (const [i, one] of having.entries())
    for (const other of having.slice(i + 1)) {
      yield
      if (pairs.length < PAIRS && isSo([one, other])) pairs.push([one.which, other.which])
    }
  return pairs
}
