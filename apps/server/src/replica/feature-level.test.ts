import { type Change, checkpointOf, FEATURE_LEVEL, UnknownEntryError } from '@gantt/scheduler-core'
import { aReport } from '@gantt/scheduler-core/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { createMemoryStore, type MemoryStore } from '../sync/memory/memory.ts'
import { modeOf } from './mode.ts'
import { Replica } from './replica.ts'

const opened: Replica[] = []
afterEach(async () => {
  for (const replica of opened.splice(0)) await replica.close()
})

/** As a release reads that knows no level beyond; that of this release if not given. */
async function open(memory: MemoryStore, name: string, readsUpTo?: number): Promise<Replica> {
  const replica = await Replica.start({ store: memory.open(), name, recordUnlogged: async () => {}, warn: () => {}, readsUpTo })
  opened.push(replica)
  return replica
}

const uuid = '00000000-0000-4000-8000-000000000062'
const older = 5
/** Needs level 6. */
const newer: Change = {
  type: 'aggregate',
  uuid,
  expectedVersion: 0,
  next: { name: 'pool', metadata: { 'gantt:disk_pool': 'p' }, hosts: [] },
}
const plain: Change = { ...newer, next: { name: 'no pool', metadata: {}, hosts: [] } }

describe('a replica that is held at an older feature level', () => {
  test('writes nothing newer, whoever else reads it; all else goes on', async () => {
    const memory = createMemoryStore()
    const held = await open(memory, 'held', older)
    await expect(held.propose([newer])).rejects.toMatchObject({ name: 'FeatureLevelError', replica: 'held', reads: older, needs: 6 })
    expect((await held.propose([plain]))[0]?.void).toBeUndefined()
    expect(memory.entries.flatMap(({ changes }) => changes)).toEqual([plain])
    expect(held.halted).toBeUndefined()
  })

  test('stops writing where it meets an entry that raises the level, and says what it found and what it reads', async () => {
    const memory = createMemoryStore()
    const held = await open(memory, 'held', older)
    const other = await open(memory, 'other')
    await other.propose([newer])
    await held.fresh().catch(() => undefined)
    expect(held.halted).toBeInstanceOf(UnknownEntryError)
    expect(modeOf(held)).toEqual({
      mode: 'READ_ONLY',
      code: 'log.unreadable',
      reason: `entry 1 raises the feature level to 6; this replica is held at level ${older}, and its release reads ${FEATURE_LEVEL}`,
    })
    expect(held.fleet.place.revision).toBe(0)
    await expect(held.propose([plain])).rejects.toThrow('this replica takes no writes: entry 1 raises the feature level to 6')
  })

  test.each<[string, (memory: MemoryStore, other: Replica) => Promise<unknown>, string]>([
    ['log', async () => undefined, 'entry 1 raises the feature level to 6'],
    [
      'checkpoint',
      (memory, other) => memory.open().saveCheckpoint(checkpointOf(other.fleet)),
      'the checkpoint at revision 1 has feature level 6',
    ],
  ])('does not start on a %s of a newer level', async (_name, prepare, message) => {
    const memory = createMemoryStore()
    const other = await open(memory, 'other')
    await other.propose([newer])
    await prepare(memory, other)
    const starting = open(memory, 'held', older)
    await expect(starting).rejects.toBeInstanceOf(UnknownEntryError)
    await expect(starting).rejects.toThrow(message)
    expect((await open(memory, 'of this release')).fleet.featureLevel).toBe(6)
  })

  test('has the state that the others have', async () => {
    const memory = createMemoryStore()
    const [held, other] = [await open(memory, 'held', older), await open(memory, 'other')]
    await other.propose([aReport('h1')])
    await held.propose([plain])
    await other.fresh()
    expect(checkpointOf(held.fleet)).toEqual(checkpointOf(other.fleet))
  })
})
