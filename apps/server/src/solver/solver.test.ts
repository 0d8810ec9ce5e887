import { Worker } from 'node:worker_threads'
import {
  DEFAULT_SOLVER_OPTIONS,
  type DecisionRecord,
  decide,
  FEATURE_LEVEL,
  isProposal,
  noSolution,
  openOverlay,
  type RequestSpec,
  replay,
  type Solution,
} from '@gantt/scheduler-core'
import { aReport, aRequest, aUuid, type HostShape } from '@gantt/scheduler-core/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { MAX_GATHERINGS } from '../replica/propose/gather.ts'
import type { Gather, PlacementCall } from '../replica/propose/placement.ts'
import { Replica } from '../replica/replica.ts'
import { createMemoryStore } from '../sync/memory/memory.ts'
import { realTimers } from '../timers.ts'
import { createAskSolver, gatherSolution } from './ask-solver.ts'
import { createSolver, type Solver } from './solver.ts'
import { ask, drawing, fleetWith, inputOf, profileOf } from './testing/batches.ts'

export const solver = createSolver()
afterAll(() => solver.close())

/** Calls the solver like a replica, and decides with its answer. */
export async function decided(
  hosts: Readonly<Record<string, HostShape>>,
  request: RequestSpec,
  profile = profileOf(),
  by: Solver = solver,
) {
  const fleet = fleetWith(hosts, profile)
  const solution = await ask(by, fleet, request, profile)
  const overlay = openOverlay(fleet)
  try {
    return { fleet, ...decide(fleet, overlay, inputOf(request, profile, { solution })) }
  } finally {
    overlay.discard()
  }
}

test("on 200 random batches the solver's objective is never lower than the filter scheduler's, and its gap is reported", async () => {
  const tally = { better: 0, equal: 0, onlySolver: 0, neither: 0 }
  for (let seed = 1; seed <= 200; seed++) {
    const draw = drawing(seed * 7_919)
    const hosts = Object.fromEntries(
      Array.from({ length: 3 + draw(5) }, (_, i): [string, HostShape] => [
        `h${i}`,
        { vcpus: 1 + draw(9), memoryMb: 1_024 * (1 + draw(9)) },
      ]),
    )
    const kind = () => ({ vcpus: 1 + draw(3), memoryMb: 1_024 * (1 + draw(3)) })
    const gang = draw(1) === 0 ? [] : [{ instances: 1 + draw(2), flavor: kind() }]
    const own = 1 + draw(3)
    const numInstances = own + gang.reduce((sum, { instances }) => sum + instances, 0)
    const policy = (['ANTI_AFFINITY', 'SOFT_AFFINITY'] as const)[draw(1)] ?? 'SOFT_AFFINITY'
    const request = aRequest({
      ...kind(),
      numInstances: Math.max(2, numInstances),
      gang,
      instanceGroup: draw(2) === 0 ? { uuid: aUuid(1), policy } : null,
    })
    const normalisation = (['minmax', 'fixed', 'rank'] as const)[draw(2)] ?? 'minmax'
    const multiplier = draw(1) === 0 ? 1 : -1
    const weighers = [
      { name: 'RAMWeigher', multiplier },
      { name: 'CPUWeigher', multiplier: 1 },
    ]
    const { record, found } = await decided(hosts, request, profileOf({ normalisation, weighers }))
    const answer = record.solver
    if (answer?.why === 'FAILED') throw new Error(String(answer.solution.detail))
    expect(answer, `batch ${seed}`).toBeDefined()
    if (answer === undefined) continue
    if (answer.filterObjective !== null) {
      expect(answer.solution.status, `batch ${seed}`).toBe('OPTIMAL')
      expect(answer.taken === 'FILTER' || (answer.objective ?? Number.NaN) >= answer.filterObjective, `batch ${seed}`).toBe(true)
      expect(found).toBe(request.numInstances)
      expect(answer.solution.gap, `batch ${seed}`).toBeLessThanOrEqual(0.0001)
      tally[(answer.objective ?? 0) > answer.filterObjective ? 'better' : 'equal']++
    } else if (answer.taken === 'SOLVER') tally.onlySolver++
    else {
      expect(answer.why).toBe('INFEASIBLE')
      tally.neither++
    }
  }
  for (const count of Object.values(tally)) expect(count).toBeGreaterThan(0)
})

describe('a request with several kinds that fits in only one arrangement', () => {
  // the filter scheduler would place the small instance on the emptier host, where the large one must be placed
  const hosts = { large: { vcpus: 8, memoryMb: 8_192 }, small: { vcpus: 2, memoryMb: 2_048 } }
  const request = aRequest({ vcpus: 2, memoryMb: 2_048, gang: [{ name: 'database', instances: 1, flavor: { vcpus: 8, memoryMb: 8_192 } }] })

  test('the solver places a request that fits in only one arrangement', async () => {
    const { parts, record } = await decided(hosts, request)
    expect(parts.map(({ host }) => host)).toEqual(['small', 'large'])
    expect(record.solver).toMatchObject({ taken: 'SOLVER', why: null, filterObjective: null, solution: { status: 'OPTIMAL', gap: 0 } })
  })

  test('the filter scheduler refuses a request that fits in only one arrangement, at the instance for which it finds no host', async () => {
    const { parts, found, record } = await decided(hosts, request, profileOf({ scheduler: 'filter' }))
    expect([parts, found, record.instances.length, record.solver]).toEqual([[], 1, 2, undefined])
  })
})

test('hosts that were left out of the first program are considered before the request is refused', async () => {
  // Both kinds of instances prefer the hosts w1 and w2. A database needs all resources of such a host.
  const hosts: Record<string, HostShape> = { w1: { vcpus: 8, memoryMb: 8_192 }, w2: { vcpus: 8, memoryMb: 8_192 } }
  for (let i = 0; i < 6; i++) hosts[`n${i}`] = { vcpus: 2, memoryMb: 2_048 }
  const request = aRequest({
    vcpus: 2,
    memoryMb: 2_048,
    numInstances: 4,
    gang: [{ name: 'database', instances: 2, flavor: { vcpus: 8, memoryMb: 8_192 } }],
  })
  const { parts, record } = await decided(hosts, request, profileOf({ solver: { candidates: 2 } }))
  expect(record.solver).toMatchObject({ taken: 'SOLVER', solution: { status: 'OPTIMAL', size: { candidates: 8, passing: 8 } } })
  expect(parts.slice(2).map(({ host }) => host)).toEqual(['w1', 'w2'])
})

describe('a call for which the solver is running', () => {
  const request = aRequest({ vcpus: 2, memoryMb: 2_048, numInstances: 2 })
  const small = { vcpus: 2, memoryMb: 2_048, cpuAllocationRatio: 1, ramAllocationRatio: 1 }
  const call = (key: string, profile: string, asked: RequestSpec): PlacementCall => ({
    ...{ account: 'a', key, digest: key, request: asked, intent: 'CREATE', source: null, profile, mode: 'RESERVE' },
    ...{ ttlMs: 60_000, deadlineMs: 60_000, alternatesPerInstance: 0, allOrNothing: true },
  })

  /** A replica that calls the solver by `gather`, with hosts that hold one instance each. */
  async function open(hosts: readonly string[], gather: Gather): Promise<Replica> {
    const store = createMemoryStore()
    const replica = await Replica.start({
      store: store.open(),
      name: 'r',
      recordUnlogged: async () => undefined,
      warn: () => undefined,
      gather,
    })
    await replica.propose([{ type: 'feature', level: FEATURE_LEVEL }])
    await replica.propose([...hosts.map((name) => aReport(name, small)), { type: 'profile', profile: profileOf() }])
    return replica
  }

  test('a batch is solved again if another call claims its hosts before it is decided', async () => {
    const asking = gatherSolution(createAskSolver(solver, realTimers))
    const solutions: (Solution | undefined)[] = []
    const gather: Gather = (fleet, asked) =>
      asking(fleet, asked)?.then(async (gathered) => {
        solutions.push(gathered.solution)
        const [taken] = gathered.solution?.hosts ?? []
        // another call comes first and claims one of the hosts in the arrangement
        if (solutions.length === 1 && taken !== undefined)
          await replica.place(call('other', 'default', { ...request, numInstances: 1, forceHosts: [taken.host] }))
        return gathered
      })
    const replica = await open(['h1', 'h2', 'h3'], gather)
    const outcome = await replica.place(call('batch', 'batch', request))
    if (outcome.type !== 'placed') throw new Error(`it was ${outcome.type}`)
    const gone = solutions[0]?.hosts[0]?.host
    expect(solutions).toHaveLength(2)
    expect(outcome.answer.map(({ selected }) => selected.host).toSorted()).toEqual(['h1', 'h2', 'h3'].filter((host) => host !== gone))
    expect(outcome.claims.map((claim) => claim?.state)).toEqual(['RESERVED', 'RESERVED'])
    // a repeated call with the same key does not call the solver
    expect(await replica.place(call('batch', 'batch', request))).toMatchObject({ type: 'placed', replayed: true })
    expect(solutions).toHaveLength(2)
    await replica.close()
  })

  test("a batch is decided without a solver if the solver's answers never apply, and the decision records that reason", async () => {
    let asked = 0
    const stale: Gather = (_fleet, { request: { numInstances } }) => {
      if (numInstances === 1) return undefined
      asked++
      const hosts = [
        { host: 'h1', node: 'h1' },
        { host: 'h1', node: 'h1' },
      ]
      return Promise.resolve({ solution: { ...noSolution('FAILED', DEFAULT_SOLVER_OPTIONS), status: 'OPTIMAL', hosts } })
    }
    const replica = await open(['h1', 'h2'], stale)
    const decisions: DecisionRecord[] = []
    replica.onApplied(({ entry }) => decisions.push(...entry.changes.flatMap((change) => (isProposal(change) ? [change.decision] : []))))
    expect(await replica.place(call('batch', 'batch', request))).toMatchObject({ type: 'placed' })
    expect([asked, decisions[0]?.solver?.taken, decisions[0]?.solver?.why]).toEqual([MAX_GATHERINGS, 'FILTER', 'NOT_FEASIBLE'])
    await replica.close()
  })

  test('a call gets BUSY if too many calls wait, and NOT_FOUND if its time limit ends before the solver is free', async () => {
    const hanging = createSolver({ openWorker: () => new Worker('for (;;);', { eval: true }) })
    const profile = profileOf({ solver: { timeLimitMs: 30 } })
    const fleet = fleetWith({ h1: {} }, profile)
    const asking = createAskSolver(hanging, realTimers, 2)
    const once = () => asking(() => fleet, { profile, request, seed: 'k', deadlineMs: 10_000 })
    const answers = await Promise.all([once(), once(), once()])
    await hanging.close()
    expect(answers.map(({ status, detail }) => [status, detail])).toEqual([
      ['NOT_FOUND', expect.stringMatching(/^the solver did not end in \d+ ms$/)],
      ['NOT_FOUND', 'its time limit ended before the solver was free'],
      ['BUSY', null],
    ])
  })
})

test('a decision with a solution is replayed without a solver, bit for bit', async () => {
  const request = aRequest({ numInstances: 3 })
  const { fleet, record, answer } = await decided({ h1: { vcpus: 2 }, h2: { vcpus: 2 } }, request)
  expect(record.solver?.taken).toBe('SOLVER')
  const again = replay(fleet, [], JSON.parse(JSON.stringify(record)))
  expect([again.record, again.answer]).toEqual([record, answer])
})

test('the spread over zones is satisfied although the best hosts are all in one zone', async () => {
  const profile = profileOf()
  const fleet = fleetWith({ a1: { vcpus: 16 }, a2: { vcpus: 16 }, b1: { vcpus: 4 } }, profile)
  const next = { name: 'b', metadata: { availability_zone: 'b' }, hosts: ['b1'] }
  fleet.apply({
    format: 1,
    id: 'z',
    writer: 't',
    basis: fleet.place,
    changes: [{ type: 'aggregate', uuid: aUuid(9), expectedVersion: 0, next }],
    revision: 3,
    at: 1_000,
  })
  const request = aRequest({
    numInstances: 4,
    instanceGroup: { uuid: aUuid(1), policy: 'SOFT_ANTI_AFFINITY' },
    topologySpread: [{ topologyKey: 'zone', maxSkew: 1 }],
  })
  const solution = await ask(solver, fleet, request, profile)
  const overlay = openOverlay(fleet)
  const { parts, record } = decide(fleet, overlay, inputOf(request, profile, { solution }))
  overlay.discard()
  expect(parts.filter(({ host }) => host === 'b1')).toHaveLength(2)
  expect(record.solver).toMatchObject({ taken: 'SOLVER', solution: { status: 'OPTIMAL' } })
})

describe('a spread request with several kinds', () => {
  const spread = (parts: object) => ({
    instanceGroup: { uuid: aUuid(1), policy: 'SOFT_ANTI_AFFINITY' as const },
    topologySpread: [{ topologyKey: 'host', ...parts }],
  })
  const gang = [
    { instances: 1, flavor: { vcpus: 1, memoryMb: 1_024 } },
    { instances: 1, flavor: { vcpus: 4, memoryMb: 1_024 } },
  ]

  test('the maximum skew holds at each placement, not only at the end', async () => {
    // By weight, the first two instances would be on `large`. The skew would be 2 until the third one, which does not fit there, is placed.
    const hosts = { large: { vcpus: 3, memoryMb: 65_536, cpuAllocationRatio: 1 }, wide: { vcpus: 8, memoryMb: 8_192 } }
    const profile = profileOf({ weighers: [{ name: 'RAMWeigher', multiplier: 1 }] })
    const { parts, record } = await decided(hosts, aRequest({ gang, numInstances: 3, ...spread({ maxSkew: 1 }) }), profile)
    expect(record.solver).toMatchObject({ taken: 'SOLVER', why: null, solution: { status: 'OPTIMAL' } })
    expect(parts.map(({ host }) => host)).toEqual(['large', 'wide', 'wide'])
  })

  test('a domain gets at most the maximum count of instances, whatever their kinds are', async () => {
    const hosts = { h1: { vcpus: 16 }, h2: { vcpus: 8 }, h3: { vcpus: 8 } }
    const { parts, record } = await decided(hosts, aRequest({ gang, numInstances: 4, ...spread({ maxPerDomain: 2, maxSkew: 2 }) }))
    expect(record.solver).toMatchObject({ taken: 'SOLVER', why: null })
    for (const name of Object.keys(hosts)) expect(parts.filter(({ host }) => host === name).length).toBeLessThanOrEqual(2)
  })
})

test('if the solver must keep kinds of instances on different hosts, its result is not reported as optimal, and the bound is that of all results', async () => {
  // Both kinds of instances prefer the host with more memory, which has only one device.
  const device = (memoryMb: number): HostShape => ({ vcpus: 8, memoryMb, pciPools: [{ vendorId: 'v', productId: 'p', total: 1 }] })
  const pciRequests = [{ count: 1, specs: [{ vendor_id: 'v' }] }]
  const gang = [{ instances: 1, flavor: { vcpus: 2, memoryMb: 1_024 }, pciRequests }]
  const { parts, record } = await decided({ h1: device(65_536), h2: device(8_192) }, aRequest({ pciRequests, gang, numInstances: 2 }))
  expect(parts.map(({ host }) => host).toSorted()).toEqual(['h1', 'h2'])
  const { status, objective, bound, gap } = record.solver?.solution ?? {}
  if (typeof objective !== 'number' || typeof bound !== 'number') throw new Error(`the search ended ${status}`)
  expect([record.solver?.taken, status]).toEqual(['SOLVER', 'FEASIBLE'])
  expect(bound).toBeGreaterThan(objective)
  expect(gap).toBeCloseTo((bound - objective) / Math.abs(objective), 9)
})

test('if limits end the search, they are recorded with the remaining gap', async () => {
  const hosts = Object.fromEntries(
    Array.from({ length: 12 }, (_, i): [string, HostShape] => [`h${i}`, { vcpus: 5 + (i % 4), memoryMb: 1_024 * (6 + ((i * 5) % 7)) }]),
  )
  const request = aRequest({
    vcpus: 3,
    memoryMb: 2_048,
    numInstances: 12,
    gang: [
      { name: 'wide', instances: 4, flavor: { vcpus: 2, memoryMb: 3_072 } },
      { name: 'small', instances: 4, flavor: { vcpus: 1, memoryMb: 1_024 } },
    ],
  })
  const limits = { timeLimitMs: 10_000, nodeLimit: 1, gap: 1, candidates: 100 }
  const { record } = await decided(hosts, request, profileOf({ solver: limits }))
  const solution = record.solver?.solution
  expect(solution?.limits).toEqual(limits)
  expect(solution?.nodes).toBeLessThanOrEqual(1)
  const { objective, bound, gap } = { objective: null, bound: null, gap: null, ...solution }
  if (objective === null || bound === null || gap === null) throw new Error(`the search ended ${solution?.status}`)
  expect(bound).toBeGreaterThanOrEqual(objective - 1e-6)
  expect(gap).toBeCloseTo((bound - objective) / Math.abs(objective), 6)
  // a result that is not proved optimal never has a lower objective than the filter scheduler's
  expect(record.solver?.objective ?? 0).toBeGreaterThanOrEqual(record.solver?.filterObjective ?? 0)
})
