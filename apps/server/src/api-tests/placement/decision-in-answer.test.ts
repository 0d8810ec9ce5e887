import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

// The answer to a placement shows its decision from memory. No table is read for it, and it has the same values as the tables later.

let api: TestService

beforeAll(async () => {
  api = await startTestService()
  await api.report({ a: { vcpus: 8, memoryMb: 65_536 } })
})
afterAll(() => api.close())

const FIELDS = `id outcome at account instanceUuids ignoredFields unlocatedFields seed coreVersion fleetRevision attempt durationMs hostCount
  spec { id version } profile { number note } destinations { instanceUuid selected { host { name } claim { id } } }
  reasons { code text } cause { code } funnel { filter entered passed }`

const SELECT = `mutation ($in: SelectDestinationsInput!) { it: selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { decision { ${FIELDS} } } ... on NoValidHost { decision { ${FIELDS} } } } }`

const place = async (vcpus: number): Promise<Json> => {
  const spec = { gantt: { flavor: { vcpus, memoryMb: 64 }, instanceUuids: [randomUUID()] } }
  return (await dataOf(api, SELECT, { in: { spec, idempotencyKey: randomUUID(), claim: { mode: 'CONFIRM' } } })).it
}

test.each([
  ['a placement', 1, 'SelectDestinationsPayload'],
  ['a refusal', 1_000, 'NoValidHost'],
])('the decision in the answer to %s has the values that the tables have later', async (_what, vcpus, type) => {
  const answer = await place(vcpus)
  expect(answer.__typename).toBe(type)
  const { decision } = await dataOf(api, `query ($id: ID!) { decision(id: $id) { ${FIELDS} } }`, { id: answer.decision.id })
  expect(answer.decision).toEqual(decision)
})

test('the decision of a placement is shown while the table of decisions is locked', async () => {
  const other = new pg.Client(api.connection)
  await other.connect()
  try {
    await other.query('BEGIN')
    await other.query('LOCK TABLE decision IN ACCESS EXCLUSIVE MODE')
    const { decision } = await place(1)
    expect(decision).toMatchObject({ outcome: 'PLACED', attempt: 1 })
  } finally {
    await other.query('ROLLBACK')
    await other.end()
  }
})
