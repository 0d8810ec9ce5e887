import { Worker } from 'node:worker_threads'
import { decide, openOverlay } from '@gantt/scheduler-core'
import { aRequest, aUuid } from '@gantt/scheduler-core/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { decided } from './solver.test.ts'
import { createSolver, openSolverWorker, type Solver } from './solver.ts'
import { ask, fleetWith, inputOf, profileOf } from './testing/batches.ts'

export const solver = createSolver()
afterAll(() => solver.close())

describe("without a solver's answer the filter scheduler decides, and the record has the reason", () => {
  const request = aRequest({ numInstances: 2 })
  const by = (solve: Solver['solve']): Solver => ({ solve, close: async () => undefined })
  const nothing = { values: [], objective: null, bound: null, gap: null, nodes: 0, detail: null }

  test("if the solver's thread dies, the filter scheduler decides", async () => {
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

  test('a thread that died is started again for the next program', async () => {
    let opened = 0
    const again = createSolver({ openWorker: () => (opened++ === 0 ? new Worker('process.exit(3)', { eval: true }) : openSolverWorker()) })
    expect((await decided({ h1: {} }, request, profileOf(), again)).record.solver?.why).toBe('FAILED')
    expect((await decided({ h1: {} }, request, profileOf(), again)).record.solver).toMatchObject({ taken: 'SOLVER', why: null })
    await again.close()
  })

  test("if the solver's thread exceeds its memory limit, the filter scheduler decides", async () => {
    const hoard =
      'const kept = []; require("node:worker_threads").parentPort.on("message", () => { for (;;) kept.push(new Array(100_000).fill(1.5)) })'
    const greedy = createSolver({ openWorker: () => new Worker(hoard, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } }) })
    const { record, found } = await decided({ h1: {} }, request, profileOf(), greedy)
    await greedy.close()
    expect(found).toBe(2)
    expect(record.solver).toMatchObject({ taken: 'FILTER', why: 'FAILED' })
    expect(record.solver?.solution.detail).toMatch(/^the thread of the solver failed: .*memory/)
  })

  test("if the solver's thread never ends, the filter scheduler decides", async () => {
    const hanging = createSolver({ openWorker: () => new Worker('for (;;);', { eval: true }) })
    const { record, found } = await decided({ h1: {} }, request, profileOf({ solver: { timeLimitMs: 10 } }), hanging)
    await hanging.close()
    expect(found).toBe(2)
    expect(record.solver).toMatchObject({ taken: 'FILTER', why: 'NOT_FOUND', solution: { limits: { timeLimitMs: 10 } } })
    expect(record.solver?.solution.detail).toMatch(/^the solver did not end in \d+/)
  })

  test('if too many programs wait for the solver, the filter scheduler decides', async () => {
    const full = createSolver({ maxWaiting: 0, openWorker: () => new Worker('setInterval(() => {}, 1000)', { eval: true }) })
    const first = full.solve({ program: { objective: [], most: [], rows: [], start: null }, timeLimitMs: 60_000, nodeLimit: 1, gap: 0 })
    const { record } = await decided({ h1: {} }, request, profileOf(), full)
    await full.close()
    expect(record.solver).toMatchObject({ taken: 'FILTER', why: 'BUSY' })
    expect(await first).toMatchObject({ status: 'FAILED', detail: 'the solver is closing' })
  })

  test.each(['NOT_FOUND', 'INFEASIBLE'] as const)('if the solver answers %s, the filter scheduler decides', async (status) => {
    const { record, found } = await decided(
      { h1: {} },
      request,
      profileOf(),
      by(async () => ({ ...nothing, status })),
    )
    expect([found, record.solver?.taken, record.solver?.why]).toEqual([2, 'FILTER', status])
  })

  test('if the solver answers with an invalid arrangement, the filter scheduler decides', async () => {
    const { record } = await decided(
      { h1: {} },
      request,
      profileOf(),
      by(async ({ program }) => ({ ...nothing, status: 'OPTIMAL', values: program.most.map(() => 0) })),
    )
    expect(record.solver).toMatchObject({ taken: 'FILTER', why: 'FAILED', solution: { detail: 'the solver places 0 of 2 instances' } })
  })

  test("if the solver's arrangement is no longer valid, the filter scheduler decides", async () => {
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

  test("if the search ends at a limit with a lower objective than the filter scheduler's, the filter scheduler decides", async () => {
    const worst = by(async ({ program }) => {
      const { objective, rows } = program
      const columns = rows[0]?.columns ?? []
      const least = [...columns].sort((a, b) => (objective[a] ?? 0) - (objective[b] ?? 0)).slice(0, 2)
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
  [{ hostSubsetSize: 2 }, 'hostSubsetSize is 2; it must be 1 with the scheduler solver, which always uses the best arrangement'],
  [{ compat: 'nova' }, 'scheduler is "solver"; it must be filter with compat: nova, because Nova has no other scheduler'],
])('a profile with %j is refused with a message', (parts, message) => {
  expect(() => profileOf(parts)).toThrow(message)
})
