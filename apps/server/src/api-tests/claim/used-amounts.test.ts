import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
})
afterAll(() => api.close())

const REPORT = `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename
  ... on ResourceStatsApplied { warnings { code subject reported held text } } } } }`
const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { destinations { selected { claim { gpus { index } } } } } } }`
const HOST = `query ($name: String!) { host(name: $name) { usedFrom usedFromReason warnings { code subject } gpus { freeMilli } capacity { resourceClass used claimed free } } }`
const SET = `mutation ($hosts: [ResourceNameInput!]!, $from: UsedFrom!, $dryRun: Boolean!) {
  hostSetUsedFrom(hosts: $hosts, usedFrom: $from, reason: "its agent lists nothing", dryRun: $dryRun) { __typename
    ... on HostSetUsedFromPayload { dryRun impact { claimsOnAffectedHosts warnings } hosts { usedFrom } } } }`

const machine = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_000, localGbUsed: 0 }
const reporter = { incarnation: randomUUID() }
let sequence = 0

async function report(host: string, full: object) {
  const update = { name: { host }, reporter: { ...reporter, sequence: ++sequence }, report: { full: { ...machine, ...full } } }
  const { text } = await api.ask(REPORT, { u: [update] })
  return JSON.parse(text).data.updateResourceStats.results[0]
}

async function place(host: string, spec: object, instance = randomUUID()) {
  const { text } = await api.ask(PLACE, {
    in: {
      idempotencyKey: randomUUID(),
      claim: { mode: 'CONFIRM' },
      spec: { gantt: { forceHosts: [host], instanceUuids: [instance], flavor: { vcpus: 1, memoryMb: 16 }, ...spec } },
    },
  })
  return { instance, answer: JSON.parse(text).data.selectDestinations }
}

const shown = async (name: string) => JSON.parse((await api.ask(HOST, { name })).text).data.host

test('F2, B25: two GPUs are allocated to two instances and not to a third, on whichever GPU the host runs the second instance', async () => {
  await report('f2', { gpus: [0, 1].map((index) => ({ index, usedMilli: 0 })), instances: [] })
  const gpus = { gpus: { count: 1 } }
  expect((await place('f2', gpus)).answer.destinations[0].selected.claim.gpus).toEqual([{ index: 0 }])
  const second = await place('f2', gpus)
  expect(second.answer.destinations[0].selected.claim.gpus).toEqual([{ index: 1 }])
  const { warnings } = await report('f2', {
    vcpusUsed: 1,
    memoryMbUsed: 16,
    gpus: [1_000, 0].map((usedMilli, index) => ({ index, usedMilli })),
    instances: [second.instance],
  })
  expect(warnings).toEqual([])
  expect((await place('f2', gpus)).answer.__typename).toBe('NoValidHost')
  expect((await shown('f2')).gpus).toEqual([{ freeMilli: 0 }, { freeMilli: 0 }])
})

test('F10, Z18a: a report that lists an instance but states no usage frees nothing, and the reporter gets a warning', async () => {
  const small = { vcpus: 8, memoryMb: 8_192, localGb: 10 }
  await report('f10', { ...small, instances: [] })
  const { instance } = await place('f10', { flavor: { vcpus: 6, memoryMb: 4_096 } })
  const { warnings } = await report('f10', { ...small, instances: [instance] })
  expect(warnings[0]).toMatchObject({ code: 'use.below_claims', subject: 'VCPU', reported: 0, held: 6 })
  expect((await place('f10', { flavor: { vcpus: 8, memoryMb: 8_192 } })).answer.__typename).toBe('NoValidHost')
  const host = await shown('f10')
  expect(host.warnings).toEqual(['VCPU', 'MEMORY_MB'].map((subject) => ({ code: 'use.below_claims', subject })))
  expect(host.capacity[0]).toEqual({ resourceClass: 'VCPU', used: 0, claimed: 6, free: 2 })
})

test('a host that reports no list of instances gets a warning, and an operator can have its usage computed from claims', async () => {
  const { warnings } = await report('mute', { vcpusUsed: 0, instances: null })
  expect(warnings).toMatchObject([{ code: 'use.no_instances', held: 0 }])
  await place('mute', { flavor: { vcpus: 4, memoryMb: 1_024 } })
  await report('mute', { vcpusUsed: 4, memoryMbUsed: 1_024, instances: null })
  const vcpu = async () => (await shown('mute')).capacity[0]
  expect(await vcpu()).toEqual({ resourceClass: 'VCPU', used: 4, claimed: 4, free: 8 })
  const set = async (from: string, dryRun: boolean) =>
    JSON.parse((await api.ask(SET, { hosts: [{ host: 'mute' }], from, dryRun })).text).data.hostSetUsedFrom
  const preview = await set('CLAIMS', true)
  expect(preview.impact).toEqual({
    claimsOnAffectedHosts: 1,
    warnings: ['mute: VCPU free 8, then 12', 'mute: MEMORY_MB free 63488, then 64512'],
  })
  expect((await shown('mute')).usedFrom).toBe('REPORT')
  expect((await set('CLAIMS', false)).hosts).toEqual([{ usedFrom: 'CLAIMS' }])
  expect(await vcpu()).toEqual({ resourceClass: 'VCPU', used: 0, claimed: 4, free: 12 })
  expect(await shown('mute')).toMatchObject({ usedFromReason: 'its agent lists nothing', warnings: [] })
})

test('the answer to a report by a key bound to the host lists in what the report contradicts the claims', async () => {
  const { secret } = await api.service.keys.create({ name: 'agent', account: 'agents', scopes: ['REPORT'], hosts: ['bound'] })
  await report('bound', { instances: [] })
  const { instance } = await place('bound', {})
  const full = { ...machine, instances: [instance] }
  const update = { name: { host: 'bound' }, reporter: { ...reporter, sequence: ++sequence }, report: { full } }
  const { text } = await api.ask(REPORT, { u: [update] }, secret)
  const [{ warnings }] = JSON.parse(text).data.updateResourceStats.results
  expect(warnings.map(({ code, subject }: { code: string; subject: string }) => [code, subject])).toEqual([
    ['use.below_claims', 'VCPU'],
    ['use.below_claims', 'MEMORY_MB'],
  ])
})
