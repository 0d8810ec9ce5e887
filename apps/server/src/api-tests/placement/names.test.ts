import { randomUUID } from 'node:crypto'
import { isPlain } from '@gantt/scheduler-core'
import { isInputObjectType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSchema } from '../../schema/index.ts'
import { type Answer, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {} })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const INVALID = '__typename ... on ValidationError { message issues { path rule actual expected } }'
const full = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_024, localGbUsed: 0 }

const report = async (name: Json, stats: Json = {}): Promise<Json> => {
  const update = { name, reporter: { incarnation: randomUUID(), sequence: 1 }, report: { full: { ...full, ...stats } } }
  const { data, text } = await api.ask(
    `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { ${INVALID} } } }`,
    { u: [update] },
  )
  return (data as Json)?.updateResourceStats.results[0] ?? { text }
}
const documented = async (namespace: string, document: Json): Promise<Json> => {
  const report = { namespace: { namespace, version: '1.0', document } }
  const { data, text } = await api.ask(
    `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { ${INVALID} } } }`,
    { u: [{ name: { host: 'h1' }, reporter: { incarnation: randomUUID(), sequence: 1 }, report }] },
  )
  return (data as Json)?.updateResourceStats.results[0] ?? { text }
}
const aggregate = (input: Json) =>
  api.ask(`mutation ($input: AggregateCreateInput!) { it: aggregateCreate(input: $input, dryRun: true) { ${INVALID} } }`, { input })
const key = (input: Json) =>
  api.ask(`mutation ($input: ApiKeyCreateInput!) { it: apiKeyCreate(input: $input) { ${INVALID} } }`, {
    input: { name: 'n', account: 'a', scopes: ['READ'], ...input },
  })
const place = (gantt: Json, input: Json = {}) =>
  api.ask(`mutation ($input: SelectDestinationsInput!) { it: selectDestinations(input: $input) { ${INVALID} } }`, {
    input: { idempotencyKey: randomUUID(), spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, ...gantt } }, ...input },
  })
const profile = (input: Json) =>
  api.ask(
    `mutation ($input: ProfileVersionInput!) { it: profileVersionCreate(profile: "named", input: $input, dryRun: true) { ${INVALID} } }`,
    { input: { note: 'a\nb', ...input } },
  )
const it = async (answer: Promise<Answer>): Promise<Json> => {
  const { data, text } = await answer
  return (data as Json)?.it ?? { text }
}
const flavor = { vcpus: 1, memoryMb: 64 }

/** Every input that contains a name, with the path of the error about the name. */
const doors: readonly (readonly [what: string, path: string, send: (bad: string) => Promise<Json>])[] = [
  ['a host', 'input.updates.0.name.host', (bad) => report({ host: bad })],
  ['a node', 'input.updates.0.name.node', (bad) => report({ host: 'h2', node: bad })],
  ['a trait', 'input.updates.0.report.full.traits.0', (bad) => report({ host: 'h2' }, { traits: [bad] })],
  ['a hypervisor', 'input.updates.0.report.full.hypervisorType', (bad) => report({ host: 'h2' }, { hypervisorType: bad })],
  ['a GPU', 'input.updates.0.report.full.gpus.0.model', (bad) => report({ host: 'h2' }, { gpus: [{ index: 0, model: bad }] })],
  ['a CPU', 'input.updates.0.report.full.cpuInfo.model', (bad) => report({ host: 'h2' }, { cpuInfo: { model: bad } })],
  [
    'a pool of a document',
    'input.updates.0.report.namespace.document.pools.0.name',
    (bad) => documented('storage', { pools: [{ uuid: 'p', name: bad }] }),
  ],
  ['an aggregate', 'input.name', (bad) => it(aggregate({ name: bad }))],
  ['a zone', 'input.availabilityZone', (bad) => it(aggregate({ name: 'x', availabilityZone: bad }))],
  ['a key of metadata', 'input.metadata.0.key', (bad) => it(aggregate({ name: 'x', metadata: [{ key: bad, value: 'v' }] }))],
  ['a key', 'input.name', (bad) => it(key({ name: bad }))],
  ['an account', 'input.account', (bad) => it(key({ account: bad }))],
  ['a project of a key', 'input.project', (bad) => it(key({ project: bad }))],
  ['a host of a key', 'input.hosts.0', (bad) => it(key({ hosts: [bad], scopes: ['REPORT'] }))],
  ['an idempotency key', 'input.idempotencyKey', (bad) => it(place({}, { idempotencyKey: bad }))],
  ['a flavor', 'input.spec.gantt.flavor.name', (bad) => it(place({ flavor: { ...flavor, name: bad } }))],
  ['a project', 'input.spec.gantt.projectId', (bad) => it(place({ projectId: bad }))],
  ['a requested zone', 'input.spec.gantt.availabilityZone', (bad) => it(place({ availabilityZone: bad }))],
  ['a requested host', 'input.spec.gantt.forceHosts.0', (bad) => it(place({ forceHosts: [bad] }))],
  [
    'an extra spec',
    'input.spec.gantt.flavor.extraSpecs.',
    (bad) => it(place({ flavor: { ...flavor, extraSpecs: [{ key: bad, value: 'v' }] } })),
  ],
  ['an image property', 'input.spec.gantt.image.properties.', (bad) => it(place({ image: { properties: [{ key: bad, value: 'v' }] } }))],
  ['a hint', 'input.spec.gantt.schedulerHints.', (bad) => it(place({ schedulerHints: [{ key: bad, values: ['v'] }] }))],
  [
    'an option of a profile',
    'input.filters.',
    (bad) => it(profile({ filters: [{ name: 'RamFilter', options: { [bad]: 1 } }], weighers: [] })),
  ],
]

describe.each(doors)('%s', (_what, path, send) => {
  test.each([
    ['a terminal escape sequence', 'a\u001b[2Jb'],
    ['a line break', 'a\nb'],
    ['an eight-bit control character', 'a\u009bb'],
    ['a text direction override', 'a\u202eb'],
    ['a text direction isolate', 'a\u2066b'],
    ['a zero-width space', 'a\u200bb'],
    ['a zero-width joiner', 'a\u200db'],
    ['a Hangul filler', 'a\u3164b'],
  ])('a name with %s is refused with its path', async (_name, bad) => {
    const { __typename, issues, text } = await send(bad)
    expect(text).toBeUndefined()
    expect(__typename).toBe('ValidationError')
    const issue = issues.find(({ rule }: Json) => rule === 'call.unplain_name')
    expect(issue?.path.join('.')).toContain(path)
    expect(issue?.expected).toContain('without control characters')
  })

  test('a name with an unpaired surrogate or NUL is refused', async () => {
    for (const bad of ['a\ud83db', 'a\u0000b']) {
      const { __typename, text } = await send(bad)
      expect(text ?? __typename).toMatch(/ValidationError|GRAPHQL_VALIDATION_FAILED/)
    }
  })
})

/** Calls with an idempotency key, by the field or input type in the schema that has the key. */
const keyed: Readonly<Record<string, (bad: string) => Promise<Json>>> = {
  'Mutation.claimAbandon': (bad) =>
    it(api.ask(`mutation ($k: String!) { it: claimAbandon(idempotencyKey: $k) { ${INVALID} } }`, { k: bad })),
  SelectDestinationsInput: (bad) => it(place({}, { idempotencyKey: bad })),
  HostEvacuateInput: (bad) =>
    it(
      api.ask(`mutation ($input: HostEvacuateInput!) { it: hostEvacuate(input: $input) { ${INVALID} } }`, {
        input: { host: { host: 'h1' }, idempotencyKey: bad },
      }),
    ),
  ClaimCreateInput: async (bad) => {
    const { decision } = await placeWith(api, {})
    return it(
      api.ask(`mutation ($input: ClaimCreateInput!) { it: claimCreate(input: $input) { ${INVALID} } }`, {
        input: { decisionId: decision.id, host: { host: 'h1' }, idempotencyKey: bad },
      }),
    )
  },
}

describe('an idempotency key is checked like a name in every call', () => {
  test('this test covers every call with an idempotency key', () => {
    const isKey = ({ name }: { readonly name: string }): boolean => /idempotency/i.test(name)
    const found = Object.values(createSchema().getTypeMap()).flatMap((type) => {
      if (isInputObjectType(type)) return Object.values(type.getFields()).some(isKey) ? [type.name] : []
      if (!isObjectType(type)) return []
      return Object.values(type.getFields()).flatMap((field) => (field.args.some(isKey) ? [`${type.name}.${field.name}`] : []))
    })
    expect(found.sort()).toEqual(Object.keys(keyed).sort())
  })

  test.each(Object.entries(keyed))('%s', async (_door, send) => {
    for (const bad of ['a\u202e\u001b[31mbZ', 'a\nb', 'a\u009bb', 'a\u200bb']) {
      const { __typename, issues } = await send(bad)
      expect(__typename).toBe('ValidationError')
      expect(issues).toContainEqual(expect.objectContaining({ rule: 'call.unplain_name' }))
      expect(issues[0].path.at(-1)).toBe('idempotencyKey')
    }
    for (const bad of ['', 'x'.repeat(2_000), 'a\ud83db']) {
      const { __typename, text } = await send(bad)
      expect(text ?? __typename).toMatch(/ValidationError|GRAPHQL_VALIDATION_FAILED/)
    }
  })

  test('the log contains no key that was refused', () => {
    const keys = [...api.service.replica.fleet.ledger.keys()].map(({ key: bound }) => bound)
    expect(keys.length).toBeGreaterThan(0)
    expect(keys.filter((bound) => !isPlain(bound))).toEqual([])
  })
})

test('the values of metadata and hints may contain line breaks, because they are not names', async () => {
  const metadata = [{ key: 'note', value: 'a\nb' }]
  expect((await it(aggregate({ name: 'x', metadata }))).__typename).toBe('AggregatePayload')
  const hints = [{ key: 'query', values: ['[">=",\n "$free_ram_mb", 1]'] }]
  expect((await it(place({ schedulerHints: hints }))).__typename).toBe('SelectDestinationsPayload')
})

test('a host that was stored with a name that is now invalid can continue to report', async () => {
  const name = { host: 'old\u202ehost\u200b', node: 'old\nnode' }
  const { replica } = api.service
  const first = { type: 'report' as const, ...name, incarnation: randomUUID(), sequence: 1 }
  const known = replica.fleet.hosts.find({ host: 'h1', node: 'h1' })
  await replica.propose([{ ...first, full: known?.stats as Json }])
  expect((await report(name)).__typename).toBe('ResourceStatsApplied')
  expect((await report({ ...name, node: 'new\nnode' })).__typename).toBe('ValidationError')
})

test('a retry with a key that an earlier release accepted is answered', async () => {
  const { replica } = api.service
  await placeWith(api, {})
  const account = [...replica.fleet.ledger.keys()].at(-1)?.account ?? ''
  const idempotencyKey = 'old\u200bkey'
  await replica.propose([{ type: 'abandon', account, key: idempotencyKey }])
  expect((await it(place({}, { idempotencyKey }))).__typename).toBe('IdempotencyConflict')
  const abandon = `mutation ($key: String!) { it: claimAbandon(idempotencyKey: $key) { ${INVALID} } }`
  expect((await it(api.ask(abandon, { key: idempotencyKey }))).__typename).toBe('ClaimPayload')
  expect((await it(api.ask(abandon, { key: 'new\u200bkey' }))).__typename).toBe('ValidationError')
})
