import fc from 'fast-check'
import { expect, test } from 'vitest'
import { profileSchema } from '../profiles/profile.ts'
import { aLog, aReport, aRequest, aUuid } from '../testing/index.ts'
import { compileProfile } from './compile.ts'
import { type FilterStep, prepareFilters, runFilters } from './run-filters.ts'

const compiled = compileProfile(profileSchema.parse({ name: 'test', number: 1, filters: [{ name: 'RamFilter' }], weighers: [] }))

/** Hosts h0 to h5, the even ones of two nodes, first seen in turns; some have no memory left, some are members of an aggregate. */
const fleet = (() => {
  const log = aLog()
  const names = ['h3', 'h0', 'h5', 'h1', 'h4', 'h2']
  log.append(names.map((name, i) => aReport(name, { memoryMb: i % 2 === 0 ? 4_096 : 0 })))
  log.append(names.filter((name) => 'h0 h2 h4'.includes(name)).map((name) => ({ ...aReport(name), node: `${name}-b` })))
  log.append([{ type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'a', hosts: ['h0', 'h1', 'h2'], metadata: {} } }])
  return log.fleet
})()

const hosts = fc.constantFrom('h0', 'h1', 'h2', 'h3', 'h4', 'h5', 'none')
const nodes = fc.constantFrom('h0', 'h0-b', 'h1', 'h2-b', 'none')
const aggregates = fc.constant<string[]>([aUuid(1)])
const some = <Name>(name: fc.Arbitrary<Name>) => fc.oneof(fc.constant<Name[]>([]), fc.array(name, { maxLength: 4 }))
const requests = fc
  .record({
    forceHosts: some(hosts),
    forceNodes: some(nodes),
    ignoreHosts: some(hosts),
    destination: fc.record({ host: hosts, node: nodes, aggregates, forbiddenAggregates: aggregates }, { requiredKeys: [] }),
  })
  .map(({ destination, ...lists }) => aRequest({ ...lists, forceVerify: 'ALL', requestedDestination: destination }))

function askingEach({ prepared, ...step }: FilterStep): FilterStep {
  if (prepared === undefined) return { ...step, prepared }
  const { only: _, ...each } = prepared
  return { ...step, prepared: each }
}

test('a request that names hosts is decided by a look at these as by a look at each', () => {
  let named = 0
  fc.assert(
    fc.property(requests, (request) => {
      const steps = prepareFilters(compiled, request, fleet)
      if (steps[0]?.prepared?.only !== undefined) named++
      expect(runFilters(steps, fleet)).toEqual(runFilters(steps.map(askingEach), fleet))
    }),
    { numRuns: 500 },
  )
  expect(named).toBeGreaterThan(100)
})

test('of a named host the fleet’s others are not asked', () => {
  const asked: number[] = []
  const [candidates, ...others] = prepareFilters(compiled, aRequest({ forceHosts: ['h2', 'h0', 'h2'] }), fleet)
  const { prepared } = candidates ?? {}
  if (candidates === undefined || prepared === undefined) throw new Error('nothing is asked')
  const listening = { ...prepared, passes: (host: Parameters<typeof prepared.passes>[0]) => asked.push(host) > 0 && prepared.passes(host) }
  const { steps } = runFilters([{ ...candidates, prepared: listening }, ...others], fleet)
  const indices = fleet.hosts.records.filter(({ host }) => ['h0', 'h2'].includes(host)).map(({ index }) => index)
  expect(asked).toEqual(indices)
  expect(steps[0]).toEqual({ filter: 'Candidates', entered: fleet.hosts.count, passed: 4 })
})
