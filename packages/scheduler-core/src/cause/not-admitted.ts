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
 * leaves no host is listed first, followed by the conditions with the most hosts.
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

/** For a request that admits no host: the conditions for which hosts are counted, and the hosts that are checked for these conditions. */
export interface Asked {
  /**
   * If the request names no places (hosts, zones and aggregates): all conditions. If some hosts are in all the places that the request
   * names: the conditions that are not about places. Otherwise: the conditions about places.
   */
  readonly things: readonly Condition[]
  readonly hosts: readonly HostIndex[]
  /** Set if some hosts match all hosts, zones and aggregates that the request names. Null if no host does, or if the request names none. */
  readonly within: Within | null
}

/** Describes the hosts, zones and aggregates that a request names, with the count of hosts that match all of them. */
export interface Within {
  readonly which: readonly string[]
  readonly hosts: number
}

/**
 * Determines for which conditions hosts are counted, and which hosts are checked. If some hosts match all hosts, zones and aggregates that
 * the request names, only these hosts influence the result.
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

/** The single conditions of all filters. If a filter has only one condition, the filter's combined condition is used. */
const thingsOf = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.filter((one) => one.isSingle || !conditions.some((other) => other.isSingle && other.filter === one.filter))

/** Counts the hosts that meet the condition of each filter alone, and each of its single conditions alone. */
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

/** At most this many pairs of conditions that exclude each other are listed. */
const PAIRS = 3

/**
 * Sets of conditions of a request that exclude each other, as texts. Some hosts meet each condition, but no host meets all conditions of a
 * set.
 */
export type Exclusive = readonly (readonly string[])[]

/**
 * Finds the first three pairs of conditions that exclude each other. If there are no such pairs, finds one larger set in which every
 * condition is needed: if any of them were removed, some host would meet the rest. The result is empty if there is a condition that no host
 * meets, because that condition alone is then the cause. The result is also empty for at most two conditions, or if the only set has all
 * conditions of the request, because it then suffices to state how many hosts meet each condition.
 */
export function* exclusiveOf(conditions: readonly Condition[], asked: Asked): Steps<Exclusive> {
  if (thingsOf(conditions).length < 3) return []
  const things = thingsOf(asked.things)
  const having: Having[] = []
  for (const thing of things) having.push({ which: thing.which, hosts: new Set(yield* letInBy(thing, asked.hosts)) })
  // a host can meet every single condition and fail a combination of them
  if (having.some(({ hosts }) => hosts.size === 0) || !haveNone(having)) return []
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

/** The first pairs of conditions that exclude each other. */
function* pairsOf(having: readonly Having[]): Steps<readonly (readonly string[])[]> {
  const pairs: (readonly string[])[] = []
  for (const [i, one] of having.entries())
    for (const other of having.slice(i + 1)) {
      yield
      if (pairs.length < PAIRS && haveNone([one, other])) pairs.push([one.which, other.which])
    }
  return pairs
}
