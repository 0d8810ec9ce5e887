import { expect, test, vi } from 'vitest'
import type { Fleet } from '../fleet/fleet.ts'
import { HostTable } from '../hosts/hosts.ts'
import { aLog, aReport, aUuid } from '../testing/index.ts'
import type { Steps } from '../values/steps.ts'
import { addHosts } from './add-hosts.ts'
import { applyEdits } from './apply-edits.ts'
import { type FleetEdits, type FleetEditsInput, NO_EDITS, parseFleetEditsInSteps } from './edits.ts'

/** A fleet with these hosts, and with aggregates of the first of them. */
function aFleet(hosts: number, aggregates = 0): Fleet {
  const log = aLog()
  log.append(Array.from({ length: hosts }, (_, i) => aReport(`h${i}`)))
  log.append(
    Array.from({ length: aggregates }, (_, i) => ({
      ...{ type: 'aggregate' as const, uuid: aUuid(i + 1), expectedVersion: 0 },
      next: { name: `agg${i}`, hosts: ['h0'], metadata: {} },
    })),
  )
  return log.fleet
}

/** Runs a generator to its end. Returns its result, and how many steps it took. */
function counted<Result>(work: Steps<Result>): { readonly result: Result; readonly steps: number } {
  for (let steps = 1; ; steps++) {
    const step = work.next()
    if (step.done) return { result: step.value, steps }
  }
}

const parsed = (fleet: Fleet, input: FleetEditsInput) => counted(parseFleetEditsInSteps(fleet, input))
const edits = (more: Partial<FleetEdits>): FleetEdits => ({ ...NO_EDITS, ...more })
const like = (aggregates: string[], count = 1) => ({ likeHost: 'h0', count, availabilityZone: null, aggregates })

/** Counts how many aggregates are read while `work` runs. */
function aggregatesRead({ aggregates: { byUuid } }: Fleet, work: () => void): number {
  let read = 0
  const values = byUuid.values.bind(byUuid)
  const spy = vi.spyOn(byUuid, 'values').mockImplementation(function* () {
    for (const one of values()) {
      read++
      yield one
    }
    return undefined
  })
  work()
  spy.mockRestore()
  return read
}

test('an aggregate that is named many times gets each added host once', () => {
  const fleet = aFleet(1, 1)
  const { result } = counted(applyEdits(fleet, edits({ addHosts: [like([...Array<string>(255).fill('agg0'), aUuid(1)], 20)] })))
  expect(result).toEqual([])
  expect(fleet.aggregates.byUuid.get(aUuid(1))?.hosts).toHaveLength(21)
})

test('the names of added hosts are listed for many aggregates in several steps, so that other calls are answered in between', () => {
  const fleet = aFleet(1, 50)
  const all = Array.from({ length: 50 }, (_, i) => `agg${i}`)
  const yielded = [...addHosts(fleet, edits({ addHosts: [like(all, 1_000)] }))]
  const changes = yielded.flatMap((step) => step?.change ?? [])
  expect(changes).toHaveLength(1_000 + 50)
  // 1,000 names are added to each of 50 lists, at most 500 between two pauses
  expect(yielded.length - changes.length).toBeGreaterThanOrEqual(50 + (50 * 1_000) / 500)
})

test('the aggregates of a fleet are read once for all names of aggregates, and not once for each', () => {
  const fleet = aFleet(1, 200)
  const added = Array.from({ length: 256 }, () => like(Array<string>(256).fill('agg199')))
  const change = { aggregate: 'agg199', addHosts: [], removeHosts: [], setMetadata: { k: 'v' }, unsetMetadata: [] }
  const ratio = { host: null, node: null, aggregate: 'agg199', resourceClass: 'VCPU', allocationRatio: 2 }
  const input = { addHosts: added, aggregateChanges: Array(256).fill(change), ratios: Array(256).fill(ratio) }
  const checked = aggregatesRead(fleet, () => expect(parsed(fleet, input).result.ok).toBe(true))
  expect(checked).toBeLessThanOrEqual(200)
  const few = edits({ addHosts: added.slice(0, 20), ratios: Array(20).fill(ratio) })
  // each edit of an aggregate in the log compares its name with the names of the others, which is one pass for each of them
  expect(aggregatesRead(fleet, () => counted(applyEdits(fleet, few)))).toBeLessThanOrEqual(200 * 4)
})

test('names of aggregates are checked in several steps, and at most 100 unknown names become problems', () => {
  const fleet = aFleet(1, 1)
  const { result, steps } = parsed(fleet, { addHosts: Array.from({ length: 256 }, () => like(Array<string>(256).fill('none'))) })
  expect(result.ok ? 0 : result.problems.length).toBe(100)
  expect(steps).toBeGreaterThan((256 * 256) / 500)
})

test.each(['removeHosts', 'drainHosts', 'disableHosts', 'enableHosts'] as const)(
  'of many unknown names in %s, at most 100 become problems',
  (field) => {
    const { result } = parsed(aFleet(1), { [field]: Array.from({ length: 2_000 }, (_, i) => `none${i}`) })
    expect(result.ok ? 0 : result.problems.length).toBe(100)
  },
)

test('a name that is listed many times is looked up once', () => {
  const fleet = aFleet(2)
  const looked = vi.spyOn(HostTable.prototype, 'nodesOf')
  const { result } = parsed(fleet, { removeHosts: Array(5_000).fill('h0'), enableHosts: Array(5_000).fill('h1') })
  const times = looked.mock.calls.length
  looked.mockRestore()
  expect(result.ok).toBe(true)
  expect(times).toBeLessThan(50)
})

test('a host that is removed and enabled is a problem at each place where it is enabled', () => {
  const { result } = parsed(aFleet(2), { removeHosts: ['h0', 'h0'], enableHosts: ['h0', 'h1', 'h0'] })
  expect(result.ok ? [] : result.problems.map(({ path }) => path.join('.'))).toEqual(['enableHosts.0', 'enableHosts.2'])
})

test('many edited ratios are compared with few hosts in several steps, so that other calls are answered in between', () => {
  const fleet = aFleet(400, 2)
  const ratio = { host: null, node: null, aggregate: 'agg1', resourceClass: 'VCPU', allocationRatio: 2 }
  const { steps } = counted(applyEdits(fleet, edits({ ratios: Array(256).fill(ratio) })))
  expect(steps).toBeGreaterThan((400 * 256) / 500)
})
