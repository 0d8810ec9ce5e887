import type { Simulated } from './simulate.ts'
import { type ClassUse, fleetUseOf } from './utilisation.ts'

/** Where a simulation stood after some of its decisions. */
export interface CurvePoint {
  /** Instances that were asked for by then. */
  readonly asked: number
  /** Of these, the ones that found a host. */
  readonly placed: number
  /** The whole fleet then, class by class. */
  readonly usage: readonly ClassUse[]
}

/**
 * How a simulation went: where it stood before the first decision, after decisions that are evenly apart, and after the last. These are at
 * most `most` points, which must be 2 or more; one more stands where the first request found no host, for there the line bends. What was
 * placed is added up, and the fleet is not looked at: it costs as much as there are placements.
 */
export function curveOf(
  { decisions, proposals, before }: Pick<Simulated, 'decisions' | 'proposals' | 'before'>,
  most: number,
): CurvePoint[] {
  const told = pointsOf(decisions, most)
  const start = fleetUseOf(before)
  const taken = new Map<string, number>()
  let asked = 0
  let placed = 0
  let held = 0
  const point = (): CurvePoint => ({ asked, placed, usage: start.map((use) => withMore(use, taken.get(use.resourceClass) ?? 0)) })
  const points = [point()]
  for (const [i, decision] of decisions.entries()) {
    asked += decision.asked
    placed += decision.decided.parts.length
    if (decision.decided.parts.length > 0) {
      for (const { grants } of proposals[held]?.parts ?? [])
        for (const [name, amount] of Object.entries(grants.classes ?? {})) taken.set(name, (taken.get(name) ?? 0) + amount)
      held++
    }
    if (told.has(i)) points.push(point())
  }
  return points
}

/** Positions of the decisions after which there is a point. */
function pointsOf(decisions: Simulated['decisions'], most: number): ReadonlySet<number> {
  const count = Math.min(decisions.length, most - 1)
  const even = Array.from({ length: count }, (_, i) => Math.ceil(((i + 1) * decisions.length) / count) - 1)
  const bend = decisions.findIndex(({ outcome }) => outcome === 'NO_VALID_HOST') - 1
  return new Set(bend < 0 ? even : [...even, bend])
}

const withMore = ({ resourceClass, capacity, used, claimed, free }: ClassUse, more: number): ClassUse => ({
  resourceClass,
  capacity,
  used: used + more,
  claimed: claimed + more,
  free: free - more,
})
