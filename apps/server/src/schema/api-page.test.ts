import { type GraphQLField, type GraphQLObjectType, isNonNullType } from 'graphql'
import { expect, test } from 'vitest'
import { createSchema } from './index.ts'

const INTRO = `# The API

Generated from the schema by \`npm run docs:reference\`; a test fails where this page and the code differ. All types with their fields are in \`apps/server/schema.graphql\`, and GraphiQL at \`/graphql\` of a running service shows them.

Calls are \`POST /graphql\` with \`Authorization: Bearer KEY\` ([keys](keys.md)). An argument with \`!\` is required. A mutation answers a union: what it did, or a refusal with a code ([codes](errors.md)); a fault of the call or of the service is an error of GraphQL with a code. [Limits](limits.md) of a call, and [the filter grammar](query.md) of \`query:\` arguments, have pages of their own.
`

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const argumentsOf = ({ args }: GraphQLField<unknown, unknown>): string =>
  args
    .toSorted((a, b) => Number(isNonNullType(b.type)) - Number(isNonNullType(a.type)) || (a.name < b.name ? -1 : 1))
    .map(({ name, type }) => `\`${name}: ${String(type)}\``)
    .join(', ')

function sectionOf(title: string, type: GraphQLObjectType): string {
  const fields = Object.values(type.getFields()).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const rows = fields.map((field) => {
    const deprecated =
      field.deprecationReason === undefined || field.deprecationReason === null ? '' : ` Deprecated: ${field.deprecationReason}`
    return `| \`${field.name}\` | ${argumentsOf(field)} | \`${String(field.type)}\` | ${cell(`${field.description ?? ''}${deprecated}`)} |`
  })
  return `\n## ${title}\n\n| call | arguments | answers | what it does |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

test('docs/api.md has every query, mutation and subscription (npm run docs:reference writes it)', async () => {
  const schema = createSchema()
  const sections = [
    ['Queries', schema.getQueryType()],
    ['Mutations', schema.getMutationType()],
    ['Subscriptions', schema.getSubscriptionType()],
  ] as const
  const page = sections.map(([title, type]) => (type === undefined || type === null ? '' : sectionOf(title, type)))
  expect(page).not.toContain('')
  await expect(`${INTRO}${page.join('')}`).toMatchFileSnapshot('../../../../docs/api.md')
})
