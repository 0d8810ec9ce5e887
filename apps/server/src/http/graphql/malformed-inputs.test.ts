import { randomUUID } from 'node:crypto'
import { quote } from '@gantt/scheduler-core'
import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLongForm } from '../../../../../testing/extent.ts'
import { createSchema } from '../../schema/index.ts'
import { encodeId } from '../../schema/types/ids.ts'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'
import { variableFaults } from './coercion.ts'

const schema = createSchema()

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {} })
  const group = { uuid: GROUP, policy: 'ANTI_AFFINITY' }
  const { decision, destinations } = await placeWith(api, { claim: { mode: 'CONFIRM' } }, { instanceGroup: group })
  there.claim = destinations[0].selected.claim.id
  there.decision = decision.id
  there.other = (await placeWith(api, {})).destinations[0].selected.claim.id
  const { it } = await dataOf(
    api,
    'mutation { it: aggregateCreate(input: { name: "a" }) { ... on AggregatePayload { aggregate { uuid } } } }',
  )
  there.aggregate = it.aggregate.uuid
})
afterAll(() => api.close())

const GROUP = randomUUID()
/** Existing objects, for calls that must name one. */
const there = { claim: '', other: '', decision: '', aggregate: '' }

/** A minimal value of a type, without optional fields. */
function validOf(type: GraphQLInputType, called = ''): Json {
  if (isNonNullType(type)) return validOf(type.ofType, called)
  if (isListType(type)) return [validOf(type.ofType, called)]
  if (isEnumType(type)) return type.getValues()[0]?.name
  if (!isInputObjectType(type)) return (type.name === 'ID' ? ids[called] : named[called])?.() ?? values[type.name] ?? 'x'
  const fields = Object.values(type.getFields())
  const given = type.isOneOf ? fields.slice(0, 1) : fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined)
  return Object.fromEntries(given.map((field) => [field.name, validOf(field.type, field.name)]))
}

/** Values for fields that need a certain value, for example the name of an existing object or a new key. */
const named: Readonly<Record<string, () => Json>> = {
  host: () => 'h1',
  hosts: () => 'h1',
  resourceClass: () => 'VCPU',
  profile: () => 'default',
  ratio: () => 2,
  incarnation: () => randomUUID(),
  idempotencyKey: () => randomUUID(),
  sequence: () => ++sequence,
}
let sequence = 1

const ids: Readonly<Record<string, () => Json>> = {
  id: () => there.claim,
  ids: () => there.other,
  decisionId: () => there.decision,
  version: () => 'default@0',
}

const values: Readonly<Record<string, Json>> = {
  UUID: randomUUID(),
  Int: 1,
  SafeInt: 1,
  Float: 1,
  Boolean: true,
  Duration: 'PT1S',
  DateTime: '2026-11-21T08:00:00Z',
  Revision: '1',
  Moment: '1',
  PageSize: 'small',
  ID: encodeId('Decision', randomUUID()),
  JSON: {},
}

/** A field of an input, or an argument, in the first call that uses it. */
interface Place {
  /** The type or call that the field belongs to. */
  readonly name: string
  readonly root: 'query' | 'mutation'
  readonly call: string
  readonly path: readonly (string | number)[]
  readonly type: GraphQLInputType
}

function placesOf(): readonly Place[] {
  const found = new Map<string, Place>()
  const queue: Place[] = []
  const argumentsOf = (root: Place['root'], type: ReturnType<typeof schema.getQueryType>) =>
    Object.values(type?.getFields() ?? {}).flatMap(({ name: call, args }) =>
      args.map(({ name, type: of }): Place => ({ name: `${call}.${name}`, root, call, path: [name], type: of })),
    )
  queue.push(...argumentsOf('mutation', schema.getMutationType()))
  const queries = argumentsOf('query', schema.getQueryType())
  // mutations come first, so that an input that a mutation uses is tested in the mutation
  for (let place = queue.shift() ?? queries.shift(); place !== undefined; place = queue.shift() ?? queries.shift()) {
    if (found.has(place.name)) continue
    found.set(place.name, place)
    let { type, path } = place
    while (isNonNullType(type) || isListType(type)) {
      if (isListType(type)) path = [...path, 0]
      type = type.ofType
    }
    if (!isInputObjectType(type)) continue
    for (const field of Object.values(type.getFields()))
      queue.push({ ...place, name: `${type.name}.${field.name}`, path: [...path, field.name], type: field.type })
  }
  return [...found.values()]
}

/** The variables of a call with one value at a path, and the required values around it. */
function variablesWith({ root, call, path }: Place, value: Json): Json {
  const field = (root === 'query' ? schema.getQueryType() : schema.getMutationType())?.getFields()[call]
  const variables: Json = {}
  for (const { name, type, defaultValue } of field?.args ?? [])
    if (name === path[0] || (isNonNullType(type) && defaultValue === undefined))
      variables[name] = name === 'uuid' ? (call === 'serverGroupUpdate' ? GROUP : there.aggregate) : validOf(type, name)
  // a dry run, so that objects that other calls need do not change
  if (path[0] !== 'dryRun' && field?.args.some(({ name }) => name === 'dryRun') === true) variables.dryRun = true
  let at: Json = variables
  let type = field?.args.find(({ name }) => name === path[0])?.type as GraphQLInputType
  for (const [i, key] of path.entries()) {
    if (i > 0) {
      while (isNonNullType(type)) type = type.ofType
      if (isListType(type)) type = type.ofType
      else if (isInputObjectType(type)) {
        // in a one-of input only the tested field is set
        if (type.isOneOf) for (const other of Object.keys(at)) if (other !== key) delete at[other]
        type = type.getFields()[key]?.type as GraphQLInputType
      }
    }
    if (i === path.length - 1) at[key] = value
    else {
      at[key] ??= validOf(type, String(key))
      at = at[key]
    }
  }
  return variables
}

function selectionOf(type: GraphQLOutputType, depth = 0): string {
  const named = getNamedType(type)
  if (isLeafType(named)) return ''
  if (isAbstractType(named)) {
    const possible = schema.getPossibleTypes(named).map(({ name }) => name)
    const isRefusal = possible.includes('ValidationError')
    return `{ __typename ${isRefusal ? '... on ValidationError { issues { path message expected actual } } ... on UserError { code message path }' : ''} }`
  }
  if (!isObjectType(named) || depth > 0) return '{ __typename }'
  const inner = Object.values(named.getFields()).filter(({ type: of }) => {
    const one = getNamedType(of)
    return isAbstractType(one) && schema.getPossibleTypes(one).some(({ name }) => name === 'ValidationError')
  })
  return `{ __typename ${inner.map((field) => `${field.name} ${selectionOf(field.type, 1)}`).join(' ')} }`
}

function documentOf({ root, call }: Place, variables: Json): string {
  const field = (root === 'query' ? schema.getQueryType() : schema.getMutationType())?.getFields()[call]
  if (field === undefined) throw new Error(`there is no call ${call}`)
  const given = field.args.filter(({ name }) => Object.hasOwn(variables, name))
  return `${root} (${given.map(({ name, type }) => `$${name}: ${type}`).join(', ')}) {
    it: ${field.name}(${given.map(({ name }) => `${name}: $${name}`).join(', ')}) ${selectionOf(field.type)} }`
}

interface Refusal {
  readonly path: string
  readonly message: string
}

/** The refusals in the answer to a call; empty if the call succeeds. */
async function refusalsOf(place: Place, value: Json): Promise<readonly Refusal[]> {
  const variables = variablesWith(place, value)
  const { data, errors } = await api.ask(documentOf(place, variables), variables)
  const inErrors = errors.map(({ message, extensions }) => ({ path: [extensions.path].flat().join('.'), message }))
  const found: Refusal[] = []
  const look = (at: Json): void => {
    if (at === null || typeof at !== 'object') return
    if (Array.isArray(at.issues)) for (const { path, message } of at.issues) found.push({ path: path.join('.'), message })
    else if (typeof at.message === 'string') found.push({ path: (at.path ?? []).join('.'), message: at.message })
    else for (const inner of Object.values(at)) look(inner)
  }
  look(data)
  return [...inErrors, ...found]
}

/**
 * Wraps `value` in as many lists as the type of the input has. Returns it with the path that a refusal must name: joined with dots, and with
 * the index 0 for each list.
 */
function writtenAt({ path, type }: Place, value: Json): { readonly path: string; readonly value: Json } {
  let [at, inner, written]: [Place['path'], GraphQLInputType, Json] = [path, type, value]
  while (!isLeafType(inner) && !isInputObjectType(inner)) {
    if (isListType(inner)) [at, written] = [[...at, 0], [written]]
    inner = inner.ofType
  }
  return { path: at.join('.'), value: written }
}

const places = placesOf()
const TOO_LONG = 'x'.repeat(70_000)

/** Input types that are used only in arguments of fields inside an answer. */
const ofAnswers = ['VerdictFilter']

/** Values that no field of this type accepts. */
function wrongFor(type: GraphQLInputType): Readonly<Record<string, Json>> {
  const leaf = getNamedType(type)
  if (leaf.name === 'JSON') return {}
  if (isInputObjectType(leaf)) return { 'a wrong type': 5, 'an unknown field': { nosuch: 1 } }
  const wrong = { String: 5, Boolean: 'yes', ID: { a: 1 } }[leaf.name] ?? { a: 1 }
  return { 'a wrong type': wrong, ...(isEnumType(leaf) && { 'an unknown name': 'NO_SUCH' }) }
}

/** Values that a type allows but most fields do not. The short form of the tests tries one value of each kind. */
function badFor(type: GraphQLInputType, i: number): Readonly<Record<string, Json>> {
  const { name } = getNamedType(type)
  const bad: Readonly<Record<string, Json>> =
    name === 'String' || name === 'ID'
      ? { 'too long': TOO_LONG, 'a control character': 'a\u001bb' }
      : ({
          Int: { below: -1, above: 2_147_483_647 },
          SafeInt: { below: -1, above: Number.MAX_SAFE_INTEGER },
          Float: { below: -1, above: 1e300 },
        }[name] ?? {})
  return isLongForm ? bad : Object.fromEntries(Object.entries(bad).filter((_, which) => which === i % 2))
}

/** Free texts, and numbers that are valid for the field. For these fields, values that are out of range elsewhere can be valid. */
const FREE =
  /\b(?:reason|note|choose)$|^(?:KeyValueInput|HintInput)\.value|^FullStatsInput\.(?:diskAvailableLeast|freeDiskGb|hypervisorVersion|localGbUsed)$|^(?:MetricInput\.value|MemoryPagesInput\.sizeKib|WeigherSettingInput\.multiplier)$/

/**
 * Inputs in which an invalid value causes no error, or an error at another path: for example names to remove and numbers to compare with.
 */
const TAKEN =
  /^(?:InstanceSizeInput\.|HostEvacuateInput\.idempotencyKey|AggregateUpdateInput\.(?:removeHosts|unsetMetadata)|ReporterInput\.sequence|StatsDeltaInput\.|replicaHeal\.|hostForget\.expectedClaims|keyLimitsUpdate\.ifVersion|TopologySpreadInput\.topologyKey)/

/** Lists of pairs are maps. Their items are identified by key and not by index. */
const BY_KEY = /^(?:KeyValueInput|HintInput)\.key$/

test("in a mutation, a value that is out of range, too long or invisible is reported at the caller's path", async () => {
  const odd: string[] = []
  for (const [i, place] of places.filter(({ root }) => root === 'mutation').entries())
    for (const [what, bad] of Object.entries(badFor(place.type, i))) {
      const { path, value } = writtenAt(place, bad)
      const refusals = await refusalsOf(place, value)
      const shown = quote(bad).slice(1, 20)
      // an object may be invalid as a whole because it names something that does not exist
      const isNamed = refusals.some(
        (one) => one.path === path || (one.path !== '' && path.startsWith(`${one.path}.`) && one.message.includes(shown)),
      )
      if (isNamed || FREE.test(place.name) || TAKEN.test(place.name) || BY_KEY.test(place.name)) continue
      odd.push(
        `${what} ${place.name}: ${refusals
          .map((one) => `<${one.path}> ${one.message.slice(0, 90)}`)
          .slice(0, 2)
          .join(' | ')}`,
      )
    }
  expect(odd).toEqual([])
})

test('a call that expects a different count of claims than the dry run found is refused', async () => {
  const call = `mutation { hostForget(hosts: [{ host: "h1" }], force: true, expectedClaims: -1, reason: "scrapped") {
    ... on ValidationError { issues { path } } } }`
  expect(await api.ask(call)).toMatchObject({ data: { hostForget: { issues: [{ path: ['expectedClaims'] }] } } })
})

test("an error in a profile's filter or weigher is reported at its index in the caller’s list, and a wrong scheduler at schedulerName", async () => {
  const input = {
    filters: [{ name: 'RamFilter', enabled: false }, { name: 'RamFilter' }, { name: 'NoFilter' }],
    weighers: [
      { name: 'CPUWeigher', multiplier: 1, enabled: false },
      { name: 'NoWeigher', multiplier: 1 },
    ],
    note: '',
  }
  const call = async (given: Json): Promise<readonly string[]> => {
    const { data } = await api.ask(
      'mutation ($input: ProfileVersionInput!) { it: profileVersionCreate(profile: "p", input: $input) { ... on ValidationError { issues { path message } } } }',
      { input: given },
    )
    return ((data as Json)?.it.issues ?? []).map(({ path, message }: Json) => `${path.join('.')}: ${message.includes(path.join('.'))}`)
  }
  expect(await call(input)).toEqual(['input.filters.2.name: true', 'input.weighers.1.name: true'])
  expect(await call({ ...input, filters: [], weighers: [], schedulerName: 'X!' })).toEqual(['input.schedulerName: true'])
})

describe('for every field of every input and every argument, an invalid value is reported at the caller’s path', () => {
  test('the test reaches all inputs of the schema', () => {
    const inputs = Object.values(schema.getTypeMap()).filter(isInputObjectType)
    const fields = inputs.flatMap((type) => Object.keys(type.getFields()).map((field) => `${type.name}.${field}`))
    const left = fields.filter((field) => !places.some(({ name }) => name === field))
    // only arguments of fields inside an answer have an input of this type, so no call has a path to it
    expect([...new Set(left.map((field) => field.split('.')[0]))]).toEqual(ofAnswers)
  })

  test.each(places)('$name', (place) => {
    for (const [what, wrong] of Object.entries(wrongFor(place.type))) {
      const { path, value } = writtenAt(place, wrong)
      const at = what === 'an unknown field' ? `${path}.nosuch` : path
      const variables = variablesWith(place, value)
      const faults = variableFaults(schema, parse(documentOf(place, variables)), undefined, variables)
      const found = faults.map(({ message, extensions }) => ({ path: [extensions.path].flat().join('.'), message }))
      const rule = what === 'an unknown field' ? 'there is no such field; there are ' : 'it must be '
      expect({ what, found }).toEqual({
        what,
        found: expect.arrayContaining([{ path: at, message: expect.stringContaining(`${at} is `) }]),
      })
      expect(found.find((one) => one.path === at)?.message).toContain(rule)
    }
  })
})

test('a subscription whose field is skipped is refused, and is no internal error', async () => {
  const { errors } = await api.ask('subscription { hostChanged @skip(if: true) { revision } }', {})
  expect(errors[0]?.extensions).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED', rule: 'graphql.subscription_root' })
})
