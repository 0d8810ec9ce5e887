import { createRandom, decide, examine, openOverlay } from '@gantt/scheduler-core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { demoFleet } from './fleet.ts'
import { failingExamples, nextRequest } from './requests.ts'
import { applied, toRequest } from './testing/fleet.ts'

const options = { meanLifetime: 100, licensedHosts: 6 }
const streamOf = (seed: string, length: number) => {
  const random = createRandom(seed)
  return Array.from({ length }, () => nextRequest(random, options))
}

test('the service accepts every request of the demo', () => {
  fc.assert(
    fc.property(fc.string(), (seed) => {
      for (const { spec } of streamOf(seed, 10)) expect(() => toRequest(spec)).not.toThrow()
    }),
  )
})

test('the same seed gives the same requests', () => {
  expect(streamOf('a', 50)).toEqual(streamOf('a', 50))
  expect(streamOf('a', 50)).not.toEqual(streamOf('b', 50))
})

test('the mean lifetime of claims is the requested mean', () => {
  const lifetimes = streamOf('a', 2_000).map(({ lifetime }) => lifetime)
  expect(lifetimes.reduce((sum, lifetime) => sum + lifetime, 0) / lifetimes.length / options.meanLifetime).toBeCloseTo(1, 1)
})

/** The result of an example request on a fleet: how many instances found a host, and the reason for the first instance without one. */
function fate(hosts: number, seed: string, example: number) {
  const demo = demoFleet({ hosts, seed })
  const fleet = applied(demo)
  const { spec, sentence } = failingExamples(createRandom(seed), demo.licensed.length)[example] as ReturnType<
    typeof failingExamples
  >[number]
  const request = toRequest(spec)
  const profile = fleet.profiles.find('default')
  if (profile === undefined) throw new Error('there is no default profile')
  const overlay = openOverlay(fleet)
  const { found } = decide(fleet, overlay, {
    id: 'd',
    request,
    profile,
    seed,
    attempt: 1,
    alternatesPerInstance: 0,
    allOrNothing: false,
    claimIds: spec.instanceUuids.map((_, index) => `c${index}`),
  })
  return { found, sentence, instances: spec.instanceUuids.length, steps: examine(fleet, request, profile, seed).steps }
}

test.each([
  [0, 'near miss', 'RamFilter', 'memory.short'],
  [1, 'a model of another zone', 'GpuFilter', 'gpu.model'],
  [2, 'a cell that is too wide', 'NUMATopologyFilter', 'numa.too_few_dedicated'],
  [3, 'more nodes than licences', 'ServerGroupAntiAffinityFilter', 'group.anti_affinity'],
  [4, 'a misspelt disk type', 'AggregateInstanceExtraSpecsFilter', 'aggregate.extra_spec'],
])('example %i, %s, finds no host because of %s', (example, _name, filter, code) => {
  for (const [hosts, seed] of [
    [200, '1'],
    [30, 'another'],
    [500, '2'],
  ] as const) {
    const { found, instances, steps, sentence } = fate(hosts, seed, example)
    expect(found).toBeLessThan(instances)
    expect(steps.flatMap(({ reasons }) => reasons).filter((reason) => reason.filter === filter)).toContainEqual(
      expect.objectContaining({ code }),
    )
    expect(sentence.length).toBeLessThanOrEqual(78)
  }
})

test('the nearest host of the first example lacks only 6 GiB of memory', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 5, max: 120 }), (seed, hosts) => {
      const demo = demoFleet({ hosts, seed })
      const fleet = applied(demo)
      const [example] = failingExamples(createRandom(seed), demo.licensed.length)
      const profile = fleet.profiles.find('default')
      const host = fleet.hosts.find({ host: 'z2-r01-mem-02', node: 'z2-r01-mem-02' })
      if (example === undefined || profile === undefined || host === undefined) throw new Error('something is missing')
      const examined = examine(fleet, toRequest(example.spec), profile, seed)
      const refusals = examined.checksOf(host.index).filter(({ verdict }) => verdict === 'FAIL')
      expect(refusals.map(({ reason }) => reason)).toEqual([
        expect.objectContaining({ code: 'memory.short', need: 256 * 1_024, have: 250 * 1_024 }),
      ])
    }),
    { numRuns: 20 },
  )
})

test('most requests of the stream find a host on a fleet of 200', () => {
  const demo = demoFleet({ hosts: 200, seed: '1' })
  const fleet = applied(demo)
  const profile = fleet.profiles.find('default')
  if (profile === undefined) throw new Error('there is no default profile')
  const overlay = openOverlay(fleet)
  const requests = streamOf('1', 240)
  const placed = requests.filter(({ spec }, number) => {
    const request = toRequest(spec)
    const claimIds = spec.instanceUuids.map((_, index) => `c${number}.${index}`)
    const input = { id: `d${number}`, request, profile, seed: '1', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds }
    return decide(fleet, overlay, input).parts.length > 0
  })
  expect(placed.length / requests.length).toBeGreaterThan(0.92)
  expect(placed.length).toBeLessThan(requests.length)
})
