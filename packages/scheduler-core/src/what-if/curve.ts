import type { Simulated } from './simulate.ts'
import { type ClassUse, fleetUseOf } from './utilisation.ts'

/** The totals of a simulation after one of its decisions. */
export interface CurvePoint {
  /** How many instances have been requested up to this point. */
  readonly asked: number
  /** How many of the requested instances have been placed up to this point. */
  readonly placed: number
  /** The usage of the whole fleet at this point, by resource class. */
  readonly usage: readonly ClassUse[]
}

/**
 * The progress of a simulation as points: before the first decision, after decisions at equal intervals, and after the last decision. There
 * are at most `most` points, and `most` must be 2 or more. One more point is added before the first decision that found no host, because
 * the curve bends there. The points are computed from the decisions without reading the fleet.
 */
export function curveOf(
  { decisions, proposals, before }: Pick<Simulated, 'decisions' | 'proposals' | 'before'>,
  most: number,
): CurvePoint[] {
  const shownAt = pointsOf(decisions, most)
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
    if (shownAt.has(i)) points.push(point())
  }
  return points
}

/** The indexes of the decisions after which the curve has a point. */
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
