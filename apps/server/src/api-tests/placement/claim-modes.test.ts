import { randomUUID } from 'node:crypto'
import { isInputObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSchema } from '../../schema/index.ts'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

/* How each call with a claim mode obeys each mode, or refuses it with its path. A TTL that has no effect is named. */

let api: TestService

const whole = { vcpus: 64, memoryMb: 65_536 }
const GONE = `__typename ... on ValidationError { issues { path message } }`
const PLACED = `... on SelectDestinationsPayload { ignoredFields destinations { selected { host { name } claim { id state } } } }`
const SELECT = `mutation ($in: SelectDestinationsInput!) { it: selectDestinations(input: $in) { ${GONE} ${PLACED} } }`
const CREATE = `mutation ($in: ClaimCreateInput!) { it: claimCreate(input: $in) { ${GONE} ${PLACED} } }`
const EVACUATE = `mutation ($in: HostEvacuateInput!, $dry: Boolean!) { it: hostEvacuate(input: $in, dryRun: $dry) { ${GONE}
  ... on HostEvacuatePreview { ignoredFields moves { destination { name } } }
  ... on HostEvacuatePayload { ignoredFields moves { result { __typename ${PLACED} } } } } }`

beforeAll(async () => {
  api = await startTestService()
  await api.report({ a: whole, b: whole, c: whole })
})
afterAll(() => api.close())

const gantt = { flavor: { vcpus: 1, memoryMb: 64 } }
const stateOf = (answer: Json): string | null => answer.destinations[0].selected.claim?.state ?? null
const select = async (claim: object, more: object = {}): Promise<Json> =>
  (await dataOf(api, SELECT, { in: { spec: { gantt }, idempotencyKey: randomUUID(), claim, ...more } })).it
const create = async (mode: string, more: object = {}): Promise<Json> => {
  const { decision } = await placeWith(api, { spec: { gantt }, claim: { mode: 'NONE' } })
  return (await dataOf(api, CREATE, { in: { decisionId: decision.id, host: { host: 'a' }, idempotencyKey: randomUUID(), mode, ...more } }))
    .it
}
const evacuate = async (claim: object, dry: boolean, more: object = {}): Promise<Json> => {
  await placeWith(api, { claim: { mode: 'CONFIRM' }, spec: { gantt: { ...gantt, forceHosts: ['c'] } } })
  return (await dataOf(api, EVACUATE, { in: { host: { host: 'c' }, idempotencyKey: randomUUID(), claim, ...more }, dry })).it
}
const pathsOf = ({ issues }: Json): readonly string[] => issues.map(({ path }: Json) => path.join('.'))

test('this test covers every input with a claim mode', () => {
  const found = Object.values(createSchema().getTypeMap()).filter(
    (type) =>
      isInputObjectType(type) &&
      Object.values(type.getFields()).some(({ type: field }) => /^(ClaimMode|ClaimOptionsInput)\b/.test(String(field))),
  )
  expect(found.map(({ name }) => name).sort()).toEqual([
    'ClaimCreateInput',
    'ClaimOptionsInput',
    'HostEvacuateInput',
    'SelectDestinationsInput',
  ])
})

describe('selectDestinations obeys each mode', () => {
  test.each([
    ['NONE', null],
    ['RESERVE', 'RESERVED'],
    ['CONFIRM', 'CONFIRMED'],
  ])('%s', async (mode, state) => expect(stateOf(await select({ mode }))).toBe(state))

  test('if the intent claims nothing, CONFIRM has no effect and is listed in ignoredFields', async () => {
    const answer = await select({ mode: 'CONFIRM', ttl: 'PT5M' }, { intent: 'PROBE' })
    expect([stateOf(answer), answer.ignoredFields]).toEqual([null, ['claim.mode', 'claim.ttl']])
  })

  test.each([
    ['RESERVE', 'CREATE', []],
    ['CONFIRM', 'CREATE', ['claim.untilCounted']],
    ['NONE', 'CREATE', ['claim.untilCounted']],
    ['RESERVE', 'PROBE', ['claim.untilCounted']],
  ])('untilCounted with mode %s and intent %s: ignoredFields is %j', async (mode, intent, ignored) =>
    expect((await select({ mode, untilCounted: true }, { intent })).ignoredFields).toEqual(ignored),
  )
})

describe('claimCreate claims, or refuses the mode', () => {
  test.each([
    ['RESERVE', 'RESERVED'],
    ['CONFIRM', 'CONFIRMED'],
  ])('%s', async (mode, state) => expect(stateOf(await create(mode))).toBe(state))

  test('NONE is refused with its path, and claims nothing', async () => {
    const answer = await create('NONE')
    expect(pathsOf(answer)).toEqual(['input.mode'])
    expect(answer.issues[0].message).toContain('it must be RESERVE or CONFIRM')
  })

  test('a TTL is checked and named by its own path', async () => {
    expect(pathsOf(await create('RESERVE', { ttl: 'PT0.1S' }))).toEqual(['input.ttl'])
    expect((await create('CONFIRM', { ttl: 'PT5M' })).ignoredFields).toEqual(['ttl'])
    expect((await create('RESERVE', { ttl: 'PT5M' })).ignoredFields).toEqual([])
  })
})

describe('hostEvacuate claims, or refuses the mode, and its dry run checks the call as the evacuation does', () => {
  test.each([
    ['RESERVE', 'RESERVED'],
    ['CONFIRM', 'CONFIRMED'],
  ])('%s', async (mode, state) => {
    // a claim that an earlier row moves stays until its move ends
    const foreseen = (await evacuate({ mode }, true)).moves.flatMap(({ destination }: Json) => destination?.name ?? [])
    expect(foreseen).toContainEqual(expect.stringMatching(/^[ab]$/))
    const { moves } = await evacuate({ mode }, false)
    expect(moves.map(({ result }: Json) => (result.destinations === undefined ? result.__typename : stateOf(result)))).toContain(state)
  })

  test.each([true, false])('with dryRun: %s', async (dry) => {
    expect(pathsOf(await evacuate({ mode: 'NONE' }, dry))).toEqual(['input.claim.mode'])
    expect(pathsOf(await evacuate({ mode: 'RESERVE', ttl: 'PT0.1S' }, dry))).toEqual(['input.claim.ttl'])
    expect(pathsOf(await evacuate({ mode: 'RESERVE' }, dry, { deadline: 'PT2M' }))).toEqual(['input.deadline'])
    expect(pathsOf(await evacuate({ mode: 'RESERVE' }, dry, { idempotencyKey: '' }))).toEqual(['input.idempotencyKey'])
    expect((await evacuate({ mode: 'CONFIRM', ttl: 'PT5M' }, dry)).ignoredFields).toEqual(['claim.ttl'])
    expect((await evacuate({ mode: 'RESERVE', ttl: 'PT5M' }, dry)).ignoredFields).toEqual([])
    expect((await evacuate({ mode: 'RESERVE', untilCounted: true }, dry)).ignoredFields).toEqual(['claim.untilCounted'])
  })
})
