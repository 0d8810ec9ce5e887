import { afterAll, beforeAll, expect, test } from 'vitest'
import { Replica } from '../../replica/replica.ts'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { documentSize } from '../calls/json-size.ts'
import { createProfiles, type Profiles } from './profiles.ts'

let replica: Replica
let profiles: Profiles

beforeAll(async () => {
  const store = createMemoryStore(() => 1_000_000)
  replica = await Replica.start({ store: store.open(), name: 'r', recordUnlogged: async () => {}, warn: (message) => expect.fail(message) })
  profiles = createProfiles(replica, { reportOf: () => undefined })
})
afterAll(() => replica?.close())

const NO_CONDITION = { dryRun: false, ifStanding: null }

test('of two rollbacks planned on the same state only the first has an effect, and the second does not activate an even earlier version', async () => {
  for (const multiplier of [1, -1, 2])
    await profiles.create('site', { filters: [], weighers: [{ name: 'RAMWeigher', multiplier }], note: 'one of three' })
  await profiles.activate('site@2', null, NO_CONDITION)
  await profiles.activate('site@3', { mode: 'CANARY', percent: 5 }, NO_CONDITION)
  const ends = await Promise.all([1, 2].map(() => profiles.rollBack('site', 'it packs', NO_CONDITION)))
  expect(ends.map(({ type }) => type).sort()).toEqual(['done', 'invalid'])
  expect(ends.find(({ type }) => type === 'invalid')).toMatchObject({ code: 'CONFLICT', issues: [{ code: 'profile.rollout' }] })
  expect(profiles.find('site')).toMatchObject({ active: { number: 2 }, rollout: null })
  // each of two rollbacks in a row activates the preceding version
  expect(await profiles.rollBack('site', 'it packs', NO_CONDITION)).toMatchObject({ type: 'done', version: { number: 1 } })
})

const WEIGHED = (multiplier: number) => ({ filters: [], weighers: [{ name: 'RAMWeigher', multiplier }], note: 'drafted' })

test('a version that was drafted on a version other than the latest is not written, and a dry run writes none', async () => {
  const on = (ifLatest: number | null, dryRun = false) => ({ ifLatest, dryRun })
  expect(await profiles.create('drafted', WEIGHED(1), on(0, true))).toMatchObject({ type: 'done', dryRun: true, version: { number: 1 } })
  expect(profiles.find('drafted')).toBeUndefined()
  expect(await profiles.create('drafted', WEIGHED(1), on(0))).toMatchObject({ type: 'done', version: { number: 1 } })
  expect(await profiles.create('drafted', WEIGHED(2), on(1, true))).toMatchObject({ type: 'done', version: { number: 2 } })
  // if two operators write drafts that are based on the same latest version, one draft is refused
  const ends = await Promise.all([2, 3].map((multiplier) => profiles.create('drafted', WEIGHED(multiplier), on(1))))
  expect(ends.map(({ type }) => type).sort()).toEqual(['done', 'invalid'])
  expect(ends.find(({ type }) => type === 'invalid')).toMatchObject({
    code: 'CONFLICT',
    issues: [{ code: 'profile.version', path: ['ifLatest'], actual: '1' }],
  })
  expect(profiles.find('drafted')?.versions.map(({ number }) => number)).toEqual([1, 2])
  expect(await profiles.create('drafted', WEIGHED(Number.NaN), on(2, true))).toMatchObject({ type: 'invalid' })
})

test("the parts that a profile may name are listed with their properties, and profiles with Nova's rules may name other parts", () => {
  const own = profiles.parts(undefined)
  const named = (name: string) => own.find((part) => part.name === name)
  expect(named('RamFilter')).toMatchObject({ kind: 'FILTER', takesOptions: false, mayShadow: true, unit: null, plugin: null })
  // the rule of this filter is enforced whenever a claim is applied, so the filter cannot run in shadow mode
  expect(named('ServerGroupAntiAffinityFilter')).toMatchObject({ mayShadow: false })
  expect(named('RAMWeigher')).toMatchObject({ kind: 'WEIGHER', unit: 'MiB' })
  expect(own.filter(({ kind }) => kind === 'SCHEDULER').map(({ name }) => name)).toEqual(['filter', 'chance', 'solver'])
  expect(own.filter(({ description }) => description === '')).toEqual([])
  const nova = profiles.parts('nova')
  expect(nova.filter(({ kind }) => kind === 'SCHEDULER').map(({ name }) => name)).toEqual(['filter'])
  expect(nova.map(({ name }) => name)).toContain('NUMATopologyFilter')
  expect(nova.map(({ name }) => name)).not.toContain('GpuPackingWeigher')
})

test('a version with more values than a profile may have is refused by its size', async () => {
  const options = Object.fromEntries(Array.from({ length: documentSize.values + 1 }, (_, i) => [`k${i}`, 0]))
  const outcome = await profiles.create('large', { filters: [{ name: 'ComputeFilter', options }], weighers: [] })
  expect(outcome).toMatchObject({ type: 'invalid', path: ['input'], issues: [{ code: 'call.too_large' }] })
})
