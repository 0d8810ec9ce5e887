import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

// These tests cover requirements of docs/why.md that no other test covers completely.

let api: TestService

beforeAll(async () => {
  api = await startTestService()
  await api.report({ a: { memoryMb: 4_096 }, b: { memoryMb: 8_192 }, c: { memoryMb: 8_192, vcpus: 2 } })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const whyNot = async (id: string, host: string): Promise<Json> =>
  (
    await dataOf(
      api,
      `{ whyNot(input: { subject: { decisionId: "${id}" }, host: { host: "${host}" } }) { outcome wouldPassNow verdict { checks { filter status } } } }`,
    )
  ).whyNot

test('every count of a refusal has a query for its hosts, and the counts add up to the fleet', async () => {
  const { decision } = await placeWith(api, {}, { flavor: { vcpus: 4, memoryMb: 8_000 } }).then(() =>
    placeWith(api, {}, { flavor: { vcpus: 4, memoryMb: 8_000 } }),
  )
  const { explainPlacement: explained } = await dataOf(
    api,
    `{ explainPlacement(input: { subject: { decisionId: "${decision.id}" } }) { hostCount steps { name entered passed rejected }
      reasons { filter code hosts } verdicts(first: 100) { nodes { hostName checks(shortCircuit: true) { filter status reason } } } } }`,
  )
  const refusedBy = new Map<string, string[]>()
  for (const { hostName, checks } of explained.verdicts.nodes) {
    const first = checks.find(({ status }: Json) => status === 'FAIL')
    if (first) refusedBy.set(`${first.filter} ${first.reason}`, [...(refusedBy.get(`${first.filter} ${first.reason}`) ?? []), hostName])
  }
  expect(explained.reasons.map(({ filter, code, hosts }: Json) => [`${filter} ${code}`, hosts])).toEqual(
    expect.arrayContaining([...refusedBy].map(([reason, hosts]) => [reason, hosts.length])),
  )
  const refused = explained.steps.reduce((sum: number, { rejected }: Json) => sum + rejected, 0)
  expect(refused + (explained.steps.at(-1)?.passed ?? 0)).toBe(explained.hostCount)
  expect(refusedBy.get('CoreFilter cpu.too_few')).toEqual(['c'])
})

test('a reason describes the state at the decision, and a separate field shows whether the host would pass now', async () => {
  const held = await placeWith(api, {}, { flavor: { vcpus: 1, memoryMb: 4_096 }, forceHosts: ['a'] })
  const { decision } = await placeWith(api, {}, { flavor: { vcpus: 1, memoryMb: 1_024 }, forceHosts: ['a'] })
  expect(await whyNot(decision.id, 'a')).toMatchObject({ outcome: 'FILTERED', wouldPassNow: false })
  const { id, fence } = held.destinations[0].selected.claim
  await dataOf(api, `mutation { claimRelease(claims: [{ id: "${id}", fence: ${fence} }]) { __typename } }`)
  expect(await whyNot(decision.id, 'a')).toMatchObject({ outcome: 'FILTERED', wouldPassNow: true })
})

test('every call has a decision of its own, which shows the destination even after the claim has ended', async () => {
  const instance = randomUUID()
  const gantt = { flavor: { vcpus: 1, memoryMb: 64 }, instanceUuids: [instance] }
  const first = await placeWith(api, {}, gantt)
  const { host, claim } = first.destinations[0].selected
  await dataOf(api, `mutation { claimRelease(claims: [{ id: "${claim.id}", fence: ${claim.fence} }]) { __typename } }`)
  const second = await placeWith(api, {}, gantt)
  const { decisions } = await dataOf(
    api,
    `{ decisions(filter: { instanceUuid: "${instance}" }) { nodes { id outcome destinations { selected { host { name } } } } } }`,
  )
  expect(decisions.nodes.map(({ id }: Json) => id)).toEqual([second.decision.id, first.decision.id])
  expect(decisions.nodes[1]).toMatchObject({ outcome: 'PLACED', destinations: [{ selected: { host } }] })
})

test('a decision refers to the one that it retries, with the result and duration of that decision', async () => {
  const asked = { flavor: { vcpus: 1, memoryMb: 64 }, instanceUuids: [randomUUID()] }
  const first = await placeWith(api, {}, asked)
  const { claim } = first.destinations[0].selected
  await dataOf(
    api,
    `mutation { claimRelease(claims: [{ id: "${claim.id}", fence: ${claim.fence} }], reason: "refused by the host") { __typename } }`,
  )
  const second = await placeWith(api, {}, { ...asked, ignoreHosts: [first.destinations[0].selected.host.name] })
  // a request for the same instance with a different intent is not a retry
  await placeWith(api, { intent: 'PROBE' }, asked)
  // while the second claim is live, a third claim for its instance would be refused
  const { claim: live } = second.destinations[0].selected
  await dataOf(api, `mutation { claimRelease(claims: [{ id: "${live.id}", fence: ${live.fence} }]) { __typename } }`)
  const third = await placeWith(api, {}, { ...asked, flavor: { vcpus: 1, memoryMb: 999_999 } })
  const other = await placeWith(api, {}, { ...asked, instanceUuids: [randomUUID()] })
  const chainOf = (id: string) =>
    dataOf(
      api,
      `{ decision(id: "${id}") { durationMs lostTries { attempt } previous { id previous {
        id durationMs previous { id } destinations { selected { claim { state reason } } } } } } }`,
    )
  const { decision } = await chainOf(third.decision.id)
  expect(decision).toMatchObject({
    lostTries: [],
    previous: {
      id: second.decision.id,
      previous: {
        id: first.decision.id,
        previous: null,
        destinations: [{ selected: { claim: { state: 'RELEASED', reason: 'refused by the host' } } }],
      },
    },
  })
  expect(decision.durationMs).toBeGreaterThanOrEqual(0)
  expect(decision.previous.previous.durationMs).toBeGreaterThanOrEqual(0)
  expect((await chainOf(other.decision.id)).decision.previous).toBeNull()
})

test('invalid, impossible and missing requests have different outcomes', async () => {
  const fitsNowhere = await placeWith(api, {}, { flavor: { vcpus: 1, memoryMb: 999_999 } })
  const wrong = await placeWith(api, {}, { flavor: { vcpus: -1, memoryMb: 1 } })
  const behind = await placeWith(api, { minRevision: '999999', deadline: 'PT0.1S' })
  const noProfile = await placeWith(api, { profile: 'nosuch' })
  expect([fitsNowhere, wrong, behind, noProfile].map(({ __typename, code }) => [__typename, code])).toEqual([
    ['NoValidHost', 'NO_VALID_HOST'],
    ['ValidationError', 'INVALID'],
    ['ReplicaBehind', 'REPLICA_BEHIND'],
    ['ValidationError', 'INVALID'],
  ])
})
