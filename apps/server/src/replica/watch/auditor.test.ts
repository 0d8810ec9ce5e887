import { aReport, aUuid, someInstances } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { realTimers, type Timers } from '../../timers.ts'
import { Replica } from '../replica.ts'
import { createAuditor } from './auditor.ts'

test('the digest of an unchanged state is computed during a round, because a round of a large fleet takes minutes', async () => {
  const replica = await Replica.start({ store: createMemoryStore().open(), name: 'a', warn: () => {}, recordUnlogged: async () => {} })
  await replica.propose(Array.from({ length: 400 }, (_, i) => aReport(`h${i}`)))
  // each read of the clock advances the clock by an eighth of a slice
  let now = 0
  const timers: Timers = { ...realTimers, now: () => (now += 0.25), every: () => () => {} }
  const auditor = createAuditor({ replica, timers, warn: () => {} })
  while (auditor.digests().whole === null && auditor.view().rounds === 0) auditor.step()
  expect(auditor.digests().whole).toMatchObject({ revision: replica.fleet.place.revision })
  // the digest and the round do not wait for each other
  const { rounds } = auditor.view()
  expect(rounds).toBe(0)
  for (let steps = 0; steps < 400 && auditor.view().rounds === 0; steps++) auditor.step()
  expect(auditor.view().rounds).toBe(1)
  auditor.close()
  await replica.close()
})

test('findings about callers are reported, and do not prevent checkpoints', async () => {
  const replica = await Replica.start({ store: createMemoryStore().open(), name: 'a', warn: () => {}, recordUnlogged: async () => {} })
  await replica.propose([aReport('h1', { instances: [] }), aReport('h2', { instances: [] })])
  const instances = [aUuid(1)]
  await replica.propose([someInstances({ key: 'a', instances, project: 'p1' })])
  await replica.propose([someInstances({ key: 'b', hosts: ['h2'], instances, project: 'p2' })])
  const warned: string[] = []
  let now = 0
  const auditor = createAuditor({
    replica,
    timers: { ...realTimers, now: () => (now += 0.25), every: () => () => {} },
    warn: (text) => warned.push(text),
  })
  while (auditor.view().rounds === 0) auditor.step()
  expect(auditor.view().findings.map(({ code, subject, name }) => [code, subject, name])).toEqual([
    ['instance.elsewhere', 'instance', aUuid(1)],
  ])
  expect(auditor.isSound).toBe(true)
  expect(warned).toEqual([expect.stringContaining('instance.elsewhere')])
  auditor.close()
  await replica.close()
})

test('the auditor reports since when there is no violation and how many checks it made; a violation resets both', async () => {
  const replica = await Replica.start({ store: createMemoryStore().open(), name: 'a', warn: () => {}, recordUnlogged: async () => {} })
  await replica.propose([aReport('h1', { instances: [aUuid(1)] })])
  let now = 0
  const timers: Timers = { ...realTimers, now: () => (now += 0.25), every: () => () => {} }
  const warned: string[] = []
  const auditor = createAuditor({ replica, timers, warn: (text) => warned.push(text) })
  const round = (): void => {
    const { rounds } = auditor.view()
    now += 2_000
    while (auditor.view().rounds === rounds) auditor.step()
  }
  expect(auditor.view().clean).toBeNull()
  round()
  const { looked } = auditor.view()
  const since = auditor.view().clean?.since ?? 0
  round()
  expect(auditor.view()).toMatchObject({ violations: 0, notices: 1, clean: { since, rounds: 2, looks: 2 * looked } })
  expect([...auditor.view().counts]).toEqual([['instance.unclaimed', 1]])
  const free = replica.fleet.hosts.classes.get('VCPU')?.free
  if (free === undefined) throw new Error('no host reports VCPU')
  free[0] = 99
  round()
  expect(auditor.view()).toMatchObject({ violations: 1, clean: null, findings: [{ severity: 'VIOLATION' }, { severity: 'NOTICE' }] })
  free[0] = 16
  round()
  expect(auditor.view()).toMatchObject({ violations: 0, clean: { rounds: 1, looks: looked } })
  // a notice causes no warning
  expect(warned).toEqual([expect.stringContaining('state.column')])
  const [notice] = auditor.view().findings
  expect(auditor.find(notice?.id ?? '')).toEqual(notice)
  expect(auditor.find('0')).toBeUndefined()
  auditor.close()
  await replica.close()
})

test('reports of hosts are checked repeatedly during a round, however many ended claims there are', async () => {
  const replica = await Replica.start({ store: createMemoryStore().open(), name: 'a', warn: () => {}, recordUnlogged: async () => {} })
  await replica.propose([aReport('h1', { vcpus: 8_000, memoryMb: 8_000_000, instances: [] }), aReport('h2', { instances: [] })])
  const ids = Array.from({ length: 20 }, (_, key) => Array.from({ length: 100 }, (_, i) => `c${key}-${i}`))
  const hosts = Array.from({ length: 100 }, () => 'h1')
  for (const [key, claims] of ids.entries()) {
    const instances = claims.map((_, i) => aUuid(100 * key + i + 1))
    await replica.propose([someInstances({ key: `k${key}`, ids: claims, hosts, instances, grants: {} })])
    const fenceOf = (claim: string): number => replica.fleet.ledger.claims.get(claim)?.fence ?? 0
    await replica.propose(claims.map((claim) => ({ type: 'release' as const, claim, fence: fenceOf(claim), reason: null })))
  }
  expect(replica.fleet.ledger.endedKeyCount).toBe(20)
  let now = 0
  const auditor = createAuditor({
    replica,
    timers: { ...realTimers, now: () => (now += 0.25), every: () => () => {} },
    warn: () => {},
  })
  const lookFor = (slices: number): void => {
    for (let slice = 0; slice < slices; slice++, now += 48) auditor.step()
  }
  lookFor(5)
  expect(auditor.view()).toMatchObject({ rounds: 0, warnings: 0 })
  await replica.propose([aReport('h1', { instances: [aUuid(0xffff)] }, 2)])
  await replica.propose([aReport('h2', { instances: [aUuid(0xffff)] }, 2)])
  lookFor(30)
  expect([...auditor.view().counts]).toEqual([
    ['instance.unclaimed', 2],
    ['instance.two_hosts', 1],
  ])
  await replica.propose([aReport('h2', { instances: [] }, 3)])
  lookFor(30)
  expect([...auditor.view().counts]).toEqual([['instance.unclaimed', 1]])
  // the first round over the state is not complete yet
  expect(auditor.view().rounds).toBe(0)
  lookFor(2_000)
  expect(auditor.view().rounds).toBeGreaterThan(0)
  expect(auditor.view()).toMatchObject({ violations: 0, warnings: 0, notices: 1 })
  auditor.close()
  await replica.close()
})
