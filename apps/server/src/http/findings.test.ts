import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService({ unlistedAfterMs: 1 })
})
afterAll(() => api.close())

const REPORT = 'mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename } } }'
const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { destinations { selected { claim { id state } } } } ... on UserError { message } } }`
const FINDINGS = `{ auditor { violations warnings notices cleanRounds
  findings { id code severity host claim actual repair { automatic text } } } health { violations warnings } }`
const REPAIR = `mutation ($id: ID!, $reason: String!, $dryRun: Boolean!) { findingRepair(id: $id, reason: $reason, dryRun: $dryRun) { __typename
  ... on FindingRepairPayload { dryRun finding { id } differenceCount differences { subject name field before after } }
  ... on UserError { code message path } } }`

const reporter = { incarnation: randomUUID() }
let sequence = 0

async function report(host: string, full: object): Promise<void> {
  const machine = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_000, localGbUsed: 0 }
  const update = { name: { host }, reporter: { ...reporter, sequence: ++sequence }, report: { full: { ...machine, ...full } } }
  const { updateResourceStats } = await dataOf(api, REPORT, { u: [update] })
  expect(updateResourceStats.results).toEqual([{ __typename: 'ResourceStatsApplied' }])
}

async function place(host: string): Promise<{ readonly instance: string; readonly claim: string }> {
  const instance = randomUUID()
  const gantt = { forceHosts: [host], instanceUuids: [instance], flavor: { vcpus: 2, memoryMb: 1_024 } }
  const { selectDestinations } = await dataOf(api, PLACE, {
    in: { idempotencyKey: randomUUID(), claim: { mode: 'CONFIRM' }, spec: { gantt } },
  })
  return { instance, claim: selectDestinations.destinations[0].selected.claim.id }
}

const repair = async (id: string, dryRun: boolean, reason = 'a test'): Promise<Json> =>
  (await dataOf(api, REPAIR, { id, reason, dryRun })).findingRepair

/** The findings about some hosts, once there are as many as expected. */
async function found(hosts: readonly string[], codes: readonly string[]): Promise<Json[]> {
  const about = async (): Promise<Json[]> => (await dataOf(api, FINDINGS)).auditor.findings.filter(({ host }: Json) => hosts.includes(host))
  await expect.poll(async () => (await about()).map(({ code }) => code).sort(), { timeout: 15_000 }).toEqual([...codes].sort())
  return about()
}

const running = (...instances: string[]) => ({ instances, vcpusUsed: 2 * instances.length, memoryMbUsed: 1_024 * instances.length })

test('Z05: one machine that reports under two names is found, with each instance that it lists twice', async () => {
  const machineId = randomUUID()
  await report('z05-old', { instances: [], machineId })
  const { instance } = await place('z05-old')
  await report('z05-old', { ...running(instance), machineId })
  await report('z05-new', { ...running(instance), machineId })
  const findings = await found(['z05-old', 'z05-new'], ['host.same_machine', 'instance.two_hosts'])
  expect(findings.map(({ code, severity, host, actual }) => [code, severity, host, actual])).toEqual([
    ['host.same_machine', 'WARNING', 'z05-new', 'as z05-old'],
    ['instance.two_hosts', 'WARNING', 'z05-new', 'z05-old, z05-new'],
  ])
  for (const { id, repair: how } of findings) {
    expect(how.automatic).toBe(false)
    expect(await repair(id, true)).toMatchObject({ __typename: 'FindingRepairRefused', message: expect.stringContaining(how.text) })
  }
  expect(api.warnings.filter((text) => text.includes('contradictions between reports and claims'))).not.toEqual([])
})

test('Z18a: a report that lists the instance and counts nothing is a finding, and no violation', async () => {
  await report('z18a', { instances: [] })
  const { instance } = await place('z18a')
  await report('z18a', { instances: [instance] })
  await found(['z18a'], ['use.below_claims', 'use.below_claims'])
  const { auditor, health } = await dataOf(api, FINDINGS)
  expect(auditor).toMatchObject({ violations: 0, cleanRounds: expect.any(Number) })
  expect(health).toEqual({ violations: auditor.violations, warnings: auditor.warnings })
})

test('Z19: the same instance under two keys is refused, so that the auditor has nothing to find', async () => {
  await report('z19', { instances: [] })
  const { instance } = await place('z19')
  await report('z19', running(instance))
  const gantt = { forceHosts: ['z19'], instanceUuids: [instance], flavor: { vcpus: 2, memoryMb: 1_024 } }
  const again = await dataOf(api, PLACE, { in: { idempotencyKey: randomUUID(), claim: { mode: 'CONFIRM' }, spec: { gantt } } })
  expect(again.selectDestinations.__typename).toBe('InstanceTaken')
  await found(['z19'], [])
})

test('a claim that no host lists is found after the stated time; the dry run shows what ends, the repair ends it, and both are audited', async () => {
  await report('orphan', { instances: [] })
  const { instance } = await place('orphan')
  await report('orphan', running(instance))
  await found(['orphan'], [])
  await report('orphan', running())
  // nothing else is written: the store's time goes on without the log
  const [finding] = await found(['orphan'], ['instance.unlisted'])
  expect(finding.repair.automatic).toBe(true)
  const id = finding.id as string
  const tried = await repair(id, true, 'the host lost it')
  expect(tried).toMatchObject({ __typename: 'FindingRepairPayload', dryRun: true })
  expect(tried.differences).toContainEqual({
    subject: 'claim',
    name: finding.claim,
    field: 'state',
    before: '"CONFIRMED"',
    after: '"REVOKED"',
  })
  expect(tried.differences).toContainEqual({ subject: 'host', name: 'orphan', field: 'classes.VCPU.claimed', before: '2', after: '0' })
  expect(api.service.replica.fleet.ledger.claims.get(finding.claim)?.state).toBe('CONFIRMED')
  await found(['orphan'], ['instance.unlisted'])
  const made = await repair(id, false, 'the host lost it')
  expect({ ...made, dryRun: true }).toEqual(tried)
  expect(api.service.replica.fleet.ledger.claims.get(finding.claim)).toMatchObject({ state: 'REVOKED', reason: 'the host lost it' })
  await found(['orphan'], [])
  expect(await repair(id, false)).toMatchObject({ __typename: 'NotFound', code: 'NOT_FOUND' })
  const { auditLog } = await dataOf(api, '{ auditLog(query: "mutation:findingRepair", oldestFirst: true) { nodes { target result } } }')
  expect(auditLog.nodes.slice(-3).map(({ result }: Json) => result)).toEqual(['FindingRepairPayload', 'FindingRepairPayload', 'NotFound'])
})

test('a claim that is listed again is not ended by the repair of what was found before', async () => {
  await report('late', { instances: [] })
  const { instance } = await place('late')
  const [finding] = await found(['late'], ['instance.unlisted'])
  await report('late', running(instance))
  const answer = await repair(finding.id, false)
  // the auditor may have looked again meanwhile
  expect(['FindingRepairRefused', 'NotFound']).toContain(answer.__typename)
  expect(api.service.replica.fleet.ledger.claims.get(finding.claim)?.state).toBe('MATERIALISED')
})

test('a claim whose instance another host lists by now is not ended by the repair of what was found before', async () => {
  await report('moved-from', { instances: [] })
  await report('moved-to', { instances: [] })
  const { instance } = await place('moved-from')
  const [finding] = await found(['moved-from'], ['instance.unlisted'])
  await report('moved-to', running(instance))
  const answer = await repair(finding.id, false)
  // the auditor may have looked again meanwhile
  expect(['FindingRepairRefused', 'NotFound']).toContain(answer.__typename)
  expect(api.service.replica.fleet.ledger.claims.get(finding.claim)?.state).toBe('CONFIRMED')
})

test('a host that lists nothing is found once it has claims; the repair lets its used amounts come from them', async () => {
  await report('mute', {})
  await found(['mute'], [])
  await place('mute')
  const [finding] = await found(['mute'], ['use.no_instances'])
  const { differences } = await repair(finding.id, true)
  expect(differences).toContainEqual({ subject: 'host', name: 'mute', field: 'usedFrom', before: null, after: '"CLAIMS"' })
  expect(await repair(finding.id, false)).toMatchObject({ __typename: 'FindingRepairPayload', dryRun: false })
  await found(['mute'], [])
})

test('instances without a claim are a notice that names the first of them', async () => {
  const instances = [1, 2, 3, 4].map(() => randomUUID())
  await report('ghosts', running(...instances))
  const [finding] = await found(['ghosts'], ['instance.unclaimed'])
  expect(finding).toMatchObject({ severity: 'NOTICE', repair: { automatic: false } })
  expect(finding.actual).toContain(`4 without: ${instances[0]}`)
})

test('a repair needs a reason, and a finding that is there', async () => {
  expect(await repair('0000000000000000', true)).toMatchObject({ __typename: 'NotFound' })
  expect(await repair('0000000000000000', true, '')).toMatchObject({ __typename: 'ValidationError' })
})
