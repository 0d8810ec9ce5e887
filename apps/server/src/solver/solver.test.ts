import { Worker } from 'node:worker_threads'
import {
  DEFAULT_SOLVER_OPTIONS,
  type DecideInput,
  type DecisionRecord,
  decide,
  FEATURE_LEVEL,
  type Fleet,
  isProposal,
  noSolution,
  openOverlay,
  type Profile,
  parseProfile,
  type RequestSpec,
  replay,
  type Solution,
} from '@gantt/scheduler-core'
import { aFleet, aReport, aRequest, aUuid, type HostShape } from '@gantt/scheduler-core/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { MOST_GATHERINGS } from '../replica/gather.ts'
import type { Gather, PlacementCall } from '../replica/placement.ts'
import { Replica } from '../replica/replica.ts'
import { createMemoryStore } from '../sync/memory/memory.ts'
import { realTimers } from '../timers.ts'
import { createAskSolver, gatherSolution } from './ask-solver.ts'
import { createSolver, openSolverWorker, type Solver } from './solver.ts'

/** What a search may take here: enough for a thread that starts on a machine with much else to do. */
const PATIENT = { timeLimitMs: 30_000 }

const profileOf = ({
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
    ...(parts.scheduler === undefined && { solver: { ...PATIENT, ...limits } }),
    ...(parts.scheduler !== undefined && limits !== undefined && { solver: limits }),
    ...parts,
  })
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

const fleetWith = (hosts: Readonly<Record<string, HostShape>>, profile: Profile): Fleet => {
  const fleet = aFleet(hosts)
  fleet.apply({ format: 1, id: 'p', writer: 't', basis: fleet.place, changes: [{ type: 'profile', profile }], revision: 2, at: 1_000 })
  return fleet
}

const ask = (by: Solver, fleet: Fleet, request: RequestSpec, profile: Profile, deadlineMs = 60_000) =>
  createAskSolver(by, realTimers)(() => fleet, { profile, request, seed: 'k', deadlineMs })

const inputOf = (request: RequestSpec, profile: Profile, more: Partial<DecideInput> = {}): DecideInput => ({
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

const solver = createSolver()
afterAll(() => solver.close())

/** Asks a solver as a replica does, and decides with its answer. */
async function decided(hosts: Readonly<Record<string, HostShape>>, request: RequestSpec, profile = profileOf(), by: Solver = solver) {
  const fleet = fleetWith(hosts, profile)
  const solution = await ask(by, fleet, request, profile)
  const overlay = openOverlay(fleet)
  try {
    return { fleet, ...decide(fleet, overlay, inputOf(request, profile, { solution })) }
  } finally {
    overlay.discard()
  }
}

/** Numbers as a seed draws them. */
function drawing(seed: number) {
  let state = seed
  return (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 16) % (most + 1)
  }
}

test('on 200 random batches it is never worth less than the filter scheduler, and its gap is reported', async () => {
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

describe('a gang that fits in one arrangement only', () => {
  // the small one goes to the emptier host first, where the large one was to go
  const hosts = { large: { vcpus: 8, memoryMb: 8_192 }, small: { vcpus: 2, memoryMb: 2_048 } }
  const request = aRequest({ vcpus: 2, memoryMb: 2_048, gang: [{ name: 'database', instances: 1, flavor: { vcpus: 8, memoryMb: 8_192 } }] })

  test('is placed by the solver', async () => {
    const { parts, record } = await decided(hosts, request)
    expect(parts.map(({ host }) => host)).toEqual(['small', 'large'])
    expect(record.solver).toMatchObject({ taken: 'SOLVER', why: null, filterObjective: null, solution: { status: 'OPTIMAL', gap: 0 } })
  })

  test('is refused by the filter scheduler, at the instance that finds no host', async () => {
    const { parts, found, record } = await decided(hosts, request, profileOf({ scheduler: 'filter' }))
    expect([parts, found, record.instances.length, record.solver]).toEqual([[], 1, 2, undefined])
  })
})

test('hosts that were left out at first are looked at before it is said that nothing fits', async () => {
  // the best hosts of both kinds are the same, and each holds one database and nothing else
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

describe('a call that is being solved', () => {
  const request = aRequest({ vcpus: 2, memoryMb: 2_048, numInstances: 2 })
  const small = { vcpus: 2, memoryMb: 2_048, cpuAllocationRatio: 1, ramAllocationRatio: 1 }
  const call = (key: string, profile: string, asked: RequestSpec): PlacementCall => ({
    ...{ account: 'a', key, digest: key, request: asked, intent: 'CREATE', source: null, profile, mode: 'RESERVE' },
    ...{ ttlMs: 60_000, deadlineMs: 60_000, alternatesPerInstance: 0, allOrNothing: true },
  })

  /** A replica whose solver is asked by `gather`, with hosts that hold one instance each. */
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

  test('is solved again where its hosts are taken before it is decided', async () => {
    const asking = gatherSolution(createAskSolver(solver, realTimers))
    const solutions: (Solution | undefined)[] = []
    const gather: Gather = (fleet, asked) =>
      asking(fleet, asked)?.then(async (gathered) => {
        solutions.push(gathered.solution)
        const [taken] = gathered.solution?.hosts ?? []
        // another call comes first and takes one of its hosts
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
    // the same key again asks nobody
    expect(await replica.place(call('batch', 'batch', request))).toMatchObject({ type: 'placed', replayed: true })
    expect(solutions).toHaveLength(2)
    await replica.close()
  })

  test('is decided without a solver where its answers never hold, and the decision says so', async () => {
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
    expect([asked, decisions[0]?.solver?.taken, decisions[0]?.solver?.why]).toEqual([MOST_GATHERINGS, 'FILTER', 'NOT_FEASIBLE'])
    await replica.close()
  })

  test('is answered that it is busy, or that its turn came too late, before anything is done for it', async () => {
    const hanging = createSolver({ openWorker: () => new Worker('for (;;);', { eval: true }) })
    const profile = profileOf({ solver: { timeLimitMs: 30 } })
    const fleet = fleetWith({ h1: {} }, profile)
    const asking = createAskSolver(hanging, realTimers, 2)
    const once = () => asking(() => fleet, { profile, request, seed: 'k', deadlineMs: 10_000 })
    const answers = await Promise.all([once(), once(), once()])
    await hanging.close()
    expect(answers.map(({ status, detail }) => [status, detail])).toEqual([
      ['NOT_FOUND', expect.stringMatching(/^the solver did not end in \d+ ms$/)],
      ['NOT_FOUND', 'its time was over before its turn came'],
      ['BUSY', null],
    ])
  })
})

test('a decision with a solution is made again without a solver, bit for bit', async () => {
  const request = aRequest({ numInstances: 3 })
  const { fleet, record, answer } = await decided({ h1: { vcpus: 2 }, h2: { vcpus: 2 } }, request)
  expect(record.solver?.taken).toBe('SOLVER')
  const again = replay(fleet, [], JSON.parse(JSON.stringify(record)))
  expect([again.record, again.answer]).toEqual([record, answer])
})

test('spread over zones holds, where the best hosts are all in one', async () => {
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

describe('a gang that is spread', () => {
  const spread = (parts: object) => ({
    instanceGroup: { uuid: aUuid(1), policy: 'SOFT_ANTI_AFFINITY' as const },
    topologySpread: [{ topologyKey: 'host', ...parts }],
  })
  const gang = [
    { instances: 1, flavor: { vcpus: 1, memoryMb: 1_024 } },
    { instances: 1, flavor: { vcpus: 4, memoryMb: 1_024 } },
  ]

  test('keeps to the skew at each placement, not only in the end', async () => {
    // the first two would rather go to the first host, where the last has no room: it would make up for the skew that they leave
    const hosts = { large: { vcpus: 3, memoryMb: 65_536, cpuAllocationRatio: 1 }, wide: { vcpus: 8, memoryMb: 8_192 } }
    const profile = profileOf({ weighers: [{ name: 'RAMWeigher', multiplier: 1 }] })
    const { parts, record } = await decided(hosts, aRequest({ gang, numInstances: 3, ...spread({ maxSkew: 1 }) }), profile)
    expect(record.solver).toMatchObject({ taken: 'SOLVER', why: null, solution: { status: 'OPTIMAL' } })
    expect(parts.map(({ host }) => host)).toEqual(['large', 'wide', 'wide'])
  })

  test('has room for as many in a domain as there may be, however the kinds share it', async () => {
    const hosts = { h1: { vcpus: 16 }, h2: { vcpus: 8 }, h3: { vcpus: 8 } }
    const { parts, record } = await decided(hosts, aRequest({ gang, numInstances: 4, ...spread({ maxPerDomain: 2, maxSkew: 2 }) }))
    expect(record.solver).toMatchObject({ taken: 'SOLVER', why: null })
    for (const name of Object.keys(hosts)) expect(parts.filter(({ host }) => host === name).length).toBeLessThanOrEqual(2)
  })
})

test('an arrangement of kinds that were kept apart is not called the best: the bound is that of all arrangements', async () => {
  // both prefer the host with more memory, which has one device
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

test('limits that end the search are recorded, with the gap that they leave', async () => {
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
  // what is not proved to be the best is still never worth less
  expect(record.solver?.objective ?? 0).toBeGreaterThanOrEqual(record.solver?.filterObjective ?? 0)
})

describe('without an answer the filter scheduler decides, and the record says why', () => {
  const request = aRequest({ numInstances: 2 })
  const by = (solve: Solver['solve']): Solver => ({ solve, close: async () => undefined })
  const nothing = { values: [], objective: null, bound: null, gap: null, nodes: 0, detail: null }

  test('the thread dies', async () => {
    const dying = createSolver({ openWorker: () => new Worker('process.exit(3)', { eval: true }) })
    const { record, found } = await decided({ h1: {} }, request, profileOf(), dying)
    await dying.close()
    expect(found).toBe(2)
    expect(record.solver).toMatchObject({
      taken: 'FILTER',
      why: 'FAILED',
      solution: { detail: 'the thread of the solver ended with code 3' },
    })
  })

  test('a thread that died is started anew for the next program', async () => {
    let opened = 0
    const again = createSolver({ openWorker: () => (opened++ === 0 ? new Worker('process.exit(3)', { eval: true }) : openSolverWorker()) })
    expect((await decided({ h1: {} }, request, profileOf(), again)).record.solver?.why).toBe('FAILED')
    expect((await decided({ h1: {} }, request, profileOf(), again)).record.solver).toMatchObject({ taken: 'SOLVER', why: null })
    await again.close()
  })

  test('the thread takes more memory than it may', async () => {
    const hoard =
      'const kept = []; require("node:worker_threads").parentPort.on("message", () => { for (;;) kept.push(new Array(100_000).fill(1.5)) })'
    const greedy = createSolver({ openWorker: () => new Worker(hoard, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } }) })
    const { record, found } = await decided({ h1: {} }, request, profileOf(), greedy)
    await greedy.close()
    expect(found).toBe(2)
    expect(record.solver).toMatchObject({ taken: 'FILTER', why: 'FAILED' })
    expect(record.solver?.solution.detail).toMatch(/^the thread of the solver failed: .*memory/)
  })

  test('the thread never ends', async () => {
    const hanging = createSolver({ openWorker: () => new Worker('for (;;);', { eval: true }) })
    const { record, found } = await decided({ h1: {} }, request, profileOf({ solver: { timeLimitMs: 10 } }), hanging)
    await hanging.close()
    expect(found).toBe(2)
    expect(record.solver).toMatchObject({ taken: 'FILTER', why: 'NOT_FOUND', solution: { limits: { timeLimitMs: 10 } } })
    expect(record.solver?.solution.detail).toMatch(/^the solver did not end in \d+/)
  })

  test('too many wait', async () => {
    const full = createSolver({ mostWaiting: 0, openWorker: () => new Worker('setInterval(() => {}, 1000)', { eval: true }) })
    const first = full.solve({ program: { objective: [], most: [], rows: [], start: null }, timeLimitMs: 60_000, nodeLimit: 1, gap: 0 })
    const { record } = await decided({ h1: {} }, request, profileOf(), full)
    await full.close()
    expect(record.solver).toMatchObject({ taken: 'FILTER', why: 'BUSY' })
    expect(await first).toMatchObject({ status: 'FAILED', detail: 'the solver is closing' })
  })

  test.each(['NOT_FOUND', 'INFEASIBLE'] as const)('it answers %s', async (status) => {
    const { record, found } = await decided(
      { h1: {} },
      request,
      profileOf(),
      by(async () => ({ ...nothing, status })),
    )
    expect([found, record.solver?.taken, record.solver?.why]).toEqual([2, 'FILTER', status])
  })

  test('it answers with an arrangement that is none', async () => {
    const { record } = await decided(
      { h1: {} },
      request,
      profileOf(),
      by(async ({ program }) => ({ ...nothing, status: 'OPTIMAL', values: program.most.map(() => 0) })),
    )
    expect(record.solver).toMatchObject({ taken: 'FILTER', why: 'FAILED', solution: { detail: 'the solver places 0 of 2 instances' } })
  })

  test('its arrangement does not hold any more', async () => {
    const profile = profileOf()
    const fleet = fleetWith({ h1: { vcpus: 2 }, h2: { vcpus: 1 } }, profile)
    const solution = await ask(solver, fleet, request, profile)
    const overlay = openOverlay(fleet)
    const taken = solution?.hosts[0] ?? { host: '', node: '' }
    const { host, node } = taken
    for (const claim of ['x', 'y'])
      if (host === 'h1' || claim === 'x') overlay.hold({ claim, instance: null, host, node, grants: { classes: { VCPU: 1 } } }, null)
    const { record } = decide(fleet, overlay, inputOf(request, profile, { solution, allOrNothing: false }))
    overlay.discard()
    expect(record.solver).toMatchObject({ taken: 'FILTER', why: 'NOT_FEASIBLE', objective: null })
  })

  test('a limit ended the search with something that is worth less', async () => {
    const worst = by(async ({ program }) => {
      const { objective, rows } = program
      const places = rows[0]?.columns ?? []
      const least = [...places].sort((a, b) => (objective[a] ?? 0) - (objective[b] ?? 0)).slice(0, 2)
      return { ...nothing, status: 'FEASIBLE', values: objective.map((_, column) => (least.includes(column) ? 1 : 0)) }
    })
    const hosts = { h1: { vcpus: 16 }, h2: { vcpus: 8 }, h3: { vcpus: 4 }, h4: { vcpus: 1 } }
    const group = { uuid: aUuid(1), policy: 'ANTI_AFFINITY' as const }
    const { parts, record } = await decided(hosts, aRequest({ numInstances: 2, instanceGroup: group }), profileOf(), worst)
    expect(record.solver).toMatchObject({ taken: 'FILTER', why: 'FILTER_BETTER', solution: { status: 'FEASIBLE' } })
    expect(parts.map(({ host }) => host)).toEqual(['h1', 'h2'])
  })
})

test.each([
  [{ solver: { timeLimitMs: 5 } }, 'solver.timeLimitMs is 5; it must be 10 or more'],
  [{ solver: { timeLimitMs: 60_000 } }, 'solver.timeLimitMs is 60000; it must be 30000 or less'],
  [{ solver: { nodeLimit: 0 } }, 'solver.nodeLimit is 0; it must be 1 or more'],
  [{ solver: { gap: 2 } }, 'solver.gap is 2; it must be 1 or less'],
  [{ solver: { candidates: 5_000 } }, 'solver.candidates is 5000; it must be 1000 or less'],
  [{ solver: { threads: 2 } }, 'solver.threads is not a field of this version'],
  [{ scheduler: 'filter', solver: {} }, 'solver is an object; it must be left out without scheduler: solver'],
  [{ hostSubsetSize: 2 }, 'hostSubsetSize is 2; it must be 1 with scheduler: solver, which takes the best arrangement'],
  [{ compat: 'nova' }, 'scheduler is "solver"; it must be filter with compat: nova, which has its own rounds'],
])('a profile with %j is refused in words', (parts, message) => {
  expect(() => profileOf(parts)).toThrow(message)
})
