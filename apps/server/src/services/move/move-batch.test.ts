import { type DecisionRecord, FEATURE_LEVEL, isProposal, type Profile, parseProfile } from '@gantt/scheduler-core'
import { aReport, aRequest, aUuid } from '@gantt/scheduler-core/testing'
import { afterAll, expect, test } from 'vitest'
import { nothingOutside } from '../../plugin/outside/outside.ts'
import type { Gather, PlacementCall, PlacementOutcome } from '../../replica/propose/placement.ts'
import { Replica } from '../../replica/replica.ts'
import { createSolve } from '../../solver/ask-solver.ts'
import { createSolver } from '../../solver/solver.ts'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { realTimers } from '../../timers.ts'
import { createMoveBatch, moveInOrder, type SolvedMoves } from './move-batch.ts'

const TIMEOUT_MS = 60_000
const solver = createSolver()
afterAll(() => solver.close())

function profileOf(scheduler: string): Profile {
  const parsed = parseProfile({
    ...{ name: scheduler, number: 1, scheduler, filters: [{ name: 'ComputeFilter' }] },
    weighers: [{ name: 'RAMWeigher', multiplier: 1 }],
    // long enough for the solver to start its thread on a busy machine
    ...(scheduler === 'solver' && { solver: { timeLimitMs: 30_000 } }),
  })
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

const whole = (vcpus: number) => ({ vcpus, memoryMb: 1_024 * vcpus, cpuAllocationRatio: 1, ramAllocationRatio: 1 })
const sized = (vcpus: number, more: object = {}) => aRequest({ vcpus, memoryMb: 1_024 * vcpus, ...more })

const call = (key: string, request: PlacementCall['request'], more: Partial<PlacementCall> = {}): PlacementCall => ({
  ...{ account: 'a', key, digest: key, request, intent: 'CREATE', source: null, profile: 'filter', mode: 'CONFIRM' },
  ...{ ttlMs: 600_000, deadlineMs: TIMEOUT_MS, alternatesPerInstance: 0, allOrNothing: true },
  ...more,
})

/**
 * Opens a replica with a host `source` that holds claims of the given sizes, and with the hosts in `hosts`. `asked` has a move for each
 * claim, in the order in which the claims were made.
 */
async function open(sizes: readonly number[], hosts: Readonly<Record<string, number>>, level = FEATURE_LEVEL) {
  const store = createMemoryStore()
  const asksFor: number[] = []
  const replica = await Replica.start({
    ...{ store: store.open(), name: 'r', recordUnlogged: async () => undefined, warn: () => undefined },
    // the log stays at the feature level that the test sets, as if a second replica did not support higher levels
    isReadByAll: () => false,
    mayRaise: async (higher) => void asksFor.push(higher),
  })
  const moved: DecisionRecord[] = []
  replica.onApplied(({ entry, verdicts }) => {
    for (const [i, change] of entry.changes.entries())
      if (isProposal(change) && change.type === 'move' && verdicts[i] === undefined) moved.push(change.decision)
  })
  await replica.propose([{ type: 'feature', level }])
  const reports = Object.entries({ ...hosts, source: 16 }).map(([name, vcpus]) => aReport(name, whole(vcpus)))
  await replica.propose([...reports, ...['filter', 'solver'].map((name) => ({ type: 'profile' as const, profile: profileOf(name) }))])
  const asked = []
  for (const [i, vcpus] of sizes.entries()) {
    const placed = placedOf(await replica.place(call(`fill-${i}`, sized(vcpus, { forceHosts: ['source'] }))))
    asked.push({ claim: placed, request: sized(vcpus) })
  }
  const batch = createMoveBatch(
    { fleet: () => replica.fleet, outside: nothingOutside, solve: createSolve(solver, realTimers) },
    { asked, seed: 'k', profileOf: ({ profiles }) => profiles.find('solver') },
  )
  return { replica, asked, batch, moved, asksFor }
}

function placedOf(outcome: PlacementOutcome) {
  const claim = outcome.type === 'placed' ? outcome.claims[0] : undefined
  if (claim === undefined) throw new Error(`the instance was not placed: the outcome is ${outcome.type}`)
  return claim
}

const hostOf = (outcome: PlacementOutcome): string | null => (outcome.type === 'placed' ? (outcome.answer[0]?.selected.host ?? null) : null)

/** Moves all claims as an evacuation does. Returns the destinations in the order of `asked`. */
async function move({ replica, asked }: Awaited<ReturnType<typeof open>>, solved: SolvedMoves | undefined, gather: Gather) {
  const went = await moveInOrder(asked, solved, async ({ claim: { id, fence }, request }) => {
    const more = { intent: 'EVACUATE', source: { claim: id, fence }, profile: 'solver', gather } as const
    return [id, hostOf(await replica.place(call(`k/${id}`, request, more)))] as const
  })
  const hosts = new Map(went)
  return asked.map(({ claim }) => hosts.get(claim.id) ?? null)
}

test('if another call takes resources between solving and deciding, the remaining moves are solved again', async () => {
  const world = await open([2, 8], { large: 8, small: 2, spare: 2 })
  const { replica, batch, moved } = world
  const solved = await batch.solve(TIMEOUT_MS)
  const first = [...(solved?.shares.values() ?? [])][0]?.hosts[0]?.host as string
  expect(['small', 'spare']).toContain(first)
  // this call is decided before the moves, and claims the resources that the solver planned for the small instance
  expect(hostOf(await replica.place(call('other', sized(2, { forceHosts: [first] }))))).toBe(first)
  expect(await move(world, solved, batch.gather)).toEqual([first === 'small' ? 'spare' : 'small', 'large'])
  expect(moved.map(({ solver: choice }) => [choice?.taken, choice?.why])).toEqual([
    ['SOLVER', null],
    ['SOLVER', null],
  ])
  await replica.close()
})

test('moves without a host in the arrangement wait until all other moves are done', async () => {
  const world = await open([3, 4, 1, 2], { spare: 3 })
  const { replica, batch } = world
  const solved = await batch.solve(TIMEOUT_MS)
  const slow: Gather = (fleet, asked) =>
    batch.gather(fleet, asked)?.then(async (gathered) => {
      if (gathered.solution?.hosts.length !== 0) await new Promise((resolve) => setTimeout(resolve, 50))
      return gathered
    })
  expect(await move(world, solved, slow)).toEqual([null, null, 'spare', 'spare'])
  await replica.close()
})

test('a profile without external plug-ins does not raise the feature level to that of external plug-ins', async () => {
  const world = await open([2, 3], { wide: 16 }, 5)
  const { replica, batch, asksFor } = world
  expect(await move(world, await batch.solve(TIMEOUT_MS), batch.gather)).toEqual(['wide', 'wide'])
  expect(asksFor).toEqual([])
  await replica.close()
})

test("a move for which the solver's answers never apply is decided by the filter scheduler, and its record states the reason", async () => {
  const world = await open([2, 3], { full: 1, wide: 16 })
  const { replica, batch, moved } = world
  const solved = await batch.solve(TIMEOUT_MS)
  const stale: Gather = (fleet, asked) =>
    batch.gather(fleet, asked)?.then(({ solution, ...gathered }) => ({
      ...gathered,
      ...(solution !== undefined && { solution: { ...solution, hosts: [{ host: 'full', node: 'full' }] } }),
    }))
  expect(await move(world, solved, stale)).toEqual(['wide', 'wide'])
  expect(moved.map(({ solver: choice }) => [choice?.taken, choice?.why])).toEqual([
    ['FILTER', 'NOT_FEASIBLE'],
    ['FILTER', 'NOT_FEASIBLE'],
  ])
  await replica.close()
})

test('members of an anti-affinity group get different hosts, although the same host is best for each alone', async () => {
  const { replica, batch, asked } = await open([2, 3], { one: 16, two: 8 })
  const group = { uuid: aUuid(1), policy: 'ANTI_AFFINITY' as const, maxServerPerHost: 2 }
  await replica.propose(asked.map(({ claim: { id, fence } }) => ({ type: 'membership', claim: id, fence, group })))
  const third = placedOf(await replica.place(call('third', sized(1, { forceHosts: ['one'], instanceGroup: group }))))
  expect(third.group).toBe(group.uuid)
  const hosts = [...((await batch.solve(TIMEOUT_MS))?.shares.values() ?? [])].map((share) => share.hosts[0]?.host)
  // alone, each instance would be moved to `one`, but the group allows only one more member there
  expect(hosts.toSorted()).toEqual(['one', 'two'])
  await replica.close()
})

test('a single claim is moved without the solver, and so are claims under a profile with another scheduler', async () => {
  const { replica, batch, asked } = await open([2], { one: 8 })
  expect(await batch.solve(TIMEOUT_MS)).toBeUndefined()
  const filter = createMoveBatch(
    { fleet: () => replica.fleet, outside: nothingOutside, solve: createSolve(solver, realTimers) },
    { asked: [...asked, ...asked], seed: 'k', profileOf: ({ profiles }) => profiles.find('filter') },
  )
  expect(await filter.solve(TIMEOUT_MS)).toBeUndefined()
  await replica.close()
})

test('if the solver is busy, the filter scheduler decides every move and the reason is recorded', async () => {
  const world = await open([2, 3], { one: 8 })
  const { replica, asked, moved } = world
  const busy = createMoveBatch(
    { fleet: () => replica.fleet, outside: nothingOutside, solve: createSolve(solver, realTimers, 0) },
    { asked, seed: 'k', profileOf: ({ profiles }) => profiles.find('solver') },
  )
  const solved = await busy.solve(TIMEOUT_MS)
  expect(await move(world, solved, busy.gather)).toEqual(['one', 'one'])
  expect(moved.map(({ solver: choice }) => [choice?.why, choice?.solution.batch])).toEqual(
    asked.map(() => ['BUSY', { moves: 2, placed: 0, filterPlaced: null, filterObjective: null }]),
  )
  await replica.close()
})
