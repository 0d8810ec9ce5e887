import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Answer, codeOf, dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const KEY = 'key { id name account prefix state scopes hosts project replaces expiresAt lastUsedAt } secret'
const END = `{ __typename ... on ApiKeyPayload { ${KEY} } ... on ValidationError { code issues { path message } } ... on NotFound { message } }`

const create = async (input: Record<string, unknown>): Promise<Json> =>
  (await dataOf(api, `mutation ($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) ${END} }`, { input })).apiKeyCreate
const rotate = async (id: string, overlap?: string): Promise<Json> =>
  (await dataOf(api, `mutation ($id: ID!, $overlap: Duration) { apiKeyRotate(id: $id, overlap: $overlap) ${END} }`, { id, overlap }))
    .apiKeyRotate
const revoke = async (id: string): Promise<Json> =>
  (await dataOf(api, `mutation ($id: ID!) { apiKeyRevoke(id: $id) ${END} }`, { id })).apiKeyRevoke
const viewer = (secret: string): Promise<Answer> => api.ask('{ viewer { actor { account } scopes hosts project } }', {}, secret)

const nova = { name: 'nova', account: 'nova', scopes: ['SCHEDULE', 'CLAIM'] }

test('the secret of a new key is returned once and stored nowhere', async () => {
  const { key, secret } = await create(nova)
  expect(secret).toMatch(/^gantt_[A-Za-z0-9_-]{32}$/)
  expect((await viewer(secret)).data).toEqual({
    viewer: { actor: { account: 'nova' }, scopes: ['SCHEDULE', 'CLAIM'], hosts: [], project: null },
  })
  const listed = await api.ask(
    `{ apiKeys { nodes { ${KEY.replace(/ secret$/, '')
      .slice(5)
      .replace('{', '')
      .replace('}', '')} } } }`,
  )
  expect(listed.text).toContain(key.id)
  expect(listed.text).not.toContain(secret)
})

test('a rotated key stays valid until the overlap ends, and without an overlap it ends at once', async () => {
  const first = await create(nova)
  const second = await rotate(first.key.id, 'PT1H')
  expect(second.key).toMatchObject({ name: 'nova', account: 'nova', scopes: nova.scopes, replaces: first.key.id, state: 'ACTIVE' })
  expect(second.secret).not.toBe(first.secret)
  expect([(await viewer(first.secret)).status, (await viewer(second.secret)).status]).toEqual([200, 200])
  const ends = (await keyOf(first.key.id)).expiresAt
  expect(Date.parse(ends) - Date.now()).toBeLessThanOrEqual(3_600_000)
  const third = await rotate(second.key.id, 'PT0S')
  expect([codeOf(await viewer(second.secret)), (await viewer(third.secret)).status]).toEqual(['UNAUTHENTICATED', 200])
  expect((await keyOf(second.key.id)).state).toBe('EXPIRED')
  // a revoked or expired key cannot be rotated
  expect(await rotate(second.key.id)).toMatchObject({ __typename: 'ValidationError', code: 'CONFLICT' })
})

test('keys can be filtered by state and by a part of their name, account or prefix, and every page contains only matching keys', async () => {
  const made = []
  for (const [name, account] of [
    ['Found-1', 'of-one'],
    ['other', 'found-2'],
    ['found-3', 'of-three'],
  ] as const)
    made.push(await create({ ...nova, name, account }))
  await revoke(made[0].key.id)
  const list = async (args: string): Promise<Json> =>
    (await dataOf(api, `{ apiKeys(${args}) { totalCount nodes { name } pageInfo { hasNextPage endCursor } } }`)).apiKeys
  const namesOf = ({ nodes }: Json): string[] => nodes.map(({ name }: Json) => name)
  expect(namesOf(await list('find: " FOUND-"'))).toEqual(['Found-1', 'other', 'found-3'])
  expect(namesOf(await list(`find: ${JSON.stringify(made[2].key.prefix)}`))).toEqual(['found-3'])
  expect(namesOf(await list('find: "found-", states: [REVOKED, EXPIRED]'))).toEqual(['Found-1'])
  expect(await list('find: "found-", states: []')).toMatchObject({ totalCount: 0 })
  const first = await list('find: "found-", states: [ACTIVE], first: 1')
  expect([namesOf(first), first.totalCount, first.pageInfo.hasNextPage]).toEqual([['other'], 2, true])
  const after = `after: "${first.pageInfo.endCursor}"`
  expect(namesOf(await list(`find: "found-", states: [ACTIVE], first: 1, ${after}`))).toEqual(['found-3'])
  // a cursor is valid only for its filter
  const { errors } = await api.ask(`{ apiKeys(find: "other", ${after}) { totalCount } }`)
  expect(JSON.stringify(errors)).toContain('a cursor of this list')
})

test('an empty list of hosts is refused, because it would create a key for every host', async () => {
  expect(await create({ name: 'agent', account: 'agents', scopes: ['REPORT'], hosts: [] })).toMatchObject({
    __typename: 'ValidationError',
    issues: [{ path: ['input', 'hosts'] }],
  })
})

test('a revoked key is refused, and revoking it again changes nothing', async () => {
  const { key, secret } = await create(nova)
  expect(await revoke(key.id)).toMatchObject({ key: { state: 'REVOKED' }, secret: null })
  expect(codeOf(await viewer(secret))).toBe('UNAUTHENTICATED')
  expect((await revoke(key.id)).__typename).toBe('ApiKeyPayload')
  expect((await revoke('no such key')).__typename).toBe('NotFound')
})

test('the last permanent key with ADMIN cannot be revoked', async () => {
  const { apiKeys } = await dataOf(api, '{ apiKeys { nodes { id scopes expiresAt } } }')
  const [admin] = apiKeys.nodes.filter((key: Json) => key.scopes.includes('ADMIN'))
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  await create({ ...nova, account: 'ops', scopes: ['ADMIN'], expiresAt: inAnHour })
  expect(await revoke(admin.id)).toMatchObject({ code: 'CONFLICT', issues: [{ message: expect.stringContaining('last permanent key') }] })
})

test('a key becomes invalid when it expires', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const { key, secret } = await create({ ...nova, expiresAt })
  expect([key.expiresAt, (await viewer(secret)).status]).toEqual([expiresAt, 200])
  vi.spyOn(Date, 'now').mockReturnValue(Date.parse(expiresAt))
  const late = await viewer(secret)
  vi.restoreAllMocks()
  expect(codeOf(late)).toBe('UNAUTHENTICATED')
})

test('the last use of a key is shown on this replica at once, and written to the table later', async () => {
  const { key, secret } = await create(nova)
  expect(key.lastUsedAt).toBe(null)
  const before = Date.now()
  await viewer(secret)
  expect(Date.parse((await keyOf(key.id)).lastUsedAt)).toBeGreaterThanOrEqual(before)
  const client = new pg.Client(api.connection)
  await client.connect()
  await vi.waitFor(
    async () => {
      const { rows } = await client.query('SELECT last_used_at_ms FROM api_key WHERE id = $1', [key.id])
      expect(Number(rows[0].last_used_at_ms)).toBeGreaterThanOrEqual(before)
    },
    { timeout: 120_000, interval: 200 },
  )
  const { rows } = await client.query('SELECT * FROM api_key')
  await client.end()
  expect(JSON.stringify(rows)).not.toContain(secret)
})

test.each<[string, Record<string, unknown>, readonly (readonly string[])[]]>([
  ['no scope', { scopes: [] }, [['input', 'scopes']]],
  ['no name', { name: '' }, [['input', 'name']]],
  ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }, [['input', 'expiresAt']]],
  ['hosts and more than REPORT', { hosts: ['h1'], scopes: ['REPORT', 'READ'] }, [['input', 'scopes']]],
  ['a project and OPERATE', { account: 't', project: 'p', scopes: ['READ', 'OPERATE'] }, [['input', 'scopes']]],
  [
    'hosts and a project',
    { hosts: ['h1'], project: 'p', scopes: [] },
    [
      ['input', 'scopes'],
      ['input', 'project'],
    ],
  ],
])('a key with %s is refused, and all problems are reported at once', async (_name, input, paths) => {
  const { __typename, issues } = await create({ ...nova, ...input })
  expect([__typename, issues.map(({ path }: Json) => path)]).toEqual(['ValidationError', paths])
})

test('all keys of an account must have the same project, even if they are created at the same time', async () => {
  const made = await Promise.all(
    ['p1', 'p2', 'p1', 'p2'].map((project) => create({ name: 'k', account: 'tenant', scopes: ['SCHEDULE'], project })),
  )
  const projects = new Set(made.flatMap(({ key }) => (key ? [key.project] : [])))
  expect([made.filter(({ code }) => code === 'CONFLICT').length, projects.size]).toEqual([2, 1])
  expect(await create({ name: 'k', account: 'tenant', scopes: ['READ'] })).toMatchObject({ code: 'CONFLICT' })
})

async function keyOf(id: string): Promise<Json> {
  const { apiKeys } = await dataOf(api, '{ apiKeys(first: 500) { nodes { id state expiresAt lastUsedAt } } }')
  return apiKeys.nodes.find((key: Json) => key.id === id)
}
