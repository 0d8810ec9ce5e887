import { expect, test } from 'vitest'
import { weighers } from '../../bundled.ts'
import { compileProfile, parseProfile } from '../../pipeline/compile.ts'
import { prepareWeighers, runWeighers } from '../../pipeline/weighing/run-weighers.ts'
import { type ProfileInput, profileSchema } from '../../records/profile.ts'
import { aLog, aReport, aRequest, aUuid } from '../../testing/index.ts'

const metric = (name: string, value: number) => ({ name, value, timestamp: '2026-01-15T12:00:00Z', source: null })

const weigh = (log: ReturnType<typeof aLog>, weigher: ProfileInput['weighers'][number]) => {
  const compiled = compileProfile(profileSchema.parse({ name: 'test', number: 1, filters: [], weighers: [weigher] }))
  const hosts = Int32Array.from({ length: log.fleet.hosts.count }, (_, i) => i)
  const weighed = runWeighers(prepareWeighers(compiled, aRequest(), log.fleet), hosts)
  return { raw: [...(weighed.weighers[0]?.raw ?? [])], multiplier: weighed.weighers[0]?.multiplier, totals: [...weighed.totals] }
}

const aLogOf = (...hosts: readonly (readonly [string, Parameters<typeof aReport>[1]])[]) => {
  const log = aLog()
  log.append(hosts.map(([name, shape]) => aReport(name, shape)))
  return log
}

test('all weighers of Nova are in the list of weighers, with unique names', () => {
  const names = weighers.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const name of ['BuildFailureWeigher', 'PCIWeigher', 'CrossCellWeigher', 'MetricsWeigher', 'HypervisorVersionWeigher'])
    expect(names).toContain(name)
  expect(names).toContain('ImagePropertiesWeigher')
})

test('HypervisorVersionWeigher gives newer hypervisors a higher score', () => {
  const log = aLogOf(
    ['old', { hypervisorVersion: 5_000_000 }],
    ['silent', { hypervisorVersion: null }],
    ['new', { hypervisorVersion: 8_000_000 }],
  )
  expect(weigh(log, { name: 'HypervisorVersionWeigher', multiplier: 2 })).toEqual({
    raw: [5_000_000, 0, 8_000_000],
    multiplier: 2,
    totals: [1.25, 0, 2],
  })
})

test('MetricsWeigher multiplies metrics by their ratios, and a host without a required metric gets the lowest score of the others', () => {
  const log = aLogOf(['a', { metrics: [metric('fan', 3)] }], ['b', { metrics: [metric('fan', 7)] }], ['c', {}])
  const options = { 'metrics.weight_setting': ['fan=2'] }
  expect(weigh(log, { name: 'MetricsWeigher', multiplier: 1, options })).toMatchObject({ raw: [6, 14, 6], totals: [0, 1, 0] })
  const lenient = { ...options, 'metrics.required': false, 'metrics.weight_of_unavailable': -2 }
  expect(weigh(log, { name: 'MetricsWeigher', multiplier: 1, options: lenient })).toMatchObject({ raw: [6, 14, -2] })
})

test("the multiplier of BuildFailureWeigher is Nova's option, and its negative value is used in the total", () => {
  const log = aLogOf(['a', {}], ['b', {}])
  expect(weigh(log, { name: 'BuildFailureWeigher', multiplier: 1_000_000 }).multiplier).toBe(-1_000_000)
})

test('a multiplier in an aggregate applies from the next decision on, until it is removed', () => {
  const log = aLogOf(['a', { hypervisorVersion: 1 }], ['b', { hypervisorVersion: 2 }])
  const said = { name: 'HypervisorVersionWeigher', multiplier: 1, options: { aggregateMultiplier: true } }
  const totals = () => weigh(log, said).totals
  const edit = (expectedVersion: number, metadata: Readonly<Record<string, string>>) =>
    expect(log.append([{ type: 'aggregate', uuid: aUuid(1), expectedVersion, next: { name: 'gold', hosts: ['b'], metadata } }])).toEqual([
      undefined,
    ])
  expect(totals()).toEqual([0, 1])
  edit(0, { hypervisor_version_weight_multiplier: '3.5' })
  expect([totals(), totals()]).toEqual([
    [0, 3.5],
    [0, 3.5],
  ])
  edit(1, { hypervisor_version_weight_multiplier: '-1' })
  expect(totals()).toEqual([0, -1])
  edit(2, {})
  expect(totals()).toEqual([0, 1])
})

test.each([
  ['an option of another weigher', { weight_setting: [] }, 'weight_setting'],
  ['an option of the wrong type', { 'metrics.required': 'yes' }, 'metrics.required'],
  ['an option that must be a boolean and is not', { aggregateMultiplier: 1 }, 'aggregateMultiplier'],
])('%s is refused when the profile is written', (_what, options, named) => {
  const parsed = parseProfile({ name: 'x', number: 1, filters: [], weighers: [{ name: 'MetricsWeigher', multiplier: 1, options }] })
  expect(parsed.ok ? [] : parsed.problems.map(({ message }) => message)).toEqual([expect.stringContaining(named)])
})
