import { randomUUID } from 'node:crypto'
import { createGantt } from '@gantt/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
})
afterAll(() => api.close())

const REPORT = `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename
  ... on ResourceStatsApplied { lastSequence claimsMaterialised { state instanceUuid } } ... on UserError { code message path } } } }`
const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { ... on SelectDestinationsPayload { destinations { selected { claim { id state } } } } } }`

const stats = { vcpus: 16, vcpusUsed: 2, memoryMb: 65_536, memoryMbUsed: 4_096, localGb: 1_024, localGbUsed: 0 }
const incarnation = randomUUID()
const report = (sequence: number, instances: readonly string[] | null) =>
  api.ask(REPORT, { u: [{ name: { host: 'h1' }, reporter: { incarnation, sequence }, report: { full: { ...stats, instances } } }] })

test('a report without new content materialises a claim that was made for an instance in its list', async () => {
  const instance = randomUUID()
  await report(1, [instance])
  const { text } = await api.ask(PLACE, {
    in: {
      ...{ idempotencyKey: 'k', claim: { mode: 'CONFIRM' } },
      spec: { gantt: { instanceUuids: [instance], flavor: { vcpus: 2, memoryMb: 4_096 } } },
    },
  })
  expect(text).toContain('"CONFIRMED"')
  expect((await report(2, [instance])).text).toContain(`"claimsMaterialised":[{"state":"MATERIALISED","instanceUuid":"${instance}"}]`)
})

test('a report without new content writes nothing, and its answer has the sequence that is in the log', async () => {
  const { revision } = api.service.replica.fleet.place
  expect((await report(3, [...(api.service.replica.fleet.hosts.find({ host: 'h1', node: 'h1' })?.present ?? [])])).text).toContain(
    '"lastSequence":2',
  )
  expect(api.service.replica.fleet.place.revision).toBe(revision)
})

test('a namespace called compute is refused, because its data must be reported as full or delta', async () => {
  const { text } = await api.ask(REPORT, {
    u: [
      {
        name: { host: 'h1' },
        reporter: { incarnation, sequence: 9 },
        report: { namespace: { namespace: 'compute', version: '1', document: {} } },
      },
    ],
  })
  expect(text).toContain('ValidationError')
})

test('a document with an integer beyond the safe range is refused', async () => {
  const { text } = await api.ask(REPORT, {
    u: [
      {
        name: { host: 'h1' },
        reporter: { incarnation, sequence: 1 },
        report: { namespace: { namespace: 'big', version: '1', document: { a: 2 ** 53 } } },
      },
    ],
  })
  expect(text).toContain('GRAPHQL_VALIDATION_FAILED')
})

test('stale reports, and deltas of hosts that never reported, write nothing', async () => {
  const { revision } = api.service.replica.fleet.place
  expect((await report(1, null)).text).toContain('"ResourceStatsStale"')
  const delta = { delta: { baseSequence: 1, vcpusUsed: 1 } }
  const { text } = await api.ask(REPORT, { u: [{ name: { host: 'ghost' }, reporter: { incarnation, sequence: 2 }, report: delta }] })
  expect(text).toContain('"ResourceStatsNeedFull"')
  expect(api.service.replica.fleet.place.revision).toBe(revision)
})

test('the answer to a stale report says whether a report of the same incarnation or of another one was accepted', async () => {
  const [first, second] = [randomUUID(), randomUUID()]
  const send = async (by: string, sequence: number, vcpusUsed: number): Promise<string> => {
    const update = { name: { host: 'h2' }, reporter: { incarnation: by, sequence }, report: { full: { ...stats, vcpusUsed } } }
    return (await api.ask(REPORT, { u: [update] })).text
  }
  await send(first, 1, 1)
  expect(await send(first, 1, 2)).toContain('Sequence 1 is not newer than the last report in the log, 1; nothing is lost')
  await send(second, 1, 3)
  expect(await send(first, 1, 4)).toContain('Another incarnation has reported since, last with sequence 1')
})

test('of two reporters of one host with equal sequences, the one that is ignored gets to know it, and a new one is accepted', async () => {
  const gantt = createGantt({ url: api.url, key: await api.keyWith('REPORT') })
  let vcpusUsed = 0
  const open = () => gantt.reporter({ name: { host: 'h3' }, full: () => ({ ...stats, vcpusUsed: ++vcpusUsed }) })
  const [old, present] = [open(), open()]
  const kinds = [await old.report(), await present.report(), await present.report(), await old.report()].map(({ __typename }) => __typename)
  expect(old.sequence, 'sent as 2, which is the sequence of the other one, and then as 3').toBe(3)
  expect(kinds).toEqual([...Array(3).fill('ResourceStatsApplied'), 'ResourceStatsStale'])
  expect(await open().report()).toMatchObject({ __typename: 'ResourceStatsApplied' })
})

test('of reports in one call that together add more resource classes than a fleet may have, the last is refused', async () => {
  const inventories = (first: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ resourceClass: `CUSTOM_${first + i}`, total: 1 }))
  const updates = Array.from({ length: 7 }, (_, i) => inventories(32 * i, 32)).map((given, i) => ({
    name: { host: `classes${i}` },
    reporter: { incarnation, sequence: 1 },
    report: { full: { ...stats, inventories: given } },
  }))
  const query = `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename
    ... on ValidationError { code issues { rule path } } } } }`
  expect((await api.ask(query, { u: updates })).data).toMatchObject({
    updateResourceStats: {
      results: [
        ...Array.from({ length: 6 }, () => ({ __typename: 'ResourceStatsApplied' })),
        { code: 'PRECONDITION', issues: [{ rule: 'report.too_many_classes', path: ['input', 'updates', '6', 'report'] }] },
      ],
    },
  })
  expect(api.service.replica.fleet.hosts.find({ host: 'classes6', node: 'classes6' })).toBeUndefined()
})
