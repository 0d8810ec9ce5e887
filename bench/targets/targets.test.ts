import { afterEach, describe, expect, test, vi } from 'vitest'
import { runBench } from '../run.ts'
import { createColumnarScan } from './columnar-scan.ts'
import { equalityTarget } from './equality.ts'
import { goals } from './goals.ts'
import { targets } from './index.ts'
import { LivingFleet, REQUEST_CLASSES } from './living-fleet.ts'
import { createPlainPipeline } from './plain-pipeline.ts'
import { assertSame, placedBy } from './same.ts'
import { sizeTarget } from './size.ts'
import { isMeasured, isReached, type Measured, spreadOf } from './target.ts'
import { targetLines } from './target-lines.ts'

/** These measurements start a service, so bench.long.test.ts runs them. */
const OF_SERVICES = ['p6', 'p8', 'p11']

test('each target from P1 to P14 has a measurement, and each goal belongs to one', () => {
  expect(targets.map(({ name }) => name)).toEqual(Array.from({ length: 14 }, (_, i) => `p${i + 1}`))
  expect(targets.flatMap((target) => target.goals)).toHaveLength(Object.values(goals).length)
  expect(new Set(targets.flatMap((target) => target.goals))).toEqual(new Set(Object.values(goals)))
})

test.each([
  ['p9', /apt-get install python3-nova python3-placement, /],
  ['p13', /apt-get install etcd-server, build .* from apt-get source kubernetes, /],
  ['p14', /apt-get install python3-placement, /],
])('the measurement %s states how the program that it compares with is installed', async (name, installs) => {
  const outcomes = await targets.find((target) => target.name === name)?.run({ hosts: 60, rounds: 1, seconds: 1 })
  expect(outcomes?.length).toBeGreaterThan(0)
  for (const outcome of outcomes ?? []) expect(outcome).toMatchObject({ command: expect.stringMatching(installs) })
})

test.each(targets.filter(({ name }) => !OF_SERVICES.includes(name)).map((target) => [target.name, target] as const))(
  'the measurement %s gives values or a reason for each of its goals',
  async (_, target) => {
    const outcomes = await target.run({ hosts: 60, rounds: 2, seconds: 1 })
    expect(outcomes.map(({ goal }) => goal)).toEqual(target.goals)
    for (const outcome of outcomes) {
      if (!isMeasured(outcome)) {
        expect(outcome.reason).not.toBe('')
        expect(outcome.command).not.toBe('')
        continue
      }
      for (const { values } of [outcome, outcome.baseline, ...outcome.parts]) {
        expect(values).toHaveLength(2)
        for (const value of values) expect(value).toBeGreaterThanOrEqual(0)
      }
    }
    for (const line of targetLines(outcomes)) expect(line.length).toBeLessThanOrEqual(80)
  },
)

describe('the baselines decide as the service does', () => {
  test.each(['mixed', 'open'] as const)('on a fleet that lives on, if %s hosts pass', (scenario) => {
    const living = new LivingFleet(200)
    const [scan, plain] = [createColumnarScan(living.fleet), createPlainPipeline(living.fleet, living.profile)]
    for (let i = 0; i < 3 * REQUEST_CLASSES; i++) {
      const request = living.request(scenario, i % REQUEST_CLASSES)
      const decided = living.decide(request)
      expect(decided.parts).toHaveLength(1)
      assertSame(decided, scan(request))
      assertSame(decided, plain(request, decided.record.seed))
      living.settle(request, decided)
    }
  })

  test('and a difference in any part of an answer is an error', () => {
    const living = new LivingFleet(60)
    const decided = living.decide(living.request('open', 0))
    const placed = placedBy(decided)
    const [record] = placed.instances
    if (record === undefined) throw new Error('expected a record of the instance, found none')
    const [first, ...others] = record.best
    if (first === undefined) throw new Error('expected a best host, found none')
    assertSame(decided, placed)
    const changed = [
      { ...placed, parts: [] },
      { ...placed, answer: [] },
      { ...placed, instances: [{ ...record, tied: record.tied + 1 }] },
      { ...placed, instances: [{ ...record, filters: record.filters.slice(1) }] },
      { ...placed, instances: [{ ...record, best: [{ ...first, total: first.total * (1 + Number.EPSILON) }, ...others] }] },
    ]
    for (const other of changed) expect(() => assertSame(decided, other)).toThrow(/differs from the plain scan/)
  })

  test('and the columnar scan refuses requests and fleets that it does not know', () => {
    const living = new LivingFleet(60)
    const request = living.request('open', 0)
    const scan = createColumnarScan(living.fleet)
    expect(() => scan({ ...request, flavor: { ...request.flavor, rootGb: 0 } })).toThrow(/expected a request for memory, CPUs and disk/)
    expect(() => scan({ ...request, flavor: { ...request.flavor, vcpus: 129 } })).toThrow(/expected at most 524288, 128, /)
    const { stepSize } = living.fleet.hosts.classColumns('VCPU')
    stepSize[7] = 2
    expect(() => createColumnarScan(living.fleet)).toThrow(/unit rules for VCPU, found some on host 7/)
  })
})

test('each random decision equals the plain scan', async () => {
  const [outcome] = (await equalityTarget.run({ hosts: 300, rounds: 3, seconds: undefined })) as readonly Measured[]
  expect(outcome?.values).toEqual([100, 100, 100])
})

test('a decision on ten times as many hosts costs less than ten times as much', async () => {
  const [outcome] = (await sizeTarget.run({ hosts: 4_000, rounds: 12, seconds: undefined })) as readonly Measured[]
  if (outcome === undefined) throw new Error('expected a measurement, found none')
  const [large] = outcome.parts
  // the smallest values, because other programs on the machine only add to them
  expect(Math.min(...(large?.values ?? [])) / Math.min(...outcome.baseline.values)).toBeLessThan(10)
})

test('the value of a goal is the median of its rounds', () => {
  expect(spreadOf([5, 1, 3])).toEqual({ min: 1, median: 3, max: 5 })
  expect(spreadOf([4, 1, 2, 3])).toEqual({ min: 1, median: 2.5, max: 4 })
  expect(() => spreadOf([])).toThrow(/expected at least one value/)
  expect([
    isReached(1.5, { most: 1.5 }),
    isReached(1.6, { most: 1.5 }),
    isReached(15, { least: 15 }),
    isReached(14, { least: 15 }),
  ]).toEqual([...[true, false], ...[true, false]])
})

describe('npm run bench', () => {
  afterEach(() => void vi.restoreAllMocks())

  const outputOf = async (...args: string[]): Promise<{ readonly output: string; readonly errors: string; readonly code: number }> => {
    const written: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        written[name] += String(text)
        return true
      })
    const code = await runBench(args)
    vi.restoreAllMocks()
    return { output: written.stdout, errors: written.stderr, code }
  }

  test('prints data for each goal', async () => {
    const { output, code } = await outputOf('p4', 'p9', '--hosts', '60', '--rounds', '2', '--json')
    expect(code).toBe(0)
    const { targets: found, answers } = JSON.parse(output) as { targets: Record<string, unknown>[]; answers: unknown[] }
    expect(answers).toEqual([])
    const number = expect.any(Number)
    const spread = { min: number, median: number, max: number }
    const series = { what: expect.any(String), unit: 'us', ...spread }
    const [of, text] = [expect.any(Boolean), expect.any(String)]
    expect(found).toEqual([
      {
        ...{ name: 'p4', seconds: number, id: 'P4', what: text, unit: 'times', target: { most: 1.5 }, stretch: null },
        ...{ notRun: null, size: '60 and 6 hosts', rounds: 2, value: spread, met: of, stretchMet: null },
        ...{ baseline: series, parts: [series] },
      },
      {
        ...{ name: 'p9', seconds: number, id: 'P9', what: text, unit: 'times', target: { least: 10_000 }, stretch: { least: 20_000 } },
        notRun: { reason: text, command: text },
      },
    ])
  })

  test('prints lines for each goal', async () => {
    const { output } = await outputOf('p13', 'p4', '--hosts', '60', '--rounds', '1')
    expect(output).toMatch(/^P4: .*\n(.*\n)* {4}.* times \(.* to .*\); target <= 1\.50 times: (met|MISSED)\n {4}baseline: /)
    expect(output).toMatch(/\n\nP13: .*\n(.*\n)* {4}target >= 20\.0 times, stretch >= 50\.0 times; not run: /)
  })

  test('refuses a name that it does not know', async () => {
    const { errors, code } = await outputOf('p15')
    expect(code).toBe(2)
    expect(errors).toMatch(/^There is no measurement p15\.\nusage: .*\ngoals for speed \(targets for all of them\): p1, p2, /)
  })
})
