import { isPlain } from '@gantt/scheduler-core'
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isUnionType,
} from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSchema } from '../../schema/index.ts'
import { ADMIN_KEY, type Answer, startTestService, type TestService } from '../../testing/test-service.ts'

/** these tests check that no message and no path contains invisible characters of the caller's input, wherever they are in the call */

const schema = createSchema()
let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {} })
})
afterAll(() => api.close())

/** Half of a surrogate pair is tested in a text of its own, because the rest of such a text is not checked. */
const unseen = ['a\u202eb\u0007c\u009b\u2028', 'a\ud83db']

/** Values of a type with `here` at the path of each text. Other fields have the least content that the type requires. */
function* values(
  type: GraphQLInputType,
  here: string,
  isOpen: boolean,
  seen: readonly string[] = [],
): Generator<{ value: unknown; isHere: boolean }> {
  if (isNonNullType(type)) return yield* values(type.ofType, here, isOpen, seen)
  if (isListType(type)) {
    for (const { value, isHere } of values(type.ofType, here, isOpen, seen)) yield { value: [value], isHere }
    return
  }
  if (isEnumType(type)) yield { value: type.getValues()[0]?.name, isHere: false }
  else if (isScalarType(type)) {
    const plain = plainOf[type.name] ?? 'h1'
    yield { value: plain, isHere: false }
    if (isOpen) yield { value: here, isHere: true }
    if (isOpen && type.name === 'JSON') {
      yield { value: { [here]: 1 }, isHere: true }
      yield { value: { 'nova_object.name': here, 'nova_object.data': { [here]: here } }, isHere: true }
    }
  } else if (!seen.includes(type.name)) {
    const fields = Object.values(type.getFields())
    const leastOf = (inner: GraphQLInputType) => values(inner, here, false, [...seen, type.name]).next().value?.value as unknown
    const needed = fields.filter(({ type: inner, defaultValue }) => isNonNullType(inner) && defaultValue === undefined)
    const least = (type.isOneOf ? fields.slice(0, 1) : needed).map((field) => [field.name, leastOf(field.type)])
    yield { value: Object.fromEntries(least), isHere: false }
    if (!isOpen) return
    for (const field of fields)
      for (const { value, isHere } of values(field.type, here, true, [...seen, type.name]))
        if (isHere) yield { value: type.isOneOf ? { [field.name]: value } : { ...Object.fromEntries(least), [field.name]: value }, isHere }
  }
}

const uuid = '00000000-0000-4000-8000-000000000001'
const plainOf: Readonly<Record<string, unknown>> = {
  ...{ Int: 1, Float: 1, Boolean: true, ID: uuid, UUID: uuid, JSON: {}, DateTime: '2026-11-21T08:00:00Z', Duration: 'PT60S' },
  ...{ Revision: '1', Moment: '1', BigInt: '1' },
}

function selection(type: GraphQLOutputType): string {
  const named = getNamedType(type)
  if (isScalarType(named) || isEnumType(named)) return ''
  if (!isUnionType(named)) return '{ __typename }'
  const parts = named.getTypes().flatMap(({ name }) => {
    if (name === 'ValidationError') return ['... on ValidationError { message path issues { path message expected actual } }']
    if (name === 'NotFound') return ['... on NotFound { message path key }']
    return schema.getType('UserError') &&
      named.getTypes().some((one) => one.name === name && one.getInterfaces().some((i) => i.name === 'UserError'))
      ? [`... on ${name} { message path }`]
      : []
  })
  return `{ __typename ${parts.join(' ')} }`
}

function callsOf(kind: string, field: GraphQLField<unknown, unknown>, here: string) {
  const needed = field.args.filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined)
  return field.args.flatMap((argument) => {
    const asked = [...new Set([...needed, argument])]
    const asDryRun = field.args.some(({ name }) => name === 'dryRun') && argument.name !== 'dryRun'
    const least = Object.fromEntries(needed.map((one) => [one.name, values(one.type, here, false).next().value?.value as unknown]))
    const declared = asked.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ')
    const given = [...asked.map(({ name }) => `${name}: $${name}`), ...(asDryRun ? ['dryRun: true'] : [])].join(', ')
    const query = `${kind} (${declared}) { it: ${field.name}(${given}) ${selection(field.type)} }`
    return [...values(argument.type, here, true)].flatMap(({ value, isHere }) =>
      isHere ? [{ query, variables: { ...least, [argument.name]: value } }] : [],
    )
  })
}

/** Texts of an answer that may quote the input: all texts of errors, and those of refusals in the data. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.values(value).flatMap(textsOf)
}

const roots = [
  ['query', schema.getQueryType()],
  ['mutation', schema.getMutationType()],
  ['subscription', schema.getSubscriptionType()],
] as const
const cases = roots.flatMap(([kind, root]) =>
  isObjectType(root) ? Object.values(root.getFields()).map((field) => [kind, field.name, field] as const) : [],
)

const quoted = { texts: 0, ofStreams: 0 }

/** The errors of a stream that does not start. A stream that starts quotes nothing, and is ended. */
async function subscribe(query: string, variables: unknown): Promise<Pick<Answer, 'data' | 'errors'>> {
  const abort = new AbortController()
  const response = await fetch(api.url, {
    method: 'POST',
    signal: abort.signal,
    headers: {
      ...{ 'content-type': 'application/json', accept: 'text/event-stream, application/json;q=0.9' },
      authorization: `Bearer ${ADMIN_KEY}`,
    },
    body: JSON.stringify({ query, variables }),
  })
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    abort.abort()
    return { data: null, errors: [] }
  }
  const { errors = [] } = (await response.json()) as Partial<Answer>
  quoted.ofStreams += errors.length
  return { data: null, errors }
}

test.each(cases.filter(([, , { args }]) => args.length > 0))('%s %s', async (kind, _name, field) => {
  for (const here of unseen)
    for (const { query, variables } of callsOf(kind, field, here)) {
      const { data, errors } = kind === 'subscription' ? await subscribe(query, variables) : await api.ask(query, variables)
      const it = data?.it as unknown
      const refusals = (Array.isArray(it) ? it : [it]).filter((one) => typeof one === 'object' && one !== null && 'message' in one)
      const texts = textsOf([errors ?? [], refusals])
      quoted.texts += texts.length
      expect(texts.filter((text) => !isPlain(text))).toEqual([])
    }
})

test('calls were refused, and their errors quoted the input', () => {
  expect(quoted.texts).toBeGreaterThan(1_000)
  expect(quoted.ofStreams).toBeGreaterThan(10)
})
