import { createHash, randomUUID } from 'node:crypto'
import { canonicalJson } from '@gantt/scheduler-core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPrisma } from '../../db/prisma.ts'
import { createTableWriter } from '../../db/table-writer.ts'
import { createAuditStore } from '../../db/tables/audit.ts'
import { ANSWERED } from '../../db/tables/decision-query.ts'
import { createRecordStore } from '../../db/tables/records.ts'
import { openService, type Service } from '../../service.ts'
import { createAudit } from '../../services/audit/audit.ts'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
let client: pg.Client
beforeAll(async () => {
  api = await startTestService()
  client = new pg.Client(api.connection)
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await api.close()
})

const ROW = 'seq id at account keyId mutation target summary result requestId previous hash'

const auditLog = async (args: string): Promise<Json> =>
  (await dataOf(api, `{ auditLog(${args}) { totalCount pageInfo { hasNextPage endCursor } nodes { ${ROW} } } }`)).auditLog

/** Waits until the query finds this many rows of the audit, because the rows of frequent calls are written after their answers. */
const waitFor = (query: string, count: number): Promise<Json[]> =>
  expect
    .poll(async () => (await auditLog(`query: ${JSON.stringify(query)}`)).nodes)
    .toHaveLength(count)
    .then(async () => (await auditLog(`query: ${JSON.stringify(query)}`)).nodes)

/** Finds errors in a chain of hashes, without using code of the service. */
function faultsOf(rows: readonly Json[]): string[] {
  let previous = '0'.repeat(64)
  return rows.flatMap(({ hash, at, ...row }, i) => {
    const expected = createHash('sha256')
      .update(canonicalJson({ ...row, at: Date.parse(at) }))
      .digest('hex')
    const faults = [
      ...(row.seq === i + 1 ? [] : [`row ${i + 1} is ${row.seq}`]),
      ...(row.previous === previous ? [] : [`row ${row.seq} does not follow`]),
      ...(hash === expected ? [] : [`row ${row.seq} was edited`]),
    ]
    previous = hash
    return faults
  })
}

test('the audit has a row for every mutation, with its account, name, target and result', async () => {
  await api.report({ h1: {}, h2: {} })
  const placed = await placeWith(api, {}, { projectId: 'p1' })
  const key = await api.keyWith('CLAIM')
  const { claim } = placed.destinations[0].selected
  const claims = [claim, { id: randomUUID(), fence: 1 }].map(({ id, fence }) => ({ id, fence }))
  await api.ask('mutation ($c: [ClaimRef!]!) { claimConfirm(claims: $c) { __typename } }', { c: claims }, key)
  await api.ask('mutation ($c: ID!) { claimRevoke(ids: [$c], reason: "fan") { __typename } }', { c: claim.id }, key)
  const [confirm] = (await auditLog('query: "mutation:claimConfirm"')).nodes
  expect(confirm).toMatchObject({ account: 'tester', result: 'ClaimPayload x1, NotFound x1' })
  const bare = Buffer.from(claim.id, 'base64url').toString().slice('Claim:'.length)
  expect(confirm.target).toBe(`${bare}, ${claims[1]?.id}`)
  expect(JSON.parse(confirm.summary)).toEqual({ claims: [claims[0], claims[1]] })
  // a refused mutation is recorded too
  expect((await auditLog('query: "mutation:claimRevoke"')).nodes).toMatchObject([{ result: 'FORBIDDEN', target: bare }])
  const [select] = await waitFor('mutation:selectDestinations', 1)
  expect(select).toMatchObject({
    account: 'admin',
    result: 'SelectDestinationsPayload',
    target: Buffer.from(placed.decision.id, 'base64url').toString().slice(9),
  })
  const [report] = await waitFor('mutation:updateResourceStats', 1)
  expect(report).toMatchObject({ target: 'h1, h2', result: 'applied x2' })
  expect(report.summary).not.toContain('65536')
})

test('the audit row of a call can be found by the request id in its answer', async () => {
  const response = await fetch(api.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer the-admin-key-of-tests', 'x-request-id': 'ticket-4711' },
    body: JSON.stringify({ query: 'mutation { claimAbandon(idempotencyKey: "given-up") { __typename } }' }),
  })
  expect(response.status).toBe(200)
  expect((await auditLog('query: "request:ticket-4711"')).nodes).toMatchObject([{ mutation: 'claimAbandon', target: 'given-up' }])
})

describe('the decision of a request can be found by the request id', () => {
  const key = 'asked-twice'
  const instance = randomUUID()
  let decision: string
  const select = async (requestId: string, input: Record<string, unknown> = {}): Promise<Json> => {
    const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, instanceUuids: [instance] } }
    const response = await fetch(api.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer the-admin-key-of-tests', 'x-request-id': requestId },
      body: JSON.stringify({
        query: `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) {
          ... on SelectDestinationsPayload { decision { id } } ... on NoValidHost { decision { id } } ... on ValidationError { code } } }`,
        variables: { in: { idempotencyKey: key, spec, ...input } },
      }),
    })
    return ((await response.json()) as Json).data.selectDestinations
  }
  const found = async (query: string): Promise<Json[]> =>
    (await dataOf(api, `{ decisions(query: ${JSON.stringify(query)}) { nodes { id requestIds } } }`)).decisions.nodes
  beforeAll(async () => {
    await api.report({ h1: {}, h2: {} })
    decision = (await select('req-0b9f6c4e-1f3a-4a55-9d2e-6c1f0a7e5b11')).decision.id
    await select('ticket-4712')
    await select('refused', { idempotencyKey: 'refused', profile: 'no-such' })
    await vi.waitFor(async () => expect((await auditLog('query: "request:ticket-4712"')).nodes).toHaveLength(1), { timeout: 120_000 })
  })

  test('a decision is found by the id of each call that it answered, as a term, with other terms and as a plain word', async () => {
    const requestIds = ['req-0b9f6c4e-1f3a-4a55-9d2e-6c1f0a7e5b11', 'ticket-4712']
    for (const query of [
      ...['request:ticket-4712', 'request:req-0b9f*', 'request:no-such,ticket-4712', 'ticket-4712', '-request:no-such ticket-4712'],
      ...['id:ticket-4712,no-such', `id:${instance}`, `id:${decision}`],
    ])
      expect({ query, found: await found(query) }).toEqual({ query, found: [{ id: decision, requestIds }] })
    expect((await dataOf(api, 'query ($id: ID!) { decision(id: $id) { requestIds } }', { id: decision })).decision).toEqual({ requestIds })
  })

  test('a claim is found by its id, by its global id as links contain it, and by its instance', async () => {
    const { nodes } = (await dataOf(api, `{ claims(query: "instance:${instance}") { nodes { id } } }`)).claims
    expect(nodes).toHaveLength(1)
    const bare = Buffer.from(nodes[0].id, 'base64url').toString().slice('Claim:'.length)
    for (const query of [`id:${bare}`, `id:no-such,${nodes[0].id}`, `id:*${bare.slice(4, 20)}*`, `id:${instance}`, nodes[0].id])
      expect({ query, nodes: (await dataOf(api, `{ claims(query: "${query}") { nodes { id } } }`)).claims.nodes }).toEqual({ query, nodes })
  })

  test('a request id finds only the decision that answered the request', async () => {
    for (const query of ['request:no-such', 'request:ticket-47', 'request:refused', '-request:ticket-4712 ticket-4712', 'id:ticket-47'])
      expect({ query, found: await found(query) }).toEqual({ query, found: [] })
  })

  test('a search by request id reads the audit only by its indexes', async () => {
    const plan = async (sql: string, values: unknown[]): Promise<string> => {
      await client.query('BEGIN; SET LOCAL enable_seqscan = off')
      const { rows } = await client.query(`EXPLAIN ${sql}`, values)
      await client.query('ROLLBACK')
      return JSON.stringify(rows)
    }
    expect(await plan(`SELECT 1 FROM audit a WHERE ${ANSWERED.sql} AND a.target = ANY($1)`, [[instance]])).toContain('audit_decision_idx')
  })
})

test('neither the audit nor messages to operators contain a secret', async () => {
  const document =
    'mutation ($n: String!) { apiKeyCreate(input: { name: $n, account: "x", scopes: [READ] }) { ... on ApiKeyPayload { secret key { id } } } }'
  const { secret, key } = (await dataOf(api, document, { n: 'one' })).apiKeyCreate
  // a caller can by mistake write a secret into a field that is not intended for secrets
  await dataOf(api, document, { n: `name ${secret} name` })
  await dataOf(api, 'mutation ($id: ID!) { apiKeyRotate(id: $id) { __typename } }', { id: key.id })
  await api.ask('mutation { apiKeyRevoke(id: "x") { __typename } }', {}, secret)
  const { rows } = await client.query('SELECT * FROM audit')
  expect(rows.filter(({ mutation }) => mutation === 'apiKeyCreate')).toHaveLength(2)
  expect(JSON.stringify(rows)).not.toContain(secret.slice('gantt_'.length))
  expect(JSON.stringify(rows)).not.toContain('the-admin-key-of-tests')
  expect(api.warnings.join('\n')).not.toContain(secret)
})

test('audit rows are returned in pages, newest or oldest first, and can be filtered', async () => {
  const first = await auditLog('first: 2, oldestFirst: true')
  expect(first.nodes.map(({ seq }: Json) => seq)).toEqual([1, 2])
  const next = await auditLog(`first: 2, oldestFirst: true, after: ${JSON.stringify(first.pageInfo.endCursor)}`)
  expect(next.nodes.map(({ seq }: Json) => seq)).toEqual([3, 4])
  const newest = await auditLog('first: 1')
  expect(newest.nodes[0].seq).toBe(newest.totalCount)
  for (const query of ['account:admin', 'mutation:claim*', '-result:FORBIDDEN', 'last:1h', 'at>=2020-01-01', 'apiKey', 'key:*']) {
    const { totalCount } = await auditLog(`query: ${JSON.stringify(query)}`)
    expect({ query, isSome: totalCount > 0 }).toEqual({ query, isSome: true })
  }
  expect((await auditLog('query: "account:nobody"')).totalCount).toBe(0)
  const { at } = newest.nodes[0]
  const [before, since, notBefore] = await Promise.all(
    [`at<${at}`, `at>=${at}`, `-at<${at}`].map(async (query) => (await auditLog(`query: "${query}"`)).totalCount),
  )
  expect([before + since, since > 0, notBefore]).toEqual([newest.totalCount, true, since])
  expect((await api.ask('{ auditLog(query: "colour:red") { totalCount } }')).status).toBe(400)
})

test('the database refuses to change, remove or empty the audit', async () => {
  for (const statement of ["UPDATE audit SET account = 'other' WHERE seq = 1", 'DELETE FROM audit WHERE seq = 1', 'TRUNCATE audit'])
    await expect(client.query(statement)).rejects.toThrow('the audit is append-only')
})

describe('the hash chain of the audit', () => {
  const whole = async (): Promise<Json[]> => (await auditLog('first: 500, oldestFirst: true')).nodes

  test('the chain is complete after two replicas wrote at the same time, and after a restart', async () => {
    const start = (): Promise<Service> =>
      openService({ connection: api.connection, host: '127.0.0.1', port: 0, adminKey: 'the-admin-key-of-tests', warn: () => {} })
    const other = await start()
    const call = (url: string, i: number) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer the-admin-key-of-tests' },
        body: JSON.stringify({ query: `mutation { claimAbandon(idempotencyKey: "both-${i}") { __typename } }` }),
      })
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => call(i % 2 === 0 ? api.url : other.url, i)))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    await other.close()
    const third = await start()
    await call(third.url, 60)
    await third.close()
    const rows = await whole()
    expect(rows.filter(({ target }) => target.startsWith('both-'))).toHaveLength(61)
    expect(faultsOf(rows)).toEqual([])
  })

  test('waiting entries are written when the service closes', async () => {
    const other = await openService({
      connection: api.connection,
      host: '127.0.0.1',
      port: 0,
      adminKey: 'the-admin-key-of-tests',
      warn: () => {},
    })
    const before = (await auditLog('query: "mutation:selectDestinations"')).totalCount
    const input = (i: number) => `{ idempotencyKey: "closing-${i}", spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } } }`
    const place = (i: number) =>
      fetch(other.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer the-admin-key-of-tests' },
        body: JSON.stringify({ query: `mutation { selectDestinations(input: ${input(i)}) { __typename } }` }),
      })
    await Promise.all(Array.from({ length: 20 }, (_, i) => place(i)))
    await other.close()
    expect((await auditLog('query: "mutation:selectDestinations"')).totalCount).toBe(before + 20)
  })

  test('an entry is stored only once if the first COMMIT gets no answer', async () => {
    const prisma = createPrisma(api.connection)
    const writer = createTableWriter(api.connection)
    const warnings: string[] = []
    const warn = (message: string): void => void warnings.push(message)
    const records = createRecordStore(writer, { mayPack: () => true, warn })
    let isFirst = true
    const audit = createAudit({
      warn,
      store: createAuditStore(prisma),
      records: {
        takesMore: () => true,
        async keepAudit(entries) {
          await records.keepAudit(entries)
          if (!isFirst) return
          isFirst = false
          throw new Error('Connection terminated')
        },
      },
    })
    const id = randomUUID()
    const entry = { id, at: 1, account: 'a', keyId: 'k', mutation: 'lostAnswer', target: '-', summary: '{}', result: 'x', requestId: 'r' }
    await audit.keep(entry)
    await audit.close()
    await prisma.$disconnect()
    await writer.close()
    expect(warnings).toEqual([expect.stringContaining('cannot be written'), 'the audit is written again'])
    expect((await auditLog('query: "mutation:lostAnswer"')).totalCount).toBe(1)
    expect(faultsOf(await whole())).toEqual([])
  })

  test('calls that fail while the database is unavailable do not wait for space in the queue, and entries that do not fit are counted', async () => {
    const prisma = createPrisma(api.connection)
    const writer = createTableWriter(api.connection)
    const warnings: string[] = []
    const warn = (message: string): void => void warnings.push(message)
    const records = createRecordStore(writer, { mayPack: () => true, warn })
    let isAway = true
    const audit = createAudit({
      room: 2,
      warn,
      store: createAuditStore(prisma),
      records: { ...records, keepAudit: (entries) => (isAway ? Promise.reject(new Error('away')) : records.keepAudit(entries)) },
    })
    const entry = {
      at: 1,
      account: 'a',
      keyId: 'k',
      mutation: 'offered',
      target: '-',
      summary: '{}',
      result: 'UNAVAILABLE',
      requestId: 'r',
    }
    for (let i = 0; i < 5; i++) audit.offer({ ...entry, id: randomUUID() })
    isAway = false
    await audit.close()
    await prisma.$disconnect()
    await writer.close()
    expect((await auditLog('query: "mutation:offered"')).totalCount).toBe(2)
    expect(warnings).toContain('3 calls that failed while the database was away are not in the audit')
    expect(faultsOf(await whole())).toEqual([])
  })

  test('the verification finds an edited row and a removed row', async () => {
    const tamper = async (statement: string): Promise<void> => {
      await client.query(`ALTER TABLE audit DISABLE TRIGGER USER`)
      await client.query(statement)
      await client.query(`ALTER TABLE audit ENABLE TRIGGER USER`)
    }
    const { rows } = await client.query('SELECT account, at_ms FROM audit WHERE seq = 5')
    await tamper("UPDATE audit SET account = 'somebody-else' WHERE seq = 5")
    expect(faultsOf(await whole())).toEqual(['row 5 was edited'])
    await tamper(`UPDATE audit SET account = '${rows[0].account}' WHERE seq = 5`)
    // a row with an impossible time is reported as edited, and does not prevent the check of other rows
    for (const at of ['9e18', '-9e18']) {
      await tamper(`UPDATE audit SET at_ms = ${at} WHERE seq = 5`)
      expect(faultsOf(await whole())).toEqual(['row 5 was edited'])
    }
    await tamper(`UPDATE audit SET at_ms = ${rows[0].at_ms} WHERE seq = 5`)
    expect(faultsOf(await whole())).toEqual([])
    await tamper('DELETE FROM audit WHERE seq = 7')
    expect(faultsOf(await whole()).slice(0, 2)).toEqual(['row 7 is 8', 'row 8 does not follow'])
  })

  test('a writer reports that rows which it wrote are lost', async () => {
    await client.query('ALTER TABLE audit DISABLE TRIGGER USER')
    await client.query('DELETE FROM audit WHERE seq > 10')
    await client.query('ALTER TABLE audit ENABLE TRIGGER USER')
    await dataOf(api, 'mutation { claimAbandon(idempotencyKey: "after") { __typename } }')
    expect(api.warnings.filter((warning) => warning.includes('the audit lost rows'))).toHaveLength(1)
  })
})

test('calls wait for space in the queue instead of dropping their entries', async () => {
  const written: string[] = []
  let open: (() => void) | undefined
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const audit = createAudit({
    room: 3,
    gatherMs: 0,
    warn: () => {},
    store: { list: async () => [], count: async () => 0 },
    records: {
      takesMore: () => true,
      async keepAudit(entries) {
        await gate
        written.push(...entries.map(({ id }) => id))
      },
    },
  })
  const entry = (id: string) => ({
    id,
    at: 1,
    account: 'a',
    keyId: 'k',
    mutation: 'm',
    target: '-',
    summary: '{}',
    result: 'x',
    requestId: 'r',
  })
  let taken = 0
  const all = Array.from({ length: 10 }, (_, i) => audit.follow(entry(String(i))).then(() => taken++))
  await new Promise((resolve) => setImmediate(resolve))
  expect(taken).toBe(3)
  open?.()
  await Promise.all(all)
  await audit.close()
  expect([...written].sort()).toEqual(Array.from({ length: 10 }, (_, i) => String(i)))
})
