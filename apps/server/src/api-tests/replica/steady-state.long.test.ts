import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
const statements: string[] = []

/** Records all statements that this process sends to the database. */
beforeAll(async () => {
  const query = pg.Client.prototype.query
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [first] = args
    statements.push(typeof first === 'string' ? first : String((first as { text?: unknown } | undefined)?.text ?? ''))
    return Reflect.apply(query, this, args)
  } as typeof query)
  api = await startTestService()
  await api.report({ h1: {}, h2: {} })
})

afterAll(async () => {
  await api.close()
  vi.restoreAllMocks()
})

const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { fleetRevision destinations { selected { weight host { name availabilityZone } claim { id fence state expiresAt } limits { resource limit } } } } } }`

const place = () => api.ask(PLACE, { in: { idempotencyKey: randomUUID(), spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } } } })

const TRY = `mutation ($input: ProfileVersionInput!) {
  profileVersionCreate(profile: "default", input: $input) { __typename }
  profileActivate(version: "default@1", rollout: { mode: SHADOW }) { __typename }
}`

/** Starts a rollout in shadow mode of a version that decides differently. */
async function beginShadow(): Promise<void> {
  await api.report({ h3: {}, h4: {} })
  const input = { filters: [], weighers: [{ name: 'RAMWeigher', multiplier: -1 }], note: 'packs' }
  expect((await api.ask(TRY, { input })).text).toContain('"profileActivate":{"__typename":"ProfilePayload"}')
}

test.each<[string, () => Promise<void>]>([
  ['', async () => {}],
  [', also during a rollout in shadow mode', beginShadow],
])(
  'in steady state a placement uses no table but the log, and all other statements are writes in the background%s',
  async (_with, begin) => {
    await begin()
    await place()
    // statements that the replica also sends if there are no calls: they read the keys or the time of the database
    const idle = new Set<string>()
    const seen = (part: string) => statements.some((text) => text.includes(part))
    await vi.waitFor(
      () =>
        expect([seen('FROM "public"."api_key"'), seen('INSERT INTO compute_node'), seen('INSERT INTO claim')]).toEqual([true, true, true]),
      120_000,
    )
    for (const text of statements.filter((text) => /api_key|AS now|^SELECT 1$/.test(text))) idle.add(text)

    statements.length = 0
    for (let i = 0; i < 25; i++) expect((await place()).text).toContain('"SelectDestinationsPayload"')
    const caused = [...new Set(statements)].filter((text) => !idle.has(text))

    const allowed = [
      /^\s*WITH appended AS \(\s*INSERT INTO log /, // the append of an entry
      /^SELECT pg_advisory_(un)?lock/, // the turn to append
      /^SELECT revision, id, writer, body, at_ms, is_flushed FROM log WHERE revision >= /, // following the log
      /^(BEGIN|COMMIT|SET |DEALLOCATE)/,
      /projection_position/, // the position of the projection in the log
      /^\s*INSERT INTO (request_spec|decision|claim) /, // the rows that the projection writes
      /\baudit\b|^SELECT pg_advisory_xact_lock/, // audit rows, which are written after the answers
      /^\s*UPDATE api_key SET last_used_at_ms/, // the last use of keys, every few seconds
      /^\s*INSERT INTO rollout_|^\s*DELETE FROM rollout_/, // the comparisons of the rollout in shadow mode, every five seconds
      /^\s*INSERT INTO replica |FROM "public"."replica"/, // the replica's sign of life, every two seconds
    ]
    expect(caused.filter((text) => !allowed.some((pattern) => pattern.test(text)))).toEqual([])
    expect(caused.some((text) => text.includes('INSERT INTO log'))).toBe(true)
    if (begin === beginShadow) {
      // the rollout in shadow mode has decided requests, although no statement was sent to the database for it
      const { data } = await api.ask('{ profile(name: "default") { rollout { sampled skipped } } }')
      expect(JSON.stringify(data)).toMatch(/"(sampled|skipped)":[1-9]/)
    }
    const reads = caused.filter((text) => /^\s*SELECT/i.test(text))
    expect(reads.filter((text) => /compute_node|aggregate|request_spec|"?decision"?|"?claim"?|api_key|server_group/.test(text))).toEqual([])
  },
)
