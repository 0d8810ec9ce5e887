import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import { expect, test, vi } from 'vitest'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { realTimers } from '../../timers.ts'
import { Replica } from '../replica.ts'
import { createAuditor } from './auditor.ts'

async function aReplica(warned: string[]): Promise<Replica> {
  const replica = await Replica.start({
    store: createMemoryStore().open(),
    name: 'a',
    warn: (message) => warned.push(message),
    recordUnlogged: async () => {},
  })
  const many = { vcpus: 20_000, memoryMb: 4_000_000, localGb: 100_000 }
  await replica.propose(Array.from({ length: 8 }, (_, i) => aReport(`h${i}`, { ...many, memoryMbUsed: i })))
  return replica
}

async function placeMany(replica: Replica, count: number): Promise<readonly string[]> {
  const hosts: string[] = []
  for (let i = 0; i < count; i++) {
    const outcome = await replica.place({
      ...{ account: 'nova', key: `k${i}`, digest: `k${i}`, request: aRequest({ vcpus: 1, memoryMb: 1_024 }), profile: 'default' },
      ...{ mode: 'RESERVE', ttlMs: 120_000, deadlineMs: 120_000, alternatesPerInstance: 1, intent: 'CREATE', source: null },
      allOrNothing: true,
    })
    if (outcome.type !== 'placed') throw new Error(`the outcome is ${outcome.type}`)
    hosts.push(outcome.answer[0]?.selected.host ?? '')
  }
  return hosts
}

test('one decision in a thousand is made a second time, and nothing is found if both are equal', async () => {
  const warned: string[] = []
  const replica = await aReplica(warned)
  const auditor = createAuditor({ replica, timers: { ...realTimers, every: () => () => {} }, warn: (text) => warned.push(text) })
  await placeMany(replica, 2_001)
  expect(replica.decisionChecks).toMatchObject({ checked: 2, differed: 0, differences: [] })
  expect(auditor.view()).toMatchObject({ violations: 0, decisionsChecked: 2 })
  expect(warned).toEqual([])
  auditor.close()
  await replica.close()
})

test('a decision that cannot be made a second time is made as if it were not checked', async () => {
  const warned: string[] = []
  const replica = await aReplica(warned)
  const compare = vi.spyOn(replica.decisionChecks, 'compare').mockImplementation(() => {
    throw new Error('planted')
  })
  const hosts = await placeMany(replica, 1_001)
  expect(compare).toHaveBeenCalledTimes(1)
  expect(hosts).toHaveLength(1_001)
  expect(replica.fleet.ledger.claims.size).toBe(1_001)
  expect(warned).toEqual([expect.stringMatching(/could not be checked.*planted/)])
  await replica.close()
})

test('a decision that differs is replaced by the result of examining every host, and is a violation until the replica restarts', async () => {
  const warned: string[] = []
  const replica = await aReplica(warned)
  const auditor = createAuditor({ replica, timers: { ...realTimers, every: () => () => {} }, warn: (text) => warned.push(text) })
  // a change that does not reach the feed leaves the index as it was, so the same host is chosen again and again
  const lost = vi.spyOn(replica.fleet.hosts.changes, 'add').mockImplementation(() => undefined)
  const hosts = await placeMany(replica, 1_000)
  expect(new Set(hosts.slice(-10, -1)).size).toBe(1)
  expect(hosts.at(-1)).not.toBe(hosts.at(-2))
  const [finding] = auditor.view().findings
  expect(finding).toMatchObject({ code: 'decision.differs', subject: 'decision', severity: 'VIOLATION' })
  expect(auditor.view().counts.get('decision.differs')).toBe(1)
  expect(auditor.find(finding?.id ?? '')).toMatchObject({ expected: finding?.expected })
  expect(warned).toEqual([expect.stringContaining('report this as a defect')])
  // a replica with such a finding still writes checkpoints, because its state is not wrong
  expect(auditor.isSound).toBe(true)
  lost.mockRestore()
  auditor.close()
  await replica.close()
})
