import { randomUUID } from 'node:crypto'
import {
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../auth/caller.ts'
import { encodeId } from '../schema/ids.ts'
import { createSchema } from '../schema/index.ts'
import { codeOf, startTestService, type TestService } from '../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {} })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const schema = createSchema()

describe('who may do what', () => {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((root) =>
    Object.values(root?.getFields() ?? {}).map((field) => ({ root: root?.name.toLowerCase() ?? '', field })),
  )
  const needs = (extensions: unknown) =>
    (extensions as { pothosOptions: { authScopes: { scope?: string } } }).pothosOptions.authScopes.scope

  test.each(roots)('$root $field.name: no key is 401, a key without the scope is 403', async ({ root, field }) => {
    const args = field.args.filter(isRequired).map((arg) => `${arg.name}: ${literalOf(arg.type)}`)
    const selection = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }'
    const document = `${root} { ${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''} ${selection} }`
    const anonymous = await api.ask(document, {}, null)
    expect([anonymous.status, codeOf(anonymous)]).toEqual([401, 'UNAUTHENTICATED'])
    const needed = needs(field.extensions)
    const others = scopes.filter((scope) => scope !== needed && scope !== 'ADMIN' && needed !== undefined)
    const refused = await api.ask(document, {}, await api.keyWith(...others))
    expect([refused.status, codeOf(refused)]).toEqual([403, 'FORBIDDEN'])
  })

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

  test('introspection and hints are for those who have a key', async () => {
    for (const document of ['{ __schema { types { name } } }', '{ host { nam } }']) {
      const answer = await api.ask(document, {}, 'gantt_no_such_key')
      expect([answer.status, codeOf(answer)]).toEqual([401, 'UNAUTHENTICATED'])
      expect(answer.text).not.toMatch(/Did you mean|Query/)
    }
    expect((await api.ask('{ __schema { queryType { name } } }')).data).toEqual({ __schema: { queryType: { name: 'Query' } } })
  })
})
