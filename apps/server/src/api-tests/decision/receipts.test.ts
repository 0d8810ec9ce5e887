import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

// The first two replicas share a database. The third replica starts on the same database later.
let database: TestDatabase
let api: TestService
let second: TestService
let third: TestService | undefined
const decisions: Record<'one' | 'three' | 'refused' | 'chance' | 'nova', string> = { one: '', three: '', refused: '', chance: '', nova: '' }

beforeAll(async () => {
  database = await createTestDatabase()
  api = await startTestService({ database })
  second = await startTestService({ database })
  await api.report(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`h-${i}`, { memoryMb: 32_768 + 1_024 * i, vcpusUsed: i % 3 }])))
  const place = async (input: Record<string, unknown>, flavor: Record<string, unknown> = {}, spec: Record<string, unknown> = {}) =>
    (await placeWith(api, input, { flavor: { vcpus: 2, memoryMb: 4_096, ...flavor }, ...spec })).decision.id
  decisions.one = await place({})
  decisions.three = await place({}, {}, { numInstances: 3 })
  decisions.refused = await place({}, { name: 'giant', memoryMb: 1_000_000 })
  decisions.chance = await place({ profile: 'random' })
  decisions.nova = await place({ profile: 'nova-compat' })
  // changes the fleet after the decisions, so their checks must read past states
  for (let i = 0; i < 5; i++) await place({})
})
afterAll(async () => {
  expect([...api.warnings, ...second.warnings, ...(third?.warnings ?? [])]).toEqual([])
  await third?.close()
  await second.close()
  await database.drop()
})

const VERIFY = `query ($id: ID!) { verifyDecision(id: $id) { outcome fidelity fleetRevision decision { id }
  checks { part outcome text kept found difference { path was is } } } }`
const DECISION = `query ($id: ID!) { decision(id: $id) { id outcome seed funnel { filter entered passed } explanationRetainedUntil replica receipt { inputs decided row matrix matrixSince }
  explanation { fidelity headline text steps { name entered passed } matrix { firstFailing reason bits rank distance } weighing(top: 20) { hosts { hostName totalWeight } } } } }`

const verify = async (service: TestService, id: string): Promise<Json> => (await dataOf(service, VERIFY, { id })).verifyDecision
const parts = ({ checks }: Json): readonly string[] => checks.map(({ part, outcome }: Json) => `${part} ${outcome}`)

async function sql(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client(database.connection)
  await client.connect()
  try {
    return await client.query(text, values)
  } finally {
    await client.end()
  }
}
const uuidOf = (id: string): string => (id.includes('-') ? id : (Buffer.from(id, 'base64').toString('utf8').split(':')[1] ?? ''))

test.each(['one', 'three', 'refused', 'chance', 'nova'] as const)(
  'the decision %s has one receipt and one explanation on every replica',
  async (name) => {
    const id = decisions[name]
    const first = await verify(api, id)
    expect([name, first.outcome, first.fidelity]).toEqual([name, 'SAME', 'REPLAYED'])
    expect(parts(first)).toEqual(
      ['INPUTS', 'DECIDED', 'ROW', ...(name === 'refused' ? [] : ['LOG']), 'REPLAY', 'MATRIX'].map((part) => `${part} SAME`),
    )
    expect(first.checks.at(-1).text).toBe('This is the first replay: the hash of every verdict is stored from now on.')
    const other = await verify(second, id)
    expect(other.checks.at(-1).text).toBe('Every verdict on every host equals that of the first replay.')
    expect(other.checks.map(({ found }: Json) => found)).toEqual(first.checks.map(({ found }: Json) => found))
    expect((await dataOf(api, DECISION, { id })).decision.receipt.matrix).toBe(first.checks.at(-1).found)
    const { replica } = (await dataOf(api, '{ health { replica } }')).health
    expect((await dataOf(second, DECISION, { id })).decision.replica).toBe(name === 'refused' ? null : replica)
    expect(await dataOf(second, DECISION, { id })).toEqual({
      decision: { ...(await dataOf(api, DECISION, { id })).decision, explanationRetainedUntil: expect.any(String) },
    })
  },
)

test('a replica that starts later returns the same receipts and explanations', async () => {
  const was = Object.fromEntries(
    await Promise.all(Object.values(decisions).map(async (id) => [id, await dataOf(api, DECISION, { id })] as const)),
  )
  await api.close()
  third = await startTestService({ database })
  for (const id of Object.values(decisions)) {
    expect((await verify(third, id)).outcome).toBe('SAME')
    expect(await dataOf(third, DECISION, { id })).toEqual({
      decision: { ...was[id].decision, explanationRetainedUntil: expect.any(String) },
    })
  }
})

test.each([
  ['its seed', `UPDATE decision SET seed = 'other' WHERE id = $1`, ['INPUTS DIFFERENT', 'LOG DIFFERENT'], 'record.seed'],
  [
    'a byte of its record',
    `UPDATE decision SET packed = set_byte(packed, length(packed) - 1, 3) WHERE id = $1`,
    ['DECIDED DIFFERENT'],
    'answer.0',
  ],
  ['unreadable bytes', `UPDATE decision SET packed = '\\x0909' WHERE id = $1`, ['DECIDED DIFFERENT'], undefined],
  ['its outcome', `UPDATE decision SET outcome = 'PARTIAL' WHERE id = $1`, ['ROW DIFFERENT'], undefined],
  ['an invalid outcome', `UPDATE decision SET outcome = 'LOST' WHERE id = $1`, ['DECIDED DIFFERENT'], undefined],
  ['the removal of its packed form', `UPDATE decision SET packed = NULL WHERE id = $1`, ['DECIDED DIFFERENT'], undefined],
  ['the removal of its document', `UPDATE decision SET document = 'null' WHERE id = $1`, ['DECIDED DIFFERENT'], undefined],
  ...(
    [
      [`outcome = 'PARTIAL'`, 'outcome'],
      ['at_ms = at_ms + 1', 'at'],
      [`caller = 'other'`, 'account'],
      [`claim_ids = '{}'`, 'claimIds'],
      [`hosts = '{other}'`, 'hosts'],
      ['revision = revision - 1', 'place.basis'],
    ] as const
  ).map(
    ([column, path]) =>
      [
        `${path}, together with the removal of the hashes,`,
        `UPDATE decision SET ${column}, inputs_hash = NULL, decided_hash = NULL, row_hash = NULL WHERE id = $1`,
        ['ROW UNKNOWN', 'LOG DIFFERENT'],
        path,
      ] as const,
  ),
  ['its time', `UPDATE decision SET at_ms = at_ms + 1 WHERE id = $1`, ['ROW DIFFERENT'], undefined],
  ['its account', `UPDATE decision SET caller = 'other' WHERE id = $1`, ['ROW DIFFERENT'], undefined],
  ['its claims', `UPDATE decision SET claim_ids = ARRAY[id] WHERE id = $1`, ['ROW DIFFERENT'], undefined],
  ['its search column of hosts', `UPDATE decision SET hosts = '{h-0,other}' WHERE id = $1`, ['ROW DIFFERENT'], undefined],
  ['its search column of instances', `UPDATE decision SET instance_uuids = '{other}' WHERE id = $1`, ['ROW DIFFERENT'], undefined],
  [
    'its reasons',
    `UPDATE decision SET document = '{"reasons":[{"filter":"RamFilter","code":"memory.short","hosts":1,"text":"x"}]}' WHERE id = $1`,
    ['ROW DIFFERENT'],
    undefined,
  ],
  ['its receipt', `UPDATE decision SET decided_hash = sha256('x') WHERE id = $1`, ['DECIDED DIFFERENT'], undefined],
  ['its verdicts', `UPDATE decision SET matrix_hash = sha256('x') WHERE id = $1`, ['MATRIX DIFFERENT'], undefined],
  [
    'its request',
    `UPDATE request_spec SET document = jsonb_set(document, '{flavor,vcpus}', '3') WHERE id = (SELECT request_spec_id FROM decision WHERE id = $1)`,
    ['INPUTS DIFFERENT'],
    'record.request.flavor.vcpus',
  ],
] as const)('a change of %s in the table is detected', async (_, change, found, path) => {
  const id = decisions.one
  const before = (await sql('SELECT * FROM decision WHERE id = $1', [uuidOf(id)])).rows[0]
  const request = (await sql('SELECT * FROM request_spec WHERE id = $1', [before.request_spec_id])).rows[0]
  await sql(change, [uuidOf(id)])
  const verified = await verify(second, id)
  expect(verified.outcome).toBe('DIFFERENT')
  expect(parts(verified)).toEqual(expect.arrayContaining([...found]))
  if (path !== undefined)
    expect(verified.checks.map(({ difference }: Json) => difference?.path).filter(Boolean)).toContainEqual(expect.stringContaining(path))
  const hashes = ['inputs_hash', 'decided_hash', 'row_hash', 'matrix_hash']
  const columns = ['seed', 'packed', 'revision', 'outcome', 'at_ms', 'caller', 'claim_ids', 'hosts', 'instance_uuids', ...hashes]
  const back = columns.map((column, i) => `${column} = $${i + 3}`).join(', ')
  await sql(`UPDATE decision SET document = $2, ${back} WHERE id = $1`, [
    uuidOf(id),
    JSON.stringify(before.document),
    ...columns.map((column) => before[column]),
  ])
  await sql('UPDATE request_spec SET document = $2 WHERE id = $1', [request.id, JSON.stringify(request.document)])
  expect((await verify(second, id)).outcome).toBe('SAME')
})

test('the verification of a refusal without stored hashes is UNKNOWN', async () => {
  const id = decisions.refused
  const { row_hash: hash, caller } = (await sql('SELECT row_hash, caller FROM decision WHERE id = $1', [uuidOf(id)])).rows[0]
  await sql(`UPDATE decision SET row_hash = NULL, caller = 'other' WHERE id = $1`, [uuidOf(id)])
  const verified = await verify(second, id)
  expect([verified.outcome, parts(verified)[2]]).toEqual(['UNKNOWN', 'ROW UNKNOWN'])
  await sql('UPDATE decision SET row_hash = $2, caller = $3 WHERE id = $1', [uuidOf(id), hash, caller])
  expect((await verify(second, id)).outcome).toBe('SAME')
})

test('every query about a decision with an unreadable record reports RECORD_UNREADABLE', async () => {
  const id = decisions.refused
  const { packed } = (await sql('SELECT packed FROM decision WHERE id = $1', [uuidOf(id)])).rows[0]
  const write = (bytes: Buffer) => sql('UPDATE decision SET packed = $2 WHERE id = $1', [uuidOf(id), bytes])
  for (const [bytes, why] of [
    [Buffer.from([9, 9]), 'is packed in format 9; this release reads format 1'],
    [packed.subarray(0, 5), ''],
    [Buffer.concat([packed, Buffer.from([0])]), 'is packed in more bytes than it needs'],
  ] as const) {
    await write(bytes)
    for (const query of [
      'decision(id: $id) { outcome }',
      'node(id: $id) { ... on Decision { outcome } }',
      'explainPlacement(input: { subject: { decisionId: $id } }) { headline }',
      'whatWouldFit(input: { decisionId: $id }) { __typename }',
    ]) {
      const { errors } = await second.ask(`query ($id: ID!) { ${query} }`, { id })
      expect([query, errors[0]?.extensions.code]).toEqual([query, 'RECORD_UNREADABLE'])
      expect(errors[0]?.message).toContain(`Decision ${uuidOf(id)} is in the tables and cannot be read: `)
      expect(errors[0]?.message).toContain(why)
    }
    const verified = await verify(second, id)
    expect([verified.outcome, verified.checks[0].text]).toEqual(['DIFFERENT', expect.stringContaining(why)])
  }
  await write(packed)
  expect((await verify(second, id)).outcome).toBe('SAME')
})

test('if the record of one decision is unreadable, the other decisions are listed and compared', async () => {
  const id = decisions.refused
  const LISTED = `query ($after: String) { decisions(first: 2, after: $after) { totalCount nodes { id } edges { cursor }
    pageInfo { endCursor hasNextPage } unreadable { id outcome at account code message } } }`
  const COMPARED = `{ compareProfiles(baseline: "default", candidate: { draft: { filters: [{ name: "RamFilter" }], weighers: [] } }, window: "PT1H") {
    total sampled leftOut { unreadable notReplayable } text } }`
  const listed = async (): Promise<Json[]> => {
    const pages: Json[] = []
    let after: string | null = null
    for (;;) {
      const page: Json = (await dataOf(second, LISTED, { after })).decisions
      pages.push(page)
      if (!page.pageInfo.hasNextPage) return pages
      after = page.pageInfo.endCursor
    }
  }
  const [was, compared] = [await listed(), (await dataOf(second, COMPARED)).compareProfiles]
  const { packed } = (await sql('SELECT packed FROM decision WHERE id = $1', [uuidOf(id)])).rows[0]
  await sql('UPDATE decision SET packed = $2 WHERE id = $1', [uuidOf(id), Buffer.from([9, 9])])
  const is = await listed()
  const nodesOf = (pages: Json[]) => pages.flatMap(({ nodes }) => nodes.map((node: Json) => node.id))
  expect(nodesOf(is)).toEqual(nodesOf(was).filter((one: string) => one !== id))
  expect(is.map(({ totalCount, edges, unreadable }) => [totalCount, edges.length + unreadable.length])).toEqual(
    was.map(({ totalCount, edges }) => [totalCount, edges.length]),
  )
  const expected = { id, outcome: 'NO_VALID_HOST', code: 'RECORD_UNREADABLE', message: expect.stringContaining('is packed in format 9') }
  expect(is.flatMap(({ unreadable }) => unreadable)).toEqual([expect.objectContaining(expected)])
  // a page has a cursor for the next page even if it contains only an unreadable decision
  const alone = await dataOf(
    second,
    '{ decisions(first: 1, query: "flavor:giant") { nodes { id } unreadable { id } pageInfo { endCursor } } }',
  )
  expect(alone.decisions).toEqual({ nodes: [], unreadable: [{ id }], pageInfo: { endCursor: expect.any(String) } })
  const { total, sampled, leftOut, text } = (await dataOf(second, COMPARED)).compareProfiles
  expect([total, sampled, leftOut]).toEqual([compared.total, compared.sampled - 1, { ...compared.leftOut, unreadable: 1 }])
  expect(text).toContain('1 cannot be read.')
  await sql('UPDATE decision SET packed = $2 WHERE id = $1', [uuidOf(id), packed])
  expect(await listed()).toEqual(was)
})

test('a decision that an older release stored is read, found by its request, and verified by log and replay', async () => {
  const id = decisions.three
  const was = await dataOf(second, DECISION, { id })
  const [entry] = (
    await sql(
      `SELECT l.body::jsonb AS body, d.entry_id, d.entry_place, d.revision, d.claim_ids::text[] AS claims
       FROM decision d JOIN log l ON l.id = d.entry_id WHERE d.id = $1`,
      [uuidOf(id)],
    )
  ).rows
  const { decision: record, answer } = entry.body.changes[entry.entry_place]
  const place = { basis: Number(entry.revision), entryId: entry.entry_id, position: entry.entry_place }
  await sql(
    'UPDATE decision SET packed = NULL, claim_ids = NULL, inputs_hash = NULL, decided_hash = NULL, row_hash = NULL, matrix_hash = NULL, matrix_at_ms = NULL, document = $2 WHERE id = $1',
    [uuidOf(id), JSON.stringify({ record, place, answer, claimIds: entry.claims, reasons: [] })],
  )
  const { decision } = await dataOf(second, DECISION, { id })
  expect(decision).toEqual({
    ...was.decision,
    receipt: { inputs: null, decided: null, row: null, matrix: null, matrixSince: null },
    explanationRetainedUntil: expect.any(String),
  })
  const verified = await verify(second, id)
  expect([verified.outcome, ...parts(verified)]).toEqual([
    'SAME',
    'INPUTS UNKNOWN',
    'DECIDED UNKNOWN',
    'ROW UNKNOWN',
    'LOG SAME',
    'REPLAY SAME',
    'MATRIX SAME',
  ])
})

test('packed decisions are found by the fields of their request', async () => {
  const found = await dataOf(second, `{ decisions(query: "flavor:giant") { nodes { id outcome } } }`)
  expect(found.decisions.nodes).toEqual([{ id: decisions.refused, outcome: 'NO_VALID_HOST' }])
  expect((await sql('SELECT count(*)::int AS count FROM decision WHERE packed IS NULL')).rows[0].count).toBe(1)
})

test('the API returns until when a decision can be replayed exactly, and names a decision that does not exist', async () => {
  expect((await dataOf(second, DECISION, { id: decisions.one })).decision.explanationRetainedUntil > new Date().toISOString()).toBe(true)
  const { errors } = await second.ask(VERIFY, { id: Buffer.from('Decision:00000000-0000-4000-8000-000000000000').toString('base64') })
  expect(errors[0]?.message).toContain('the id of a decision')
})
