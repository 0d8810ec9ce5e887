import { randomUUID } from 'node:crypto'
import {
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../auth/caller.ts'
import { answerFields, hostBoundFields, projectBoundFields, refusedField } from '../../auth/field-rules.ts'
import { createSchema } from '../../schema/index.ts'
import { encodeId } from '../../schema/types/ids.ts'
import { codeOf, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'
import { closedToProjects, whoMay } from './authorisation.table.ts'

let api: TestService
/** A key for each role. */
const keys = new Map<string, string>()
const roles = ['none', ...scopes, 'project', 'hosts']

beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {} })
  const { keys: store } = api.service
  for (const scope of scopes) keys.set(scope, await api.keyWith(scope))
  keys.set('none', await api.keyWith())
  const bound = { account: 'tenant', scopes: ['READ', 'SCHEDULE', 'CLAIM'], project: 'p1' } as const
  keys.set('project', (await store.create({ ...bound, name: 'of p1' })).secret)
  keys.set('hosts', (await store.create({ name: 'of h1', account: 'agents', scopes: ['REPORT'], hosts: ['h1'] })).secret)
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const schema = createSchema()
const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((root) =>
  Object.values(root?.getFields() ?? {}).map((field) => ({ root: root?.name ?? '', field, name: `${root?.name}.${field.name}` })),
)

describe('the permissions of keys', () => {
  test('every root field has a row in the table, and every row is for an existing field', () => {
    const missing = roots.filter(({ name }) => whoMay[name] === undefined).map(({ name }) => name)
    expect(
      missing,
      `new fields: say who may ask them in apps/server/src/api-tests/key/authorisation.table.ts, as '${missing[0]}': 'READ'`,
    ).toEqual([])
    expect(Object.keys(whoMay).filter((name) => roots.every((each) => each.name !== name))).toEqual([])
  })

  test('for every root field that the scopes of a key bound to a project allow, the table says whether this key may read the field', () => {
    // a key bound to a project can only have the scopes READ, SCHEDULE and CLAIM
    const reachable = roots.filter(({ name }) => /^(any|READ|SCHEDULE|CLAIM)\b/.test(whoMay[name] ?? ''))
    for (const { root, field, name } of reachable) {
      const isOpen = projectBoundFields[root]?.includes(field.name) ?? false
      const why = `${name} is new: open it in projectBoundFields, or say in closedToProjects (api-tests/key/authorisation.table.ts) why it is closed`
      expect(isOpen !== (closedToProjects[name] !== undefined), why).toBe(true)
      expect({ name, isOpen }).toEqual({ name, isOpen: whoMay[name]?.split(' ').includes('project') })
    }
  })

  test.each(roots)('$name: without a key the status is 401, and each role gets what the table says', async ({ root, field, name }) => {
    const args = field.args.filter(isRequired).map((arg) => `${arg.name}: ${literalOf(arg.type)}`)
    const selection = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }'
    const document = `${root.toLowerCase()} { ${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''} ${selection} }`
    expect(await endOf(document, null)).toEqual([401, 'UNAUTHENTICATED'])
    const [needed = '', ...bound] = whoMay[name]?.split(' ') ?? []
    for (const role of roles) {
      const may = role === 'ADMIN' || role === needed || bound.includes(role) || (needed === 'any' && role !== 'none')
      const [status, code] = await endOf(document, keys.get(role) ?? '')
      if (may) expect({ role, isRefused: status === 401 || status === 403 || code === 'FORBIDDEN' }).toEqual({ role, isRefused: false })
      else expect({ role, status, code }).toEqual({ role, status: 403, code: 'FORBIDDEN' })
    }
  })

  /** The HTTP status and the first error code of an answer. For a stream, the HTTP status shows whether the stream began. */
  async function endOf(document: string, key: string | null): Promise<readonly [number, unknown]> {
    if (!document.startsWith('subscription')) {
      const answer = await api.ask(document, {}, key)
      return [answer.status, codeOf(answer)]
    }
    const abort = new AbortController()
    const response = await fetch(api.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream, application/graphql-response+json;q=0.9',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ query: document }),
      signal: abort.signal,
    })
    if (response.status !== 200) return [response.status, codeOf({ ...(await response.json()) })]
    abort.abort()
    return [200, undefined]
  }

  const isRequired = (arg: GraphQLArgument) => isNonNullType(arg.type) && arg.defaultValue === undefined
  function literalOf(type: GraphQLInputType): string {
    if (isNonNullType(type)) return literalOf(type.ofType)
    if (isListType(type)) return `[${literalOf(type.ofType)}]`
    if (isEnumType(type)) return type.getValues()[0]?.name ?? ''
    if (!isInputObjectType(type)) return literals[type.name] ?? '""'
    const fields = Object.values(type.getFields())
    const given = type.isOneOf
      ? fields.slice(0, 1)
      : fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined)
    return `{ ${given.map((field) => `${field.name}: ${literalOf(field.type)}`).join(', ')} }`
  }
  const literals: Record<string, string> = {
    UUID: `"${randomUUID()}"`,
    Int: '1',
    SafeInt: '1',
    Float: '1',
    Duration: '"PT1S"',
    Revision: '"1"',
    ID: `"${encodeId('Decision', randomUUID())}"`,
    JSON: '{}',
    Boolean: 'true',
  }

  test('introspection and suggestions in errors require a key', async () => {
    for (const document of ['{ __schema { types { name } } }', '{ host { nam } }']) {
      const answer = await api.ask(document, {}, 'gantt_no_such_key')
      expect([answer.status, codeOf(answer)]).toEqual([401, 'UNAUTHENTICATED'])
      expect(answer.text).not.toMatch(/Did you mean|Query/)
    }
    expect((await api.ask('{ __schema { queryType { name } } }')).data).toEqual({ __schema: { queryType: { name: 'Query' } } })
  })
})

describe('fields of objects', () => {
  const objects = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type))
  const uses = objects
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => Object.keys(type.getFields()).map((field) => ({ type: type.name, field })))
  const isRoot = (type: string) => ['Query', 'Mutation', 'Subscription'].includes(type)

  test.each([
    ['a key without READ', answerFields, { scopes: ['SCHEDULE'] as const, hosts: [], project: null }],
    ['a key bound to a project', projectBoundFields, { scopes: ['READ', 'SCHEDULE', 'CLAIM'] as const, hosts: [], project: 'p1' }],
    ['a key bound to host names', hostBoundFields, { scopes: ['REPORT'] as const, hosts: ['h1'], project: null }],
  ])('a key with %s may read the listed fields of every type, and no others', (_name, listed, caller) => {
    const rows = Object.entries(listed).flatMap(([type, fields]) => fields.map((field) => `${type}.${field}`))
    const all = uses.map(({ type, field }) => `${type}.${field}`)
    expect(
      rows.filter((row) => !all.includes(row)),
      'rows of auth/field-rules.ts for fields that are not in the schema',
    ).toEqual([])
    for (const use of uses) {
      const isOpen = rows.includes(`${use.type}.${use.field}`) || (listed === answerFields && isRoot(use.type))
      expect({ ...use, isOpen: refusedField(caller, [use]) === undefined }).toEqual({ ...use, isOpen })
    }
  })

  test.each(Object.entries({ answerFields, projectBoundFields, hostBoundFields }))(
    '%s: a listed field of an interface is also listed for each listed type that implements it',
    (_name, listed) => {
      const behind = objects
        .filter(isInterfaceType)
        .flatMap((type) => schema.getPossibleTypes(type).flatMap(({ name }) => (listed[type.name] ?? []).map((field) => ({ name, field }))))
      expect(behind.filter(({ name, field }) => listed[name] !== undefined && !listed[name].includes(field))).toEqual([])
    },
  )

  test.each([
    ['REPORT', '{ fleet { asOf } }', 'it has REPORT; READ is needed.'],
    ['REPORT', '{ auditLog { totalCount } }', 'it has REPORT; OPERATE is needed.'],
    ['READ', '{ auditLog { totalCount } }', 'it has READ; OPERATE is needed.'],
    [
      'none',
      'mutation { selectDestinations(input: { idempotencyKey: "k", spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } } }) { __typename } }',
      'it has no scope; SCHEDULE is needed.',
    ],
    [
      'REPORT',
      'mutation { selectDestinations(input: { idempotencyKey: "k", spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } } }) { ... on NoValidHost { decision { spec { digest } } } } }',
      'it has REPORT; SCHEDULE and READ are needed.',
    ],
    [
      'SCHEDULE',
      'mutation { selectDestinations(input: { idempotencyKey: "k", spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } } }) { ... on NoValidHost { decision { spec { digest } } } } }',
      'it has SCHEDULE; READ is needed.',
    ],
  ])('the error for a key with %s that reads %s names the scopes that it lacks', async (role, query, expectedMessage) => {
    const answer = await api.ask(query, {}, keys.get(role))
    expect([answer.status, answer.errors[0]?.message]).toEqual([403, expect.stringContaining(expectedMessage)])
  })

  test('callers that may place can read the structured cause of a refusal as well as its sentences, but keys bound to a project cannot', async () => {
    const query = `mutation ($k: String!) { selectDestinations(input: { idempotencyKey: $k, spec: { gantt: { projectId: "p2", flavor: { vcpus: 900, memoryMb: 64 } } } }) {
      ... on NoValidHost { message cause { code text admittedHosts hostName node } } } }`
    const answer: Json = (await api.ask(query, { k: randomUUID() }, keys.get('SCHEDULE'))).data
    const { message, cause } = answer.selectDestinations
    expect(message).toBe(`No host can take the instance. ${cause.text}`)
    const refused = await api.ask(query, { k: randomUUID() }, keys.get('project'))
    expect(refused.status).toBe(403)
  })

  test('`node` is refused for bound keys and keys without READ, and a call that selects links to other objects is refused for a key without READ', async () => {
    const { decision, destinations } = await placeWith(api, {}, { projectId: 'p2' })
    const ids = [decision.id, destinations[0].selected.claim.id, encodeId('Host', JSON.stringify(['h1', 'h1']))]
    for (const id of ids)
      for (const role of ['project', 'hosts', 'SCHEDULE', 'REPORT', 'CLAIM', 'none']) {
        const answer = await api.ask(`{ node(id: "${id}") { id } }`, {}, keys.get(role))
        expect([role, answer.status, codeOf(answer), answer.data]).toEqual([role, 403, 'FORBIDDEN', undefined])
      }
    const place = (fields: string) => `mutation { selectDestinations(input: { idempotencyKey: "${randomUUID()}", intent: CREATE,
      spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } } }) { ... on SelectDestinationsPayload { ${fields} } } }`
    const before = await dataOf(api, '{ claims { totalCount } }')
    for (const fields of [
      'decision { explanation { __typename } }',
      'destinations { selected { host { capacity { free } } } }',
      'decision { ...F } } } } fragment F on Decision { spec { document } } query Q { viewer { ... on Viewer { scopes',
    ]) {
      const answer = await api.ask(place(fields), {}, keys.get('SCHEDULE'))
      expect([fields, answer.status]).toEqual([fields, fields.includes('query Q') ? answer.status : 403])
      expect(answer.data ?? null).toBe(null)
    }
    // the call is refused before anything is executed
    expect(await dataOf(api, '{ claims { totalCount } }')).toEqual(before)
    const allowed = await api.ask(place('destinations { selected { host { name } claim { id fence } } }'), {}, keys.get('SCHEDULE'))
    expect([allowed.status, allowed.errors]).toEqual([200, []])
  })
})
