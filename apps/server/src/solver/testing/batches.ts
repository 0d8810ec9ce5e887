import { type DecideInput, type Fleet, type Profile, parseProfile, type RequestSpec } from '@gantt/scheduler-core'
import { aFleet, type HostShape } from '@gantt/scheduler-core/testing'
import { realTimers } from '../../timers.ts'
import { createAskSolver } from '../ask-solver.ts'
import type { Solver } from '../solver.ts'

/** The time limit of a search in these tests. It includes starting a thread on a busy machine. */
const LONG_LIMITS = { timeLimitMs: 30_000 }

export const profileOf = ({
  solver: limits,
  ...parts
}: {
  readonly solver?: object
  readonly scheduler?: string
  readonly [part: string]: unknown
} = {}): Profile => {
  const parsed = parseProfile({
    name: 'batch',
    number: 1,
    filters: [{ name: 'ComputeFilter' }],
    weighers: [
      { name: 'RAMWeigher', multiplier: 1 },
      { name: 'CPUWeigher', multiplier: 1 },
    ],
    scheduler: 'solver',
    ...(parts.scheduler === undefined && { solver: { ...LONG_LIMITS, ...limits } }),
    ...(parts.scheduler !== undefined && limits !== undefined && { solver: limits }),
    ...parts,
  })
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

export const fleetWith = (hosts: Readonly<Record<string, HostShape>>, profile: Profile): Fleet => {
  const fleet = aFleet(hosts)
  fleet.apply({ format: 1, id: 'p', writer: 't', basis: fleet.place, changes: [{ type: 'profile', profile }], revision: 2, at: 1_000 })
  return fleet
}

export const ask = (by: Solver, fleet: Fleet, request: RequestSpec, profile: Profile, deadlineMs = 60_000) =>
  createAskSolver(by, realTimers)(() => fleet, { profile, request, seed: 'k', deadlineMs })

export const inputOf = (request: RequestSpec, profile: Profile, more: Partial<DecideInput> = {}): DecideInput => ({
  id: 'd',
  request,
  profile,
  seed: 's',
  attempt: 1,
  alternatesPerInstance: 1,
  allOrNothing: true,
  claimIds: Array.from({ length: request.numInstances }, (_, i) => `c${i}`),
  ...more,
})

/** Random numbers that a seed determines. */
export function drawing(seed: number) {
  let state = seed
  return (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 16) % (most + 1)
  }
}
