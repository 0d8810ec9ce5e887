import type { AggregateChanged, HostTable, Steps } from '@gantt/scheduler-core'
import { aClaim, aLog, aReport, aUuid } from '@gantt/scheduler-core/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { claimsOn } from './aggregate-warnings.ts'
import { sidesInSteps } from './tried-edit.ts'

const HOSTS = 2_000
const names = Array.from({ length: HOSTS }, (_, i) => `h${i}`)

/** Hosts in one aggregate, each with a claim, and an edit that removes all of them. */
function aFleet() {
  const log = aLog()
  log.append(names.map((name) => aReport(name)))
  const uuid = aUuid(1)
  const metadata = { availability_zone: 'z1' }
  log.append([{ type: 'aggregate', uuid, expectedVersion: 0, next: { name: 'a', metadata, hosts: names } }])
  for (const [i, name] of names.entries()) log.append([aClaim({ key: `k${i}`, hosts: [name], instances: [aUuid(i + 2)] })])
  const change: AggregateChanged = { type: 'aggregate', uuid, expectedVersion: 1, next: { name: 'a', metadata, hosts: [] } }
  return { fleet: log.fleet, change }
}

/**
 * Runs the work. Returns the largest amount of work between two yields, the number of steps between yields, and the result.
 */
function stepByStep<Result>(steps: Steps<Result>, takeCount: () => number) {
  const amounts: number[] = []
  for (;;) {
    const step = steps.next()
    amounts.push(takeCount())
    if (step.done) return { most: Math.max(...amounts), steps: amounts.length, answer: step.value }
  }
}

/** The object with the methods that all tables of hosts share. */
const methodsOf = (hosts: HostTable): HostTable => Object.getPrototypeOf(hosts) as HostTable

afterEach(() => vi.restoreAllMocks())

test('copying a fleet with and without an edit yields between the two copies', () => {
  const { fleet, change } = aFleet()
  const copies = vi.spyOn(methodsOf(fleet.hosts), 'takeCopy')
  const takeCount = () => {
    const { length } = copies.mock.calls
    copies.mockClear()
    return length
  }
  const { most, answer } = stepByStep(sidesInSteps(fleet, change), takeCount)
  expect(most).toBe(1)
  const [now, edited] = [answer.now, answer.edited].map(({ aggregates }) => aggregates.byUuid.get(change.uuid)?.hosts.length)
  expect([now, edited, fleet.place]).toEqual([HOSTS, 0, answer.now.place])
})

test('gathering the claims of an aggregate yields after a few hundred hosts', () => {
  const { fleet, change } = aFleet()
  const looked = vi.spyOn(methodsOf(fleet.hosts), 'get')
  const takeCount = () => {
    const { length } = looked.mock.calls
    looked.mockClear()
    return length
  }
  const { most, steps, answer } = stepByStep(claimsOn(fleet, change), takeCount)
  expect([most <= 256, steps > 4, answer.length]).toEqual([true, true, HOSTS])
})
