import { createRandom } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import { BLOCK_LENGTH, drawNumbered } from './draw-call.ts'
import { kinds } from './draw-document.ts'
import { damage, drawNovaHost, maybeDamaged } from './draw-nova.ts'
import { isPrintable, type Source } from './draw-value.ts'
import type { LargeFleet } from './large-fleet.ts'
import type { NamedType, Schema } from './schema.ts'
import { isLargerThan } from './size.ts'

const fleet: LargeFleet = {
  hosts: ['demo-0', 'demo-1'],
  ...{ aggregates: ['a'], groups: ['g'], decisions: ['d'], claims: ['c'], revision: 10 },
}

const objectOf = (name: string, fields: NamedType['fields']): NamedType => ({
  ...{ kind: 'OBJECT', name, fields, inputFields: null, enumValues: null, possibleTypes: null, isOneOf: null },
})
const scalar = (name: string) => ({ kind: 'SCALAR', name, ofType: null })
const listOf = (name: string) => ({ kind: 'LIST', name: null, ofType: scalar(name) })
const withArguments = (name: string) => ({
  name,
  type: scalar('Int'),
  args: [
    { name: 'texts', type: listOf('String'), defaultValue: null },
    { name: 'document', type: scalar('JSON'), defaultValue: null },
    { name: 'dryRun', type: scalar('Boolean'), defaultValue: null },
  ],
})
const schema: Schema = {
  ...{ query: 'Query', mutation: 'Mutation', subscription: 'Subscription' },
  types: new Map(
    [
      objectOf('Query', [withArguments('asked')]),
      objectOf('Mutation', [withArguments('changed')]),
      objectOf('Subscription', [withArguments('followed')]),
    ].map((type) => [type.name, type]),
  ),
}

const sourceOf = (seed: string): Source => ({ schema, fleet, random: createRandom(seed) })
const drawn = Array.from({ length: 40 * BLOCK_LENGTH }, (_, number) => drawNumbered(sourceOf(`calls ${number}`), number))

test('every kind of call is drawn, and the same seed gives the same call', () => {
  expect(new Set(drawn.map(({ kind }) => kind))).toEqual(new Set(kinds))
  for (const number of [0, 2, 3, 4, 5, 6, 12]) expect(drawNumbered(sourceOf(`calls ${number}`), number)).toEqual(drawn[number])
})

test('texts are drawn up to the limit of a body, and variables are used several times', () => {
  const lengths = drawn.filter(({ kind }) => kind === 'long text').map((call) => JSON.stringify(call).length)
  expect(Math.max(...lengths)).toBeGreaterThan(1_000_000)
  expect(Math.min(...lengths)).toBeLessThan(1_000)
  const uses = drawn.filter(({ kind }) => kind === 'repeated variable').map(({ document }) => document.split('$x').length - 2)
  expect(Math.max(...uses)).toBeGreaterThan(300)
  const documents = drawn.filter(({ kind }) => kind === 'query').map(({ document }) => document)
  expect(documents.some((document) => /\[(\$v\d+), \1[,\]]/.test(document))).toBe(true)
})

test('only a mutation that is not a dry run may write, and only a subscription has answers that are read one after the other', () => {
  for (const { kind, document, isWriting, chunks } of drawn) {
    expect(chunks !== undefined).toBe(kind === 'subscription')
    if (!document.startsWith('mutation')) expect(isWriting).toBe(false)
  }
  const mutations = drawn.filter(({ kind }) => kind === 'mutation')
  const isDry = ({ document }: { readonly document: string }): boolean => document.includes('dryRun: true')
  expect(mutations.filter(isDry).length).toBeGreaterThan(0)
  const single = mutations.filter(({ roots, document }) => roots.length === 1 && document.includes('dryRun: true'))
  expect(single.filter(({ isWriting }) => isWriting)).toEqual([])
})

test('reports with new resource classes, requests in the form before RequestSpec, and lists of one repeated value are drawn', () => {
  const sent = drawn.map((call) => ({ ...call, text: JSON.stringify(call.variables) }))
  const withText = (kind: string, text: string) => sent.filter((call) => call.kind === kind && call.text.includes(text)).length
  expect(withText('report', 'CUSTOM_FUZZ_0')).toBeGreaterThan(0)
  expect(withText('Nova request', '"legacy":')).toBeGreaterThan(0)
  const repeated = drawn.filter(({ document }) => /texts: \[(.+?)(?:, \1){255}\]/.test(document))
  expect(repeated.length).toBeGreaterThan(0)
})

test('a damaged Nova document can be sent as JSON, in a variable', () => {
  for (let seed = 0; seed < 300; seed++) {
    const document = drawNovaHost(createRandom(`nova ${seed}`), 'demo-0')
    const damaged = damage(createRandom(`damage ${seed}`), document)
    expect(JSON.parse(JSON.stringify(damaged))).toEqual(damaged)
    expect(isPrintable(document)).toBe(false)
  }
})

test('no damaged document is larger than a million bytes, however often it is damaged', () => {
  let largest = 0
  for (let i = 0; i < 3_000; i++) {
    const random = createRandom(`damaged ${i}`)
    const document = maybeDamaged(random, drawNovaHost(random, 'demo-0'))
    expect(isLargerThan(document, 1_000_000)).toBe(false)
    if (i % 10 === 0) largest = Math.max(largest, (JSON.stringify(document) ?? '').length)
  }
  expect(largest).toBeGreaterThan(50_000)
})

test.each<[unknown, number]>([
  ['xxxx', 7],
  [12, 5],
  [[1, 2, 3], 17],
  [{ a: 1, b: [] }, 17],
])('%j has about %i bytes', (value, bytes) => {
  expect([isLargerThan(value, bytes - 1), isLargerThan(value, bytes)]).toEqual([true, false])
})

test('the size of a list in which one value occurs very often is not counted to the end', () => {
  let value: unknown = 'x'
  for (let depth = 0; depth < 20; depth++) {
    const repeated = value
    value = Array.from({ length: 1_000 }, () => repeated)
  }
  expect(isLargerThan(value, 1_000_000)).toBe(true)
})
