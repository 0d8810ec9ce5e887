import type { Code } from '../text/codes.ts'
import type { Reason, ReasonCount } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { Steps } from '../values/steps.ts'
import type { Admission } from './admission.ts'
import { type Condition, letInBy, placesFirst } from './admission.ts'

/** The generator yields after this many hosts. */
const SLICE = 128

/**
 * Counts the hosts that the request does not admit. Each host is counted for the first condition that it does not meet. The condition that
 * leaves no host comes first, then the conditions with the most hosts.
 */
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

/** The hosts on which the conditions of a request are counted, if the request admits no host. */
export interface Asked {
  /**
   * The counted conditions. If some hosts are in all the places that the request names, these are the conditions on those hosts. If the
   * places contradict each other, these are the places alone.
   */
  readonly things: readonly Condition[]
  readonly hosts: readonly HostIndex[]
  /**
   * The places that the request names, if some hosts are in all of them. All other conditions are then checked on these hosts only. Null if
   * the request names no places, or if no host is in all of them.
   */
  readonly within: Within | null
}

/** The places that a request names, and the number of hosts that are in all of them. */
export interface Within {
  readonly which: readonly string[]
  readonly hosts: number
}

/**
 * If the request names places, its conditions are checked only on the hosts in all of these places. Other hosts do not influence the
 * result.
 */
export function* askedOf(conditions: readonly Condition[], present: readonly HostIndex[]): Steps<Asked> {
  const places = thingsOf(conditions).filter(isPlace)
  if (places.length === 0) return { things: conditions, hosts: present, within: null }
  let hosts = present
  for (const place of places) hosts = yield* letInBy(place, hosts)
  if (hosts.length === 0) return { things: conditions.filter(isPlace), hosts: present, within: null }
  const within = { which: places.map(({ which }) => which), hosts: hosts.length }
  return { things: conditions.filter((one) => !isPlace(one)), hosts, within }
}

const isPlace = ({ by, isExclusion }: Condition): boolean => by === 'place' && !isExclusion

/** Each single condition of a filter. A filter with only one condition is listed as a whole. */
const thingsOf = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.filter((one) => one.isSingle || !conditions.some((other) => other.isSingle && other.filter === one.filter))

/** For each filter and each of its conditions, the number of these hosts that it passes on its own. */
export function* countAlone(conditions: readonly Condition[], { things, hosts }: Asked): Steps<Admission[]> {
  const isCounted = new Set(things)
  const found: Admission[] = []
  let each: { which: string; alone: number }[] = []
  for (const condition of conditions) {
    const { filter, which, isSingle } = condition
    const alone = isCounted.has(condition) ? (yield* letInBy(condition, hosts)).length : null
    if (!isSingle) {
      found.push({ filter, which, alone, each })
      each = []
    } else if (alone !== null) each.push({ which, alone })
  }
  return found
}

/** At most this many pairs of conditions that exclude each other are named. */
const PAIRS = 3

/**
 * Sets of conditions of a request that no host meets together, although some hosts meet each single condition: all pairs or, if there are
 * no such pairs, all smallest sets.
 */
export type Exclusive = readonly (readonly string[])[]

/**
 * Finds the pairs of conditions that no host meets together or, if there are none, the smallest such sets. The result is empty if no host
 * meets one of the conditions, because that condition alone is then the cause. It is also empty for at most two conditions, because the
 * counts of each condition are then enough.
 */
export function* exclusiveOf(conditions: readonly Condition[], asked: Asked): Steps<Exclusive> {
  if (thingsOf(conditions).length < 3) return []
  const things = thingsOf(asked.things)
  const having: Having[] = []
  for (const thing of things) having.push({ which: thing.which, hosts: new Set(yield* letInBy(thing, asked.hosts)) })
  if (having.some(({ hosts }) => hosts.size === 0)) return []
  const pairs = yield* pairsOf(having)
  if (pairs.length > 0) return pairs
  let least = having
  for (const one of having) {
    yield
    const without = least.filter((other) => other !== one)
    if (haveNone(without)) least = without
  }
  return least.length < thingsOf(conditions).length ? [least.map(({ which }) => which)] : []
}

interface Having {
  readonly which: string
  readonly hosts: ReadonlySet<HostIndex>
}

function haveNone([first, ...others]: readonly Having[]): boolean {
  return first !== undefined && ![...first.hosts].some((host) => others.every(({ hosts }) => hosts.has(host)))
}

/** The first pairs of conditions that no host meets together. */
function* pairsOf(having: readonly Having[]): Steps<readonly (readonly string[])[]> {
  const pairs: (readonly string[])[] = []
  for (const [i, one] of having.entries())
    for (const other of having.slice(i + 1)) {
      yield
      if (pairs.length < PAIRS && haveNone([one, other])) pairs.push([one.which, other.which])
    }
  return pairs
}
