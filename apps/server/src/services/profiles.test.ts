import { afterAll, beforeAll, expect, test } from 'vitest'
import { Replica } from '../replica/replica.ts'
import { createMemoryStore } from '../sync/memory/memory.ts'
import { createProfiles, type Profiles } from './profiles.ts'

let replica: Replica
let profiles: Profiles

beforeAll(async () => {
  const store = createMemoryStore(() => 1_000_000)
  replica = await Replica.start({ store: store.open(), name: 'r', recordUnlogged: async () => {}, warn: (message) => expect.fail(message) })
  profiles = createProfiles(replica, { reportOf: () => undefined })
})
afterAll(() => replica?.close())

const WHATEVER = { dryRun: false, ifStanding: null }

test('two rollbacks that are planned on the same state are one: the second does not go on to the version before', async () => {
  for (const multiplier of [1, -1, 2])
    await profiles.create('site', { filters: [], weighers: [{ name: 'RAMWeigher', multiplier }], note: 'one of three' })
  await profiles.activate('site@2', null, WHATEVER)
  await profiles.activate('site@3', { mode: 'CANARY', percent: 5 }, WHATEVER)
  const ends = await Promise.all([1, 2].map(() => profiles.rollBack('site', 'it packs', WHATEVER)))
  expect(ends.map(({ type }) => type).sort()).toEqual(['done', 'invalid'])
  expect(ends.find(({ type }) => type === 'invalid')).toMatchObject({ code: 'CONFLICT', issues: [{ code: 'profile.rollout' }] })
  expect(profiles.find('site')).toMatchObject({ active: { number: 2 }, rollout: null })
  // one after the other go back further
  expect(await profiles.rollBack('site', 'it packs', WHATEVER)).toMatchObject({ type: 'done', version: { number: 1 } })
})
