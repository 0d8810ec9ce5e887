import type { Random } from '@gantt/scheduler-core'

/**
 * An external event of a simulation. Its parameters are small integers whose meaning depends on the state of the simulation. So a plan
 * stays valid when events are removed.
 */
export interface Action {
  /** Milliseconds since the simulation began. */
  readonly at: number
  readonly what: (typeof actions)[number]
  readonly a: number
  readonly b: number
  readonly c: number
}

/** The relative frequency of each kind of action. */
const weights = {
  place: 26,
  retry: 8,
  confirm: 8,
  extend: 3,
  release: 6,
  revoke: 1,
  abandon: 3,
  move: 8,
  settle: 8,
  inPlace: 8,
  report: 14,
  status: 3,
  aggregate: 4,
  liveness: 2,
  usedFrom: 1,
  hostAllocation: 2,
  fleetAllocation: 1,
  group: 3,
  membership: 3,
  look: 4,
  kill: 3,
  serverCrash: 2,
  cutOff: 3,
  cuts: 3,
  aborts: 2,
  stall: 3,
  slow: 2,
  deaf: 1,
  jump: 2,
  forget: 2,
  readmit: 3,
  replace: 2,
} as const

export const actions = Object.keys(weights) as (keyof typeof weights)[]

const LENGTH_MS = 150_000

export interface Plan {
  readonly seed: string
  readonly replicas: number
  readonly actions: readonly Action[]
  /** The probability that the store accepts a stale append, as a faulty engine would. */
  readonly blind: number
}

/** Creates a plan with about `size` actions. The actions come in bursts, so that many of them are concurrent. */
export function createPlan(seed: number, replicas: number, random: Random, size = 140): Plan {
  const kinds = actions.flatMap((what) => new Array<Action['what']>(weights[what]).fill(what))
  let at = 0
  const planned: Action[] = []
  while (planned.length < size) {
    at += random.below(5_000)
    const burst = 1 + random.below(10)
    // In a rush, many callers compete for the last free resources. Replicas then propose conflicting claims.
    const isRush = random.below(3) === 0
    const group = random.below(3)
    for (let i = 0; i < burst; i++) {
      planned.push({
        at: Math.min(at + random.below(isRush ? 3 : 12), LENGTH_MS),
        what: isRush && i > 0 ? (random.below(4) === 0 ? 'move' : 'place') : (kinds[random.below(kinds.length)] as Action['what']),
        a: random.below(1_000),
        // All callers of a rush use the same group.
        b: isRush ? 3 * random.below(333) + group : random.below(1_000),
        c: isRush ? 3 * random.below(333) : random.below(1_000),
      })
    }
  }
  // In half of the simulations the store can accept stale appends. The rules that replicas apply to the log must then keep claims safe
  // without help from the store.
  return { seed: String(seed), replicas, actions: planned.sort((x, y) => x.at - y.at), blind: seed % 2 === 0 ? 0.6 : 0 }
}
