import { aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../sync/memory/memory.ts'
import { realTimers, type Timers } from '../timers.ts'
import { createAuditor } from './auditor.ts'
import { Replica } from './replica.ts'

test('the digest of a state at rest is taken beside a round, not after it: a round of a large fleet takes minutes', async () => {
  const replica = await Replica.start({ store: createMemoryStore().open(), name: 'a', warn: () => {}, recordUnlogged: async () => {} })
  await replica.propose(Array.from({ length: 400 }, (_, i) => aReport(`h${i}`)))
  // each thing that is looked at takes the eighth of a slice
  let now = 0
  const timers: Timers = { ...realTimers, now: () => (now += 0.25), every: () => () => {} }
  const auditor = createAuditor({ replica, timers, warn: () => {} })
  while (auditor.digests().whole === null && auditor.view().rounds === 0) auditor.step()
  expect(auditor.digests().whole).toMatchObject({ revision: replica.fleet.place.revision })
  // and neither waits for the other
  const { rounds } = auditor.view()
  expect(rounds).toBe(0)
  for (let steps = 0; steps < 400 && auditor.view().rounds === 0; steps++) auditor.step()
  expect(auditor.view().rounds).toBe(1)
  auditor.close()
  await replica.close()
})
