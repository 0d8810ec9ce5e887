import { type Change, checkpointOf, FEATURE_LEVEL, restoreFleet, UnknownEntryError } from '@gantt/scheduler-core'
import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { createMemoryStore, type MemoryStore } from '../../sync/memory/memory.ts'
import { modeOf } from '../mode.ts'
import { Replica } from '../replica.ts'
import type { ReplicaOptions } from '../replica-options.ts'
import { FeatureLevelError } from './feature-level.ts'

const opened: Replica[] = []
afterEach(async () => {
  for (const replica of opened.splice(0)) await replica.close()
})

/** Opens a replica that reads levels up to `readsUpTo`, like an older release; by default this release's level. */
async function open(memory: MemoryStore, name: string, readsUpTo?: number, more: Partial<ReplicaOptions> = {}): Promise<Replica> {
  const replica = await Replica.start({ store: memory.open(), name, recordUnlogged: async () => {}, warn: () => {}, readsUpTo, ...more })
  opened.push(replica)
  return replica
}

const uuid = '00000000-0000-4000-8000-000000000062'
const older = 5
/** A change that needs level 6. */
const newer: Change = {
  type: 'aggregate',
  uuid,
  expectedVersion: 0,
  next: { name: 'pool', metadata: { 'gantt:disk_pool': 'p' }, hosts: [] },
}
const plain: Change = { ...newer, next: { name: 'no pool', metadata: {}, hosts: [] } }

/** Checks levels as if a replica named `held` supported only the older level. */
const besideHeld = async (level: number): Promise<void> => {
  if (level > older) throw new FeatureLevelError('held', older, level)
}

const ask = (replica: Replica, key: string) =>
  replica.place({
    account: 'nova',
    key,
    digest: key,
    request: aRequest({ vcpus: 1 }),
    profile: 'default',
    mode: 'CONFIRM',
    ttlMs: 1_000,
    deadlineMs: 5_000,
    alternatesPerInstance: 0,
    intent: 'CREATE',
    source: null,
    allOrNothing: true,
  })

describe('the feature level in the log', () => {
  test.each<[string, Change]>([
    ['a report', aReport('h1')],
    ['an edit', plain],
  ])('a new log starts at the feature level of its release: the first entry is %s', async (_name, first) => {
    const memory = createMemoryStore()
    const replica = await open(memory, 'a')
    await replica.propose([first])
    expect(memory.entries[0]?.changes).toEqual([first, { type: 'feature', level: FEATURE_LEVEL }])
    await replica.propose([aReport('h2')])
    expect(memory.entries[1]?.changes).toHaveLength(1)
  })

  test('an older log is raised by the first decision after every living replica supports the level, and not by reports', async () => {
    const memory = createMemoryStore()
    const held = await open(memory, 'held', older)
    await held.propose([aReport('h1'), aReport('h2')])
    let mayRaise = besideHeld
    let isRead = false
    const newer = await open(memory, 'newer', undefined, { mayRaise: (level) => mayRaise(level), isReadByAll: () => isRead })
    // at the last check, a replica did not support the feature level, so this call does not query the store
    expect((await ask(newer, 'k1')).type).toBe('placed')
    // at the last check, all replicas supported the feature level, but an older replica has started since: the call continues at the
    // present level
    isRead = true
    expect((await ask(newer, 'k2')).type).toBe('placed')
    expect(newer.fleet.featureLevel).toBe(older)
    await held.fresh()
    expect(held.halted).toBeUndefined()
    await held.close()
    mayRaise = async () => undefined
    await newer.propose([aReport('h2', {}, 2)])
    expect(newer.fleet.featureLevel).toBe(older)
    expect((await ask(newer, 'k3')).type).toBe('placed')
    expect(newer.fleet.featureLevel).toBe(FEATURE_LEVEL)
    // the entry that raises the level computes the usage by all claims again, with the same result as a start from a checkpoint or from the
    // log
    const fromLog = await open(memory, 'from the log')
    expect(checkpointOf(fromLog.fleet)).toEqual(checkpointOf(newer.fleet))
    const fromCheckpoint = restoreFleet(checkpointOf(newer.fleet))
    for (const host of ['h1', 'h2']) expect(freeOf(fromCheckpoint, host)).toEqual(freeOf(newer.fleet, host))
  })
})

const freeOf = ({ hosts }: Replica['fleet'], host: string) => {
  const record = hosts.find({ host, node: host })
  return [...hosts.classes].map(([resourceClass, { free }]) => [resourceClass, free[record?.index ?? -1]])
}

describe('a replica that is held at an older feature level', () => {
  test('a replica held at an older level writes no newer change, even if all others read it; everything else continues', async () => {
    const memory = createMemoryStore()
    const held = await open(memory, 'held', older)
    await expect(held.propose([newer])).rejects.toMatchObject({ name: 'FeatureLevelError', replica: 'held', reads: older, needs: 6 })
    expect((await held.propose([plain]))[0]?.void).toBeUndefined()
    expect(memory.entries.flatMap(({ changes }) => changes)).toEqual([plain, { type: 'feature', level: older }])
    expect(held.halted).toBeUndefined()
  })

  test('a replica held at an older level stops writing at an entry that raises the level, and reports both levels', async () => {
    const memory = createMemoryStore()
    const held = await open(memory, 'held', older)
    const other = await open(memory, 'other')
    await other.propose([newer])
    await held.fresh().catch(() => undefined)
    expect(held.halted).toBeInstanceOf(UnknownEntryError)
    expect(modeOf(held)).toEqual({
      mode: 'READ_ONLY',
      code: 'log.unreadable',
      reason: `entry 1 raises the feature level to ${FEATURE_LEVEL}; this replica is held at level ${older}, and its release reads ${FEATURE_LEVEL}`,
    })
    expect(held.fleet.place.revision).toBe(0)
    await expect(held.propose([plain])).rejects.toThrow(
      `this replica takes no writes: entry 1 raises the feature level to ${FEATURE_LEVEL}`,
    )
  })

  test.each<[string, (memory: MemoryStore, other: Replica) => Promise<unknown>, string]>([
    ['log', async () => undefined, `entry 1 raises the feature level to ${FEATURE_LEVEL}`],
    [
      'checkpoint',
      (memory, other) => memory.open().saveCheckpoint(checkpointOf(other.fleet)),
      `the checkpoint at revision 1 has feature level ${FEATURE_LEVEL}`,
    ],
  ])('a replica held at an older level does not start from a %s of a newer level', async (_name, prepare, message) => {
    const memory = createMemoryStore()
    const other = await open(memory, 'other')
    await other.propose([newer])
    await prepare(memory, other)
    const starting = open(memory, 'held', older)
    await expect(starting).rejects.toBeInstanceOf(UnknownEntryError)
    await expect(starting).rejects.toThrow(message)
    expect((await open(memory, 'of this release')).fleet.featureLevel).toBe(FEATURE_LEVEL)
  })

  test('a replica held at an older level has the same state as the others', async () => {
    const memory = createMemoryStore()
    const [held, other] = [await open(memory, 'held', older), await open(memory, 'other', undefined, { mayRaise: besideHeld })]
    await other.propose([aReport('h1')])
    await held.propose([plain])
    await other.fresh()
    expect(checkpointOf(held.fleet)).toEqual(checkpointOf(other.fleet))
  })
})
