import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
})
afterAll(() => api.close())

const AGES = `query ($id: ID!) { decision(id: $id) { at fleetRevision
  destinations { selected { host { name lastReportAt } reportAge } alternates { host { name lastReportAt } reportAge } }
  explanation { verdicts(first: 10) { nodes { hostName outcome reportAge } } } } }`

/** The milliseconds in a duration of less than a minute. */
const msOf = (duration: string): number => {
  const [, seconds] = /^PT([\d.]+)S$/.exec(duration) ?? []
  if (seconds === undefined) throw new Error(`${duration} is no duration of less than a minute`)
  return Math.round(Number(seconds) * 1_000)
}

const askAges = async (id: string): Promise<Json> => (await dataOf(api, AGES, { id })).decision

test('a decision shows how old the report of each of its hosts was, even after the host has reported again', async () => {
  await api.report({ 'age-1': {}, 'age-2': {}, 'age-3': { vcpus: 1 } })
  const placed = await placeWith(api, { claim: { mode: 'CONFIRM' } })
  const before = await askAges(placed.decision.id)
  const [{ selected, alternates }] = before.destinations
  for (const { host, reportAge } of [selected, ...alternates])
    expect(msOf(reportAge)).toBe(Date.parse(before.at) - Date.parse(host.lastReportAt))
  const verdicts: Json[] = before.explanation.verdicts.nodes
  // the age is shown for the refused host too
  expect(verdicts.map(({ hostName }) => hostName).sort()).toEqual(['age-1', 'age-2', 'age-3'])
  expect(verdicts.find(({ hostName }) => hostName === selected.host.name)?.reportAge).toBe(selected.reportAge)
  await api.report({ 'age-1': { vcpusUsed: 3 }, 'age-2': { vcpusUsed: 3 }, 'age-3': { vcpusUsed: 1 } })
  const after = await askAges(placed.decision.id)
  expect(after.destinations[0].selected.host.lastReportAt).not.toBe(selected.host.lastReportAt)
  expect(after.destinations[0].selected.reportAge).toBe(selected.reportAge)
  expect(after.explanation).toEqual(before.explanation)
})

test('the answer to the call shows the same ages, and a host that never reported has no age', async () => {
  const { selectDestinations } = await dataOf(
    api,
    `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) {
      ... on SelectDestinationsPayload { decision { id } destinations { selected { reportAge } } } } }`,
    { in: { idempotencyKey: randomUUID(), claim: { mode: 'NONE' }, spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } } } },
  )
  expect(msOf(selectDestinations.destinations[0].selected.reportAge)).toBeGreaterThanOrEqual(0)
  const { whyNot } = await dataOf(
    api,
    'query ($id: ID!) { whyNot(input: { subject: { decisionId: $id }, host: { host: "nobody" } }) { verdict { hostName reportAge } } }',
    { id: selectDestinations.decision.id },
  )
  expect(whyNot.verdict).toEqual({ hostName: 'nobody', reportAge: null })
})

test('for a host that was replaced after the decision, the age of the report under the old name is shown', async () => {
  await api.report({ 'age-old': {} })
  const placed = await placeWith(api, { claim: { mode: 'CONFIRM' } }, { forceHosts: ['age-old'] })
  const before = await askAges(placed.decision.id)
  await dataOf(api, 'mutation { hostReplace(host: { host: "age-old" }, by: { host: "age-new" }, reason: "renamed") { __typename } }')
  await api.report({ 'age-new': { vcpusUsed: 3 } })
  const after = await askAges(placed.decision.id)
  expect(after.destinations[0].selected.host.name).toBe('age-new')
  expect(before.destinations[0].selected.reportAge).not.toBeNull()
  expect(after.destinations[0].selected.reportAge).toBe(before.destinations[0].selected.reportAge)
})
