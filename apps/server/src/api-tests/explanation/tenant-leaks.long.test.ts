import { randomUUID } from 'node:crypto'
import { createRandom } from '@gantt/scheduler-core'
import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FieldUse, projectBoundFields } from '../../auth/field-rules.ts'
import { createSchema } from '../../schema/index.ts'
import { dataOf, type Json, LASTING, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

/** Matches text that the project may never read. In this test, all names and ids of hosts and other projects match. */
const SECRET = /zqx|[0-9a-f]{8}-[0-9a-f]{4}-5666/

const schema = createSchema()
let api: TestService
const keys = new Map<string, string>()
/** The ids of decisions and claims: `own` belong to the project, `foreign` belong to other projects. */
const own: { decisions: string[]; claims: { id: string; fence: number }[] } = { decisions: [], claims: [] }
const foreign: { decisions: string[]; claims: { id: string; fence: number }[] } = { decisions: [], claims: [] }

const secretUuid = () => randomUUID().replace(/^(.{14})4.../, '$15666')

beforeAll(async () => {
  api = await startTestService()
  const make = async (name: string, scopes: readonly ('READ' | 'SCHEDULE' | 'CLAIM')[]) =>
    keys.set(name, (await api.service.keys.create({ name, account: 'tenant', scopes, project: 'p1' })).secret)
  await make('all', ['READ', 'SCHEDULE', 'CLAIM'])
  await make('reader', ['READ'])
  keys.set('operator', await api.keyWith('READ'))
  await report({ 'zqx-a': 3_000, 'zqx-b': 9_000, 'zqx-c': 20_000, 'zqx-shut': 60_000 })
  const edit = (mutation: string) => dataOf(api, `mutation { ${mutation} }`)
  await edit(`aggregateCreate(input: { name: "zqx zone", availabilityZone: "z1", hosts: ["zqx-a", "zqx-b"] }) { __typename }`)
  await edit(
    `aggregateCreate(input: { name: "zqx fast", metadata: [{ key: "disk_kind", value: "fast" }], hosts: ["zqx-a"] }) { __typename }`,
  )
  await edit(`hostSetStatus(hosts: [{ host: "zqx-shut" }], status: DISABLED, reason: "zqx disk") { __typename }`)
  const { decision, destinations } = await placeWith(
    api,
    {},
    { projectId: 'zqx-project', flavor: { vcpus: 1, memoryMb: 64 }, instanceUuids: [secretUuid()] },
  )
  foreign.decisions.push(decision.id)
  foreign.claims.push(destinations[0].selected.claim)
  // an operator forces hosts for a request of the project, and revokes one of the project's claims
  const named = await placeWith(api, {}, { projectId: 'p1', flavor: { vcpus: 99, memoryMb: 64 }, forceHosts: ['zqx-a'] })
  own.decisions.push(named.decision.id)
  for (const gantt of someRequests) {
    const answer = await select(gantt)
    own.decisions.push(answer.decision.id)
    if (answer.destinations) own.claims.push(answer.destinations[0].selected.claim)
  }
  const lost = own.claims[0] as { id: string }
  await dataOf(api, 'mutation ($id: ID!) { claimRevoke(ids: [$id], reason: "zqx drains") { __typename } }', { id: lost.id })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const sequences = new Map<string, number>()

/** Reports hosts with 64 GiB of memory, with this much free memory in MiB. */
async function report(free: Readonly<Record<string, number>>): Promise<void> {
  const updates = Object.entries(free).map(([host, memoryMb]) => {
    const sequence = (sequences.get(host) ?? 0) + 1
    sequences.set(host, sequence)
    const full = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 65_536 - memoryMb, localGb: 1_024, localGbUsed: 0 }
    return { name: { host, node: `${host}.zqx` }, reporter: { incarnation: INCARNATION, sequence }, report: { full } }
  })
  const answer = await dataOf(
    api,
    'mutation ($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { appliedCount } }',
    { updates },
  )
  expect(answer).toEqual({ updateResourceStats: { appliedCount: updates.length } })
}
const INCARNATION = '00000000-0000-4000-8000-000000000001'

type Asked = Readonly<Record<string, unknown>>

/** Requests that a project may make. Some ask for a zone or a trait that the fleet does not have. */
const someRequests: readonly Asked[] = [
  { flavor: { vcpus: 1, memoryMb: 64 } },
  { flavor: { vcpus: 1, memoryMb: 128 }, availabilityZone: 'z1' },
  { flavor: { vcpus: 1, memoryMb: 25_000 } },
  { flavor: { vcpus: 99, memoryMb: 12_000 } },
  { flavor: { vcpus: 1, memoryMb: 64 }, availabilityZone: 'nowhere' },
  { flavor: { vcpus: 1, memoryMb: 64, extraSpecs: [{ key: 'trait:CUSTOM_X', value: 'required' }] } },
  { flavor: { vcpus: 1, memoryMb: 64, extraSpecs: [{ key: 'disk_kind', value: 'slow' }] } },
  { flavor: { vcpus: 1, memoryMb: 64 }, gpus: { count: 1, shareMilli: 1_000 } },
  { flavor: { vcpus: 1, memoryMb: 6_000 }, numInstances: 9 },
]
const specOf = (gantt: Record<string, unknown>) => ({ gantt: { projectId: 'p1', ...gantt } })

/** Places a request with the key of the project. */
async function select(gantt: Record<string, unknown>): Promise<Json> {
  const document = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) {
    ... on SelectDestinationsPayload { decision { id } destinations { selected { claim { id fence } } } } ... on NoValidHost { decision { id } } } }`
  const { data, text } = await api.ask(
    document,
    { in: { idempotencyKey: randomUUID(), spec: specOf(gantt), claim: LASTING } },
    keys.get('all'),
  )
  if (!data) throw new Error(text)
  return data.selectDestinations
}

type Open = (use: FieldUse) => boolean
const isListed: Open = ({ type, field }) => projectBoundFields[type]?.includes(field) ?? false

/** A selection of all fields of a type that are open to the project, with nested fields up to `depth`. */
function selectionOf(output: GraphQLOutputType, isOpen: Open, depth = 6): string {
  const type = getNamedType(output)
  if (isLeafType(type)) return ''
  const members = isUnionType(type) ? [...type.getTypes()] : isInterfaceType(type) ? schema.getPossibleTypes(type) : [type]
  const inner = members.map((member) => ({ member, fields: fieldsOf(member as GraphQLObjectType, isOpen, depth) }))
  if (members.length === 1 && isObjectType(type)) return `{ __typename ${inner[0]?.fields} }`
  return `{ __typename ${inner.map(({ member, fields }) => `... on ${member.name} { __typename ${fields} }`).join(' ')} }`
}

function fieldsOf(type: GraphQLObjectType, isOpen: Open, depth: number): string {
  return Object.values(type.getFields())
    .filter((field) => isOpen({ type: type.name, field: field.name }))
    .flatMap((field) => {
      const isAskable = field.args.every((arg) => !isNonNullType(arg.type) || arg.defaultValue !== undefined)
      if (!isAskable || (depth === 0 && !isLeafType(getNamedType(field.type)))) return []
      return [`${field.name} ${selectionOf(field.type, isOpen, depth - 1)}`]
    })
    .join(' ')
}

/** Calls of each root field that is open to a project, with all open subfields. */
function documents(isOpen: Open = isListed, requests: readonly Asked[] = someRequests): readonly string[] {
  const refs = (claims: readonly { id: string; fence: number }[]) =>
    `[${claims.map(({ id, fence }) => `{ id: "${id}", fence: ${fence} }`).join(', ')}]`
  const calls: Readonly<Record<string, readonly string[]>> = {
    'Query.viewer': [''],
    'Query.decision': [...own.decisions, ...foreign.decisions].map((id) => `(id: "${id}")`),
    'Query.decisions': [
      '',
      '(first: 2)',
      '(filter: { outcome: NO_VALID_HOST })',
      '(query: "host:somewhere")',
      '(filter: { account: { eq: "x" } })',
    ],
    'Query.tenantExplanation': requests.map((gantt) => `(spec: ${literal(specOf(gantt))})`),
    'Mutation.selectDestinations': requests.map(
      (gantt) => `(input: { idempotencyKey: "${randomUUID()}", spec: ${literal(specOf(gantt))}, claim: ${literal(LASTING)} })`,
    ),
    'Mutation.claimConfirm': [`(claims: ${refs([...own.claims, ...foreign.claims])})`],
    'Mutation.claimExtend': [`(claims: ${refs([...own.claims, ...foreign.claims])}, ttl: "PT1H")`],
    'Mutation.claimRelease': [`(claims: ${refs(foreign.claims)})`],
    'Mutation.claimAbandon': ['(idempotencyKey: "never used")'],
  }
  return [schema.getQueryType(), schema.getMutationType()].flatMap((root) =>
    Object.values(root?.getFields() ?? {})
      .filter(({ name }) => isListed({ type: root?.name ?? '', field: name }))
      .flatMap(({ name, type }) => {
        const asked = calls[`${root?.name}.${name}`]
        if (asked === undefined) throw new Error(`say in this test how a project asks ${root?.name}.${name}`)
        return asked.map((args) => `${root?.name.toLowerCase()} { ${name}${args} ${selectionOf(type, isOpen)} }`)
      }),
  )
}

const ENUMS = ['CREATE', 'RESERVE']
const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, each]) => `${key}: ${literal(each)}`)
      .join(', ')} }`
  return typeof value === 'string' && ENUMS.includes(value) ? value : JSON.stringify(value)
}

/** The secret texts in an answer, apart from the host that a call received for its own instance. */
function secretsIn(answer: unknown, path: readonly string[] = []): string[] {
  if (typeof answer === 'string') return SECRET.test(answer) ? [`${path.join('.')}: ${answer}`] : []
  if (typeof answer !== 'object' || answer === null) return []
  return Object.entries(answer).flatMap(([key, value]) => {
    const at = [...path, key]
    if (/^data\.selectDestinations\..*destinations\.\d+\.selected\.host\.(name|node)$/.test(at.join('.'))) return []
    return secretsIn(value, at)
  })
}

const answerTo = async (document: string, key: string | null | undefined): Promise<Json> => {
  const { status, data, errors } = await api.ask(document, {}, key)
  // the id of the request is removed, because it is not secret and differs in every answer
  return { status, data, errors: errors.map(({ extensions: { requestId: _, ...extensions }, ...error }) => ({ ...error, extensions })) }
}

describe('a key that is bound to a project', () => {
  test('a bound key reads no name and no id that belongs to others, whatever it requests', async () => {
    for (const document of documents()) {
      const answer = await answerTo(document, keys.get('all'))
      expect({ document, secrets: secretsIn(answer) }).toEqual({ document, secrets: [] })
      // the document was executed, and was not refused because of its fields
      expect([document, answer.status]).not.toEqual([document, 403])
    }
  })

  test('a bound key gets a host from the call that places its instance, and no host from calls that only read', async () => {
    const [place] = documents().filter((document) => document.includes('selectDestinations'))
    const fresh = (place ?? '').replace(/idempotencyKey: "[^"]+"/, `idempotencyKey: "${randomUUID()}"`)
    expect(JSON.stringify(await answerTo(fresh, keys.get('all')))).toMatch(/"host":{"__typename":"Host","name":"zqx-/)
    for (const document of documents()) expect(JSON.stringify(await answerTo(document, keys.get('reader')))).not.toMatch(SECRET)
  })

  test('a bound key cannot read any other field of a decision, and the message has no details', async () => {
    const [id] = own.decisions
    for (const field of Object.values((schema.getType('Decision') as GraphQLObjectType).getFields())) {
      if (isListed({ type: 'Decision', field: field.name })) continue
      const below = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }'
      const answer = await answerTo(`{ decision(id: "${id}") { ${field.name} ${below} } }`, keys.get('all'))
      expect([field.name, answer.status, answer.errors[0]?.extensions.code]).toEqual([field.name, 403, 'FORBIDDEN'])
      expect(secretsIn(answer)).toEqual([])
    }
  })

  /** The answers to all queries with the key `reader`. */
  const readings = async (isOpen: Open = isListed, key = keys.get('reader')) => {
    const answers: Record<string, unknown> = {}
    for (const document of documents(isOpen)) if (document.startsWith('query')) answers[document] = await answerTo(document, key)
    return answers
  }

  test('a bound key does not learn which profiles exist by naming one that does not exist', async () => {
    const spec = literal(specOf({ flavor: { vcpus: 1, memoryMb: 64 } }))
    for (const document of [
      `{ tenantExplanation(spec: ${spec}, profile: "nosuch") { headline } }`,
      `mutation { selectDestinations(input: { idempotencyKey: "k", spec: ${spec}, profile: "nosuch" }) { ... on ValidationError { message issues { message expected } } } }`,
    ]) {
      const text = JSON.stringify(await answerTo(document, keys.get('all')))
      expect(text).toContain('There is no profile')
      expect(text).not.toMatch(/nova-compat|default/)
    }
  })

  test.each<[string, () => Promise<unknown>]>([
    ['the free capacity of a host that is not the emptiest', () => report({ 'zqx-b': 8_999 })],
    ['the free capacity of a host that is disabled', () => report({ 'zqx-shut': 1 })],
    ['the existence of a further host', () => report({ 'zqx-new': 5 })],
    ['the members of an aggregate', () => addTo('zqx fast', 'zqx-b')],
    ['the status of a host that is not the emptiest', () => setStatus('zqx-b', 'MAINTENANCE')],
    ['that status, back to its former value', () => setStatus('zqx-b', 'ENABLED')],
  ])('a bound key gets byte for byte the same answers if %s changes', async (_name, change) => {
    const before = await readings()
    await change()
    expect(await readings()).toEqual(before)
  })

  test('after a change of the fleet, the answers to a bound key change only if one of its own requests would have another result', async () => {
    const before = await readings()
    const mayPlace = () => Promise.all(someRequests.map(isPlaced))
    const placedBefore = await mayPlace()
    // now the third request also fits, on the host with the most free memory; the results of all other requests stay the same
    await report({ 'zqx-c': 30_000 })
    const after = await readings()
    const changed = Object.keys(before).filter((document) => JSON.stringify(after[document]) !== JSON.stringify(before[document]))
    const placedAfter = await mayPlace()
    const expected = someRequests.flatMap((gantt, i) => (placedBefore[i] === placedAfter[i] ? [] : [literal(specOf(gantt))]))
    expect(expected).toHaveLength(1)
    expect(changed.map((document) => expected.some((spec) => document.includes(spec)))).toEqual([true])
    await report({ 'zqx-c': 20_000 })
    expect(await readings()).toEqual(before)
  })

  /** Checks with an operator's key whether the request would be placed now. */
  async function isPlaced(gantt: Record<string, unknown>): Promise<boolean> {
    const answer = await placeWith(api, { intent: 'PROBE', claim: { mode: 'NONE' } }, { projectId: 'zqx-probe', ...gantt })
    return answer.__typename === 'SelectDestinationsPayload'
  }

  // each row uses an operator's key to simulate the mistake that fields are opened to projects
  test.each<[string, readonly string[]]>([
    ['the text of reasons', ['Decision.reasons', 'ReasonCount.text']],
    ['the hosts that were chosen', ['Decision.destinations', 'Destination.host', 'InstanceDestinations.selected', 'Host.name']],
    ['the documents of requests', ['Decision.spec', 'RequestSpec.document']],
    ['explanations', ['Decision.explanation', 'Explanation.text']],
  ])('the search finds a name if %s were open to projects by mistake', async (_name, planted) => {
    const isOpen: Open = (use) => isListed(use) || planted.includes(`${use.type}.${use.field}`)
    const answers = await readings(isOpen, keys.get('operator'))
    expect(Object.values(answers).flatMap((answer) => secretsIn(answer))).not.toEqual([])
  })

  test('the comparison finds a difference if the free capacity of hosts were open to projects by mistake', async () => {
    const planted = ['Decision.destinations', 'InstanceDestinations.selected', 'Destination.host', 'Host.capacity', 'ResourceUsage.free']
    const isOpen: Open = (use) => isListed(use) || planted.includes(`${use.type}.${use.field}`)
    const before = await readings(isOpen, keys.get('operator'))
    await report({ 'zqx-b': 2, 'zqx-a': 2_000, 'zqx-c': 20_000 })
    expect(await readings(isOpen, keys.get('operator'))).not.toEqual(before)
  })

  // this test is last, because it takes resources of hosts
  test.each([1, 2, 3])('a bound key reads no secret on random fleet %i with random requests', async (seed) => {
    const random = createRandom(String(seed))
    const { below: upTo } = random
    await report(Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`zqx-${seed}-${i}`, upTo(8_000)])))
    await addTo('zqx fast', `zqx-${seed}-${upTo(5)}`)
    const asked = Array.from({ length: 6 }, () => ({
      flavor: {
        vcpus: upTo(20),
        memoryMb: upTo(8_000),
        rootGb: upTo(1_200),
        extraSpecs: upTo(3) === 0 ? [{ key: 'disk_kind', value: 'fast' }] : [],
      },
      numInstances: 1 + upTo(3),
      ...(upTo(3) === 0 && { availabilityZone: 'z1' }),
    }))
    for (const document of documents(isListed, asked))
      expect({ document, secrets: secretsIn(await answerTo(document, keys.get('all'))) }).toEqual({ document, secrets: [] })
  })
})

async function addTo(name: string, host: string): Promise<void> {
  const { aggregates } = await dataOf(api, '{ aggregates { nodes { uuid name version } } }')
  const { uuid, version } = aggregates.nodes.find((each: Json) => each.name === name)
  await dataOf(api, `mutation { aggregateUpdate(uuid: "${uuid}", ifVersion: ${version}, input: { addHosts: ["${host}"] }) { __typename } }`)
}

const setStatus = (host: string, status: string) =>
  dataOf(api, `mutation { hostSetStatus(hosts: [{ host: "${host}" }], status: ${status}, reason: "zqx") { __typename } }`)
