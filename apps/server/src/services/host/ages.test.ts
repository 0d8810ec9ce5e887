import { copyFleet, countCollectors } from '@gantt/scheduler-core'
import { aDocument, aReport } from '@gantt/scheduler-core/testing'
import { afterEach, expect, test } from 'vitest'
import { runYielding } from '../../event-loop/pauses.ts'
import { Replica } from '../../replica/replica.ts'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { collectorViews } from './host-collectors.ts'
import { namespacesOf } from './host-namespaces.ts'
import { viewHost } from './host-view.ts'
import { createHosts } from './hosts.ts'

let replica: Replica | undefined
afterEach(() => replica?.close())

const MINUTE = 60_000

test('reports of a host grow old although nothing is written to the log, and those of a past fleet do not', async () => {
  let time = 1_000_000
  const opened = await Replica.start({
    ...{ store: createMemoryStore(() => time).open(), name: 'r', warn: (message) => expect.fail(message) },
    recordUnlogged: async () => undefined,
  })
  replica = opened
  const collector = { name: 'mine', namespace: 'storage', state: 'SENDING', since: '2026-11-20T12:00:00.000Z' }
  await opened.propose([aReport('h1')])
  await opened.propose([aDocument('h1', 'collectors', { collectors: [collector] })])
  const hosts = createHosts(opened)
  const present = hosts.find({ host: 'h1' }) ?? expect.unreachable()
  const past = viewHost(copyFleet(opened.fleet), present.record)
  time += 21 * MINUTE
  await expect.poll(() => opened.storeTime).toBeGreaterThanOrEqual(time)
  const said = [present, past].map((host) => [
    namespacesOf(host, hosts.timeOf(host)).map(({ ageSeconds }) => ageSeconds),
    collectorViews(host, hosts.timeOf(host)).map(({ isOutdated }) => isOutdated),
  ])
  expect(said).toEqual([
    [[21 * 60], [true]],
    [[0], [false]],
  ])
  const counted = await runYielding(countCollectors({ now: hosts.timeOf(present), hosts: opened.fleet.hosts }))
  expect(counted.states).toEqual([{ collector: 'mine', value: 'OUTDATED', hosts: 1 }])
})
