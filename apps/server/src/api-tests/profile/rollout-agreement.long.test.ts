import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPrisma } from '../../db/prisma.ts'
import { createRolloutStore, KEPT_DISAGREEMENTS, type KeptDisagreement } from '../../db/tables/rollouts.ts'
import { MINUTE_MS, ROLLOUT_KEPT_MS } from '../../replica/rollout/rollout-findings.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let database: TestDatabase
let api: TestService
let second: TestService

beforeAll(async () => {
  database = await createTestDatabase()
  api = await startTestService({ database })
  second = await startTestService({ database })
  await api.report({ large: { memoryMb: 65_536 }, small: { memoryMb: 16_384 }, tiny: { memoryMb: 8_192 } })
})
afterAll(async () => {
  expect([...api.warnings, ...second.warnings]).toEqual([])
  await api.close()
  await second.close()
  await database.drop()
})

const write = (name: string, filters: readonly object[], multiplier: number): Promise<Json> =>
  dataOf(
    api,
    'mutation ($name: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $name, input: $input) { __typename ... on ProfilePayload { version { number } } } }',
    { name, input: { filters, weighers: [{ name: 'RAMWeigher', multiplier }], note: '' } },
  )
const activate = (version: string, rollout: Json): Promise<Json> =>
  dataOf(
    api,
    'mutation ($version: ID!, $rollout: RolloutInput) { profileActivate(version: $version, rollout: $rollout) { ... on ProfilePayload { profile { rollout { mode since } } } } }',
    { version, rollout },
  ).then(({ profileActivate }) => profileActivate.profile.rollout)

const FIELDS =
  'since overTime(most: 60) { at until sampled agreed elsewhere newFailures newPlacements agreement skipped notSolved } disagreements(first: 10) { at kind because instance decision { id } baselineChoice { hostName rank because } candidateChoice { hostName rank because } }'
const rolloutOf = async (name: string, at?: number, of = api): Promise<Json> =>
  (await dataOf(of, `query ($name: String!, $at: Moment) { profile(name: $name, at: $at) { rollout { ${FIELDS} } } }`, { name, at }))
    .profile.rollout

type Step = Readonly<Record<'sampled' | 'agreed' | 'elsewhere' | 'newFailures' | 'skipped', number>>
const sum = (steps: readonly Step[], field: keyof Step): number => steps.reduce((all, step) => all + step[field], 0)

describe('a rollout over time', () => {
  test('each decision of every replica is counted once, in the interval in which it was made, and every replica returns the same counts', async () => {
    await write('site', [{ name: 'RamFilter' }], 1)
    await write('site', [{ name: 'RamFilter' }], -1)
    await activate('site@2', { mode: 'SHADOW' })
    const made: Json[] = []
    for (const of of [api, second, api]) made.push(await placeWith(of, { profile: 'site' }, { flavor: { vcpus: 1, memoryMb: 64 } }))
    made.push(await placeWith(second, { profile: 'site' }, { flavor: { vcpus: 1, memoryMb: 999_999 } }))
    // the second replica writes its counts and disagreements to the tables a few seconds later
    const seen = await vi.waitFor(
      async () => {
        const found = await rolloutOf('site')
        expect(sum(found.overTime, 'sampled')).toBe(4)
        // the counts and the disagreements are read separately, so both must be waited for
        expect(found.disagreements).toHaveLength(3)
        return found
      },
      { timeout: 120_000, interval: 200 },
    )
    expect([sum(seen.overTime, 'elsewhere'), sum(seen.overTime, 'agreed'), sum(seen.overTime, 'skipped')]).toEqual([3, 1, 0])
    for (const { sampled, agreed, agreement } of seen.overTime) expect(agreement).toBe(sampled === 0 ? null : agreed / sampled)
    expect(seen.overTime[0].at).toBe(seen.since)
    for (const [i, { at }] of seen.overTime.slice(1).entries()) expect(at).toBe(seen.overTime[i].until)
    expect(seen.disagreements.map(({ decision }: Json) => decision.id)).toEqual(
      made
        .slice(0, 3)
        .map(({ decision }) => decision.id)
        .reverse(),
    )
    expect(seen.disagreements[2]).toMatchObject({
      ...{ kind: 'ELSEWHERE', because: expect.stringMatching(/^site@2: tiny has /), instance: 0 },
      baselineChoice: { hostName: 'large', rank: 3, because: null },
      candidateChoice: { hostName: 'tiny', rank: 3, because: null },
    })
    expect(await rolloutOf('site', undefined, second)).toMatchObject({ disagreements: seen.disagreements })
  })

  test('a host that a filter of the candidate refuses has no rank by the candidate, and the filter is named; after a change of the rollout the counts begin at zero', async () => {
    await write('picky', [{ name: 'RamFilter' }], 1)
    await write('picky', [{ name: 'IsolatedHostsFilter', options: { isolated_hosts: ['large'], isolated_images: ['i'] } }], 1)
    await activate('picky@2', { mode: 'SHADOW' })
    const { fleetRevision } = await placeWith(api, { profile: 'picky' }, { flavor: { vcpus: 1, memoryMb: 64 } })
    const seen = await vi.waitFor(async () => {
      const found = await rolloutOf('picky')
      expect(found.disagreements).toHaveLength(1)
      return found
    }, 120_000)
    expect(seen.disagreements[0]).toMatchObject({
      baselineChoice: { hostName: 'large', rank: null, because: expect.stringMatching(/^IsolatedHostsFilter refuses it: /) },
      candidateChoice: { hostName: 'small', rank: 2, because: null },
    })
    await activate('picky@2', { mode: 'CANARY', percent: 100 })
    expect(await rolloutOf('picky')).toMatchObject({ disagreements: [], overTime: [{ sampled: 0, agreement: null }] })
    // a query for an earlier moment returns the counts of the rollout that was active at that moment
    expect(sum((await rolloutOf('picky', Number(fleetRevision))).overTime, 'elsewhere')).toBe(1)
  })

  test.each([
    ['overTime(most: 9) { at }', 'most'],
    ['overTime(most: 501) { at }', 'most'],
    ['disagreements(first: 0) { kind }', 'first'],
    ['disagreements(first: 501) { kind }', 'first'],
  ])('a query for %s is refused as out of range', async (field, path) => {
    const { errors } = await api.ask(`{ profile(name: "site") { rollout { ${field} } } }`)
    expect(errors[0]?.message).toContain(path)
  })
})

describe('the tables of rollouts', () => {
  const AT = Math.floor(Date.UTC(2026, 0, 1) / MINUTE_MS) * MINUTE_MS
  const none = { agreed: 0, elsewhere: 0, newFailures: 0, newPlacements: 0, skipped: 0, notSolved: 0 }
  const disagreement = (rollout: string, i: number): KeptDisagreement => ({
    ...{
      rollout,
      decision: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
      at: AT + i,
      kind: 'ELSEWHERE',
      because: `it\u0000is ${i}`,
    },
    ...{ instance: 0, baseline: { host: 'a', rank: 2, because: null }, candidate: { host: 'b', rank: null, because: 'refused' } },
  })

  test('the counts of several replicas for the same minute are added, and a repeated write is counted once', async () => {
    const prisma = createPrisma(database.connection)
    try {
      const store = createRolloutStore(prisma)
      const minute = { rollout: 'sums', at: AT, ...none }
      await store.keep(
        [
          { ...minute, replica: 'one', agreed: 3 },
          { ...minute, replica: 'two', elsewhere: 2 },
        ],
        [],
      )
      await store.keep(
        [
          { ...minute, replica: 'one', agreed: 4, skipped: 1 },
          { ...minute, at: AT + MINUTE_MS, replica: 'one', agreed: 1 },
        ],
        [],
      )
      const span = { rollout: 'sums', since: AT, until: AT + 10 * MINUTE_MS }
      expect(await store.steps(span, MINUTE_MS)).toEqual([
        { step: 0, ...none, agreed: 4, elsewhere: 2, skipped: 1 },
        { step: 1, ...none, agreed: 1 },
      ])
      expect(await store.steps(span, 5 * MINUTE_MS)).toEqual([{ step: 0, ...none, agreed: 5, elsewhere: 2, skipped: 1 }])
    } finally {
      await prisma.$disconnect()
    }
  })

  test('a write does not wait for the deletion of old rows, and a deletion locks no rows of another rollout', async () => {
    const prisma = createPrisma(database.connection)
    const other = new pg.Client(database.connection)
    await other.connect()
    try {
      const store = createRolloutStore(prisma)
      const first = (rollout: string) =>
        other.query('SELECT FROM rollout_disagreement WHERE rollout = $1 ORDER BY at_ms LIMIT 1 FOR UPDATE', [rollout])
      const full = ['held', 'waited-for'].flatMap((rollout) =>
        Array.from({ length: KEPT_DISAGREEMENTS }, (_, i) => disagreement(rollout, i)),
      )
      await store.keep([], full)
      await other.query('BEGIN')
      await first('waited-for')
      const keeping = store.keep(
        [{ rollout: 'held', at: AT, replica: 'one', ...none, elsewhere: 2 }],
        ['held', 'waited-for'].map((rollout) => disagreement(rollout, KEPT_DISAGREEMENTS)),
      )
      await vi.waitFor(async () => {
        expect(await store.steps({ rollout: 'held', since: AT, until: AT + MINUTE_MS }, MINUTE_MS)).toHaveLength(1)
        expect(await store.disagreements({ rollout: 'held', until: AT + MINUTE_MS }, 1_000)).toHaveLength(KEPT_DISAGREEMENTS)
      }, 120_000)
      // if `keeping` wrote its rows in the reverse order, this statement would cause a deadlock
      await first('held')
      await other.query('COMMIT')
      await keeping
      expect(await store.disagreements({ rollout: 'waited-for', until: AT + MINUTE_MS }, 1_000)).toHaveLength(KEPT_DISAGREEMENTS)
    } finally {
      await other.end()
      await prisma.$disconnect()
    }
  })

  test('only the newest disagreements of a rollout are stored, and nothing is stored for more than a month', async () => {
    const prisma = createPrisma(database.connection)
    try {
      const store = createRolloutStore(prisma)
      const ask = (rollout: string) => store.disagreements({ rollout, until: AT + MINUTE_MS }, 1_000)
      await store.keep([], [disagreement('other', 1)])
      await store.keep(
        [],
        Array.from({ length: KEPT_DISAGREEMENTS + 20 }, (_, i) => disagreement('many', i)),
      )
      await store.keep([], [disagreement('many', KEPT_DISAGREEMENTS + 19)])
      const kept = await ask('many')
      expect(kept).toHaveLength(KEPT_DISAGREEMENTS)
      expect(kept[0]).toEqual({ ...disagreement('many', KEPT_DISAGREEMENTS + 19), because: `it\ufffdis ${KEPT_DISAGREEMENTS + 19}` })
      expect(await ask('other')).toHaveLength(1)
      await store.keep([{ rollout: 'many', at: AT - ROLLOUT_KEPT_MS, replica: 'one', ...none }], [])
      await store.forget(AT + 300)
      expect(await ask('many')).toHaveLength(KEPT_DISAGREEMENTS + 20 - 300)
      expect(await ask('other')).toEqual([])
      expect(await store.steps({ rollout: 'many', since: 0, until: AT * 2 }, MINUTE_MS)).toEqual([])
    } finally {
      await prisma.$disconnect()
    }
  })
})
