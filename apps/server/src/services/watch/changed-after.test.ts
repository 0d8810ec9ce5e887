import { aLog, aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { changedAfter } from './changed-after.ts'

test('hosts are in the order of their revisions at the time of the search, although hosts report during the search', () => {
  const log = aLog()
  const names = Array.from({ length: 2_000 }, (_, i) => `h${i}`)
  for (const name of names) log.append([aReport(name)])
  const { fleet } = log
  const before = new Map(fleet.hosts.records.map(({ index, revision }) => [index, revision]))
  let steps = 0
  const found: number[] = []
  for (const index of changedAfter(fleet, 0)) {
    // the reports of hosts from all over the list arrive while the work is interrupted
    if (index === undefined) log.append([aReport(names[(steps++ * 37) % 500] ?? '', {}, 10 + steps)])
    else found.push(before.get(index) ?? 0)
  }
  expect(steps).toBeGreaterThan(3)
  expect(found).toEqual([...found].sort((a, b) => a - b))
  expect(found).toHaveLength(names.length)
})
