import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

// Hosts whose collectors do not send a namespace of the release (storage) and one of a plug-in (power). Each answer says so.

const power = fileURLToPath(new URL('../../../../../examples/plugin-power', import.meta.url))
const [volume, pool] = [randomUUID(), randomUUID()]
const since = '2026-11-20T12:00:00.000Z'
const error = { code: 'CRASHED', text: 'no sensor', at: since }

let api: TestService
const incarnation = randomUUID()
let sequence = 0
const update = (host: string, namespace: string, document: Json) => ({
  ...{ name: { host }, reporter: { incarnation, sequence: ++sequence } },
  report: { namespace: { namespace, version: '1.0', document } },
})

beforeAll(async () => {
  api = await startTestService({ plugins: [{ from: power, mode: 'TRUSTED' }] })
  await api.report({ paused: { memoryMbUsed: 4_096 }, failing: { memoryMbUsed: 4_096 }, sends: {} })
  const states = (state: string, more: Json = {}) => ({
    collectors: ['storage', 'power'].map((namespace) => ({ name: namespace, namespace, state, since, ...more })),
  })
  const u = [
    update('paused', 'collectors', states('PAUSED')),
    update('failing', 'collectors', states('FAILING', { error })),
    update('sends', 'power', { freeWatts: 900 }),
    update('sends', 'storage', { pools: [{ uuid: pool, name: 'fast' }], volumes: [{ uuid: volume, pool }] }),
  ]
  const mutation = 'mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { appliedCount } }'
  expect((await dataOf(api, mutation, { u })).updateResourceStats.appliedCount).toBe(4)
  for (const { profile, filters, weighers } of cases) {
    const create = `mutation ($name: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $name, input: $input) { __typename } }`
    // RAMWeigher prefers the host that sends, because another instance runs on the others
    const ram = { name: 'RAMWeigher', multiplier: 1 }
    for (const [name, input] of [
      [profile, { filters, weighers }],
      [`${profile}-weighed`, { filters: [], weighers: [...weighers, ram] }],
    ] as const) {
      const created = await dataOf(api, create, { name, input: { note: '', ...input } })
      expect(created.profileVersionCreate.__typename).toBe('ProfilePayload')
    }
  }
})
afterAll(() => api?.close())

const flavor = { vcpus: 1, memoryMb: 64 }
const near = [{ key: 'near_volume', values: [volume] }]
const cases = [
  {
    ...{ namespace: 'storage', profile: 'near', filter: 'VolumeAffinityFilter', spec: { flavor, schedulerHints: near } },
    filters: [{ name: 'VolumeAffinityFilter' }],
    weighers: [{ name: 'VolumeAffinityWeigher', multiplier: 1 }],
  },
  {
    ...{ namespace: 'power', profile: 'watts', filter: 'WattsFilter', spec: { flavor } },
    filters: [{ name: 'WattsFilter', options: { watts: 100 } }],
    weighers: [{ name: 'WattsWeigher', multiplier: 1 }],
  },
]

describe.each(cases)('what says that the namespace $namespace is not sent', ({ namespace, profile, filter, filters, weighers, spec }) => {
  const asked = (...hosts: string[]): Json => ({ gantt: { ...spec, ...(hosts.length > 0 && { forceHosts: hosts, forceVerify: 'ALL' }) } })
  const unread = `The host does not send the namespace ${namespace}, because no profile in use reads it: its collector is paused.`
  const yet = expect.stringMatching(
    new RegExp(`^The host does not send the namespace ${namespace} yet, although the profile (default|${profile})@\\d reads it: `),
  )
  const failing = `The host does not send the namespace ${namespace}: its collector is failing (CRASHED: no sensor).`

  test('a decision, its explanation and why-not', async () => {
    const refused = await placeWith(api, { profile }, asked('paused', 'failing').gantt)
    expect(refused.__typename).toBe('NoValidHost')
    expect(refused.reasons.map(({ code, filter: by }: Json) => [by, code])).toContainEqual([filter, 'namespace.not_sent'])
    const query = `query ($id: ID!) { explainPlacement(input: { subject: { decisionId: $id } }) { reasons { code text } }
      whyNot(input: { subject: { decisionId: $id }, host: { host: "failing" } }) { headline nowRefusedBy { filter text } }
      verifyDecision(id: $id) { outcome } }`
    const { explainPlacement, whyNot, verifyDecision } = await dataOf(api, query, { id: refused.decision.id })
    expect(explainPlacement.reasons).toContainEqual({ code: 'namespace.not_sent', text: yet })
    expect(whyNot.headline).toContain(failing)
    expect(whyNot.nowRefusedBy).toContainEqual({ filter, text: failing })
    expect(verifyDecision.outcome).toBe('SAME')
  })

  test('the comparison of the scores of a host with those of the chosen host', async () => {
    const placed = await placeWith(api, { profile: `${profile}-weighed` }, asked().gantt)
    const query = `query ($id: ID!) { whyNot(input: { subject: { decisionId: $id }, host: { host: "failing" } }) {
      outcome versusWinner { weigher hostMissing winnerMissing } } }`
    const { whyNot } = await dataOf(api, query, { id: placed.decision.id })
    const [{ name: weigher }] = weighers as [Json]
    expect(whyNot.versusWinner).toContainEqual({ weigher, hostMissing: failing, winnerMissing: null })
  })

  test('a simulation by a profile that is not in use', async () => {
    const query = `query ($input: SimulateInput!) { simulate(input: $input) { decisions(first: 1) { explanation {
      reasons { code text } verdicts(first: 5) { nodes { hostName weights { weigher missing } } } } } } }`
    const simulate = async (profileChanges: Json, ...hosts: string[]): Promise<Json> => {
      const input = { requests: [{ spec: asked(...hosts) }], profileChanges }
      return (await dataOf(api, query, { input })).simulate.decisions[0].explanation
    }
    const { reasons } = await simulate({ filters }, 'failing')
    expect(reasons).toContainEqual({ code: 'namespace.not_sent', text: failing })
    const { verdicts } = await simulate({ filters: [{ name: 'ComputeFilter' }], weighers })
    const missing = Object.fromEntries(verdicts.nodes.map(({ hostName, weights }: Json) => [hostName, weights[0].missing]))
    expect(missing).toEqual({ sends: null, failing, paused: expect.toBeOneOf([unread, yet]) })
  })

  test('a capacity, and what would fit', async () => {
    const query = `query ($capacity: CapacityInput!, $fit: WhatWouldFitInput!) {
      capacity(input: $capacity) { fits bottleneck { filter code } } whatWouldFit(input: $fit) { headline } }`
    const input = { spec: asked('failing'), profile }
    const { capacity, whatWouldFit } = await dataOf(api, query, { capacity: input, fit: input })
    expect(capacity.fits).toBe(0)
    expect(capacity.bottleneck).toContainEqual({ filter, code: 'namespace.not_sent' })
    expect(whatWouldFit.headline).toMatch(/^The smallest change: /)
  })
})
