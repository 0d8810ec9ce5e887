import { aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { EntryTooLargeError, type Synchronizer } from '../../sync/synchronizer.ts'
import { Replica } from '../replica.ts'

/** A store that refuses entries with more than `most` changes, and the sizes of all entries that it was sent. */
function holding(store: Synchronizer, most: number): { readonly store: Synchronizer; readonly sizes: number[] } {
  const sizes: number[] = []
  return {
    sizes,
    store: {
      ...store,
      async append(entry) {
        sizes.push(entry.changes.length)
        if (entry.changes.length > most) throw new EntryTooLargeError(entry.changes.length, most)
        return store.append(entry)
      },
    },
  }
}

test('an entry that does not fit into one message of the store is sent in several messages, and a call that does not fit alone is refused', async () => {
  const { store, sizes } = holding(createMemoryStore().open(), 3)
  const replica = await Replica.start({ store, name: 'r', warn: () => undefined, recordUnlogged: async () => undefined })
  const report = (...hosts: string[]) => replica.propose(hosts.map((host) => aReport(host)))
  const answers = await Promise.allSettled([report('a'), report('b', 'c'), report('d', 'e', 'f', 'g'), report('h'), report('i')])
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(answers[2]).toMatchObject({ reason: expect.any(EntryTooLargeError) })
  expect(replica.halted).toBeUndefined()
  expect(replica.fleet.hosts.count).toBe(5)
  // nine reports, and the change that raises the feature level of the new log
  expect(sizes[0]).toBe(10)
  // later entries are not limited to the smaller size
  await Promise.all([report('x'), report('y'), report('z')])
  expect(sizes.at(-1)).toBe(3)
  await replica.close()
})
