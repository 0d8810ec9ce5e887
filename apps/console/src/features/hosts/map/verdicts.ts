import { type Matrix, PASSES_ALL } from '../../../lib/explanation.ts'
import type { FleetStore } from '../fleet-store.ts'
import { keyOf } from '../host-row.ts'

/** Hosts with the same verdict. */
export interface VerdictGroup {
  /** The name of the group in URLs. */
  readonly key: string
  readonly label: string
  /**
   * How many hosts have the verdict in the decision's funnel. For the group of hosts that the decision did not know: how many are in the
   * fleet.
   */
  readonly count: number
  /** How many of the group's hosts are in the fleet now. */
  readonly here: number
  readonly hasPassed: boolean
}

/** The verdicts of one decision on all hosts that are in the fleet. */
export interface Verdicts {
  /** The chosen host, the hosts that passed, one group for each filter that refused hosts, and the hosts that the decision did not know. */
  readonly groups: readonly VerdictGroup[]
  /** The index in `groups` of the group of the host with this ordinal. */
  of(ordinal: number): number
  /** The index in `groups` of the group of the host with this name, which is `host` or `host/node`. */
  ofName(name: string): number
}

/** Assigns every host to a group. `pickedRank` is the rank of the chosen host, or 0 if no host was chosen. */
export function readVerdicts(store: FleetStore, matrix: Matrix, pickedRank: number): Verdicts {
  const refusals = new Uint32Array(matrix.filters.length)
  let passed = 0
  for (let host = 0; host < matrix.hostCount; host++) {
    const first = matrix.firstFailing[host] ?? PASSES_ALL
    if (first === PASSES_ALL) passed++
    else refusals[first] = (refusals[first] ?? 0) + 1
  }
  const kinds = [
    ...(pickedRank > 0 ? [{ key: 'chosen', label: 'chosen', count: 1, hasPassed: true }] : []),
    { key: 'passed', label: 'passed', count: passed, hasPassed: true },
    ...matrix.filters
      .map((name, i) => ({ key: `refused:${name}`, label: `${name} refused`, count: refusals[i] ?? 0, hasPassed: false }))
      .filter(({ count }) => count > 0),
    { key: 'unknown', label: 'not considered', count: 0, hasPassed: false },
  ]
  const indexOfKind = (key: string): number => kinds.findIndex((kind) => kind.key === key)
  const places = { passed: indexOfKind('passed'), unknown: indexOfKind('unknown') }
  const byFilter = matrix.filters.map((name) => indexOfKind(`refused:${name}`))
  const groupOf = (host: number): number => {
    const first = matrix.firstFailing[host] ?? PASSES_ALL
    if (first !== PASSES_ALL) return byFilter[first] ?? places.unknown
    return pickedRank > 0 && matrix.rank[host] === pickedRank ? indexOfKind('chosen') : places.passed
  }

  const byName = new Map(Array.from({ length: matrix.hostCount }, (_, host) => [matrix.nameOf(host), groupOf(host)]))
  const ofName = (name: string): number => byName.get(name) ?? places.unknown
  const nameOf = (ordinal: number): string => keyOf({ host: store.nameOf(ordinal), node: store.nodeOf(ordinal) })
  const codes = new Map(Array.from(store.ordinals, (ordinal) => [ordinal, ofName(nameOf(ordinal))]))
  const here = new Uint32Array(kinds.length)
  for (const index of codes.values()) here[index] = (here[index] ?? 0) + 1
  const hereOf = (key: string, index: number): number =>
    // the chosen host passed too, so it is also counted in the group "passed", as in the funnel
    (here[index] ?? 0) + (key === 'passed' && pickedRank > 0 ? (here[indexOfKind('chosen')] ?? 0) : 0)
  const groups = kinds.map((kind, index) => {
    const there = hereOf(kind.key, index)
    return { ...kind, here: there, count: kind.key === 'unknown' ? there : kind.count }
  })
  return { groups, of: (ordinal) => codes.get(ordinal) ?? places.unknown, ofName }
}

/** The hosts with a verdict, in the order of `order`. The chosen host is also among the hosts that passed. Empty for an unknown verdict. */
export function ofVerdict(order: Uint32Array, { groups, of }: Verdicts, key: string): Uint32Array {
  return order.filter((ordinal) => {
    const group = groups[of(ordinal)]
    return group !== undefined && (key === 'passed' ? group.hasPassed : group.key === key)
  })
}
