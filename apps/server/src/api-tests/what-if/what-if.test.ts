import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentSize } from '../../services/calls/json-size.ts'
import { codeOf, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  // with a ratio below 1, an instance can fit into the total of the host but not into its capacity
  const scarce = { ramAllocationRatio: 0.9 }
  await api.report({ a1: scarce, a2: { memoryMb: 32_768 }, b1: { vcpus: 4, ...scarce } })
  for (const [zone, hosts] of Object.entries({ az1: ['a1', 'a2'], az2: ['b1'] }))
    await ask('mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { ... on AggregatePayload { aggregate { uuid } } } }', {
      in: { name: `zone-${zone}`, availabilityZone: zone, hosts },
    })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const ask = (query: string, variables?: Record<string, unknown>) => dataOf(api, query, variables)
const flavor = { vcpus: 4, memoryMb: 8_192 }

/** The revision of the log and the count of claims. A what-if query must change neither of them. */
const logAndClaims = async () => {
  const { fleet, claims } = await ask('{ fleet { asOf } claims { totalCount } }')
  return [fleet.asOf, claims.totalCount]
}

const SIMULATE = `query ($in: SimulateInput!) { simulate(input: $in) { asOf placed failed notDecided complete decisionCount
  decisions(first: 20) { request copy outcome found destinations { hostName } reasons { code hosts text } }
  firstFailure { request copy explanation { fidelity hostCount steps { name entered passed } reasons { code hosts } nearMisses { hostName } } }
  utilisationBefore { key hosts usage { resourceClass capacity used free } } utilisationAfter { key usage { resourceClass used } } } }`

const simulate = async (input: Record<string, unknown>): Promise<Json> => (await ask(SIMULATE, { in: input })).simulate

describe('simulate', () => {
  test('simulate places the requests that fit, explains the first request that does not fit, and leaves log and claims unchanged', async () => {
    const before = await logAndClaims()
    const spec = { gantt: { flavor, availabilityZone: 'az1' } }
    const found = await simulate({ requests: [{ spec, count: 10 }] })
    expect(found).toMatchObject({ placed: 8, failed: 2, notDecided: 0, complete: true, decisionCount: 10, asOf: before[0] })
    expect(found.decisions[8]).toMatchObject({ copy: 8, outcome: 'NO_VALID_HOST', destinations: [] })
    const { explanation } = found.firstFailure
    expect(explanation).toMatchObject({ fidelity: 'REPLAYED', hostCount: 3 })
    expect(explanation.reasons).toEqual(found.decisions[8].reasons.map(({ code, hosts }: Json) => ({ code, hosts })))
    const used = (groups: Json, zone: string) =>
      groups.find(({ key }: Json) => key === zone).usage.find(({ resourceClass }: Json) => resourceClass === 'VCPU').used
    expect([used(found.utilisationBefore, 'az1'), used(found.utilisationAfter, 'az1'), used(found.utilisationAfter, 'az2')]).toEqual([
      0, 32, 0,
    ])
    expect(await logAndClaims()).toEqual(before)
  })

  test('the curve of simulate has at most the requested count of points, and one more before the first failure', async () => {
    const CURVE = `query ($in: SimulateInput!, $points: Int) { simulate(input: $in) { placed
      utilisationAfter { usage { resourceClass used } } curve(points: $points) { asked placed usage { resourceClass used capacity free } } } }`
    const requests = [{ spec: { gantt: { flavor, availabilityZone: 'az1' } }, count: 10 }]
    const { placed, utilisationAfter, curve } = (await ask(CURVE, { in: { requests }, points: 3 })).simulate
    expect(curve.map(({ asked, placed: by }: Json) => [asked, by])).toEqual([
      [0, 0],
      [5, 5],
      [8, 8],
      [10, placed],
    ])
    const used = (groups: Json, name: string) =>
      groups.flatMap(({ usage }: Json) => usage).reduce((sum: number, use: Json) => sum + (use.resourceClass === name ? use.used : 0), 0)
    for (const name of ['VCPU', 'MEMORY_MB', 'DISK_GB']) expect(used([curve.at(-1)], name)).toBe(used(utilisationAfter, name))
    for (const points of [1, 501]) {
      const answer = await api.ask(CURVE, { in: { requests }, points })
      expect(codeOf(answer)).toBe('GRAPHQL_VALIDATION_FAILED')
      expect(answer.errors[0]?.extensions.path).toEqual(['curve', 'points'])
    }
  })

  test('an overlay can add hosts, remove hosts, change ratios and move hosts between aggregates', async () => {
    const spec = { gantt: { flavor, availabilityZone: 'az2' } }
    const placedWith = async (overlay: Record<string, unknown>) => {
      const { placed, decisions } = await simulate({ requests: [{ spec, count: 20 }], overlay })
      return [
        placed,
        [...new Set(decisions.flatMap(({ destinations }: Json) => destinations.map(({ hostName }: Json) => hostName)))].sort(),
      ]
    }
    expect(await placedWith({})).toEqual([1, ['b1']])
    expect(await placedWith({ addHosts: [{ likeHost: 'b1', count: 3 }] })).toEqual([4, ['b1', 'b1+1', 'b1+2', 'b1+3']])
    expect(await placedWith({ removeHosts: ['b1'] })).toEqual([0, []])
    expect(await placedWith({ ratios: [{ aggregate: 'zone-az2', resourceClass: 'VCPU', allocationRatio: 2 }] })).toEqual([2, ['b1']])
    expect(
      await placedWith({
        aggregateChanges: [
          { aggregate: 'zone-az1', removeHosts: ['a2'] },
          { aggregate: 'zone-az2', addHosts: ['a2'] },
        ],
      }),
    ).toEqual([5, ['a2', 'b1']])
  })

  test("a draft of a profile can decide, including one with Nova's rules", async () => {
    const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 512 } } }
    const firstOf = async (more: Record<string, unknown>) =>
      (await simulate({ requests: [{ spec }], ...more })).decisions[0].destinations[0].hostName
    const packing = { weighers: [{ name: 'RAMWeigher', multiplier: -1 }] }
    expect(await firstOf({})).not.toBe('a2')
    expect(await firstOf({ profileChanges: packing })).toBe('a2')
    expect(await firstOf({ profile: 'nova-compat', profileChanges: packing })).toBe('a2')
  })

  test('simulate at a revision uses the fleet of that revision', async () => {
    const [then] = await logAndClaims()
    const { claim } = (
      await placeWith(api, { claim: { mode: 'CONFIRM' } }, { flavor: { vcpus: 4, memoryMb: 1_024 }, availabilityZone: 'az2' })
    ).destinations[0].selected
    const spec = { gantt: { flavor, availabilityZone: 'az2' } }
    expect(await simulate({ requests: [{ spec }] })).toMatchObject({ placed: 0, failed: 1 })
    expect(await simulate({ requests: [{ spec }], at: then })).toMatchObject({ placed: 1, asOf: then })
    expect(await simulate({ requests: [{ spec }], overlay: { releaseClaims: [claim.id] } })).toMatchObject({ placed: 1 })
    await ask('mutation ($c: [ClaimRef!]!) { claimRelease(claims: $c) { __typename } }', { c: [{ id: claim.id, fence: claim.fence }] })
  })

  test.each([
    ['an unknown host', { overlay: { removeHosts: ['ghost'] } }, 'input.overlay.removeHosts.0'],
    ['an unknown profile', { profile: 'none' }, 'input.profile'],
    ['an invalid draft', { profileChanges: { weighers: 3 } }, 'input.profileChanges.weighers'],
    [
      'a draft with too many values',
      { profileChanges: { options: Array.from({ length: documentSize.values + 1 }, () => 0) } },
      'input.profileChanges',
    ],
    ['too many instances', { requests: [{ spec: { gantt: { flavor } }, count: 10_001 }] }, 'input.requests'],
    [
      'an invalid request',
      { requests: [{ spec: { gantt: { flavor: { vcpus: -1, memoryMb: 1 } } } }] },
      'input.requests.0.spec.gantt.flavor.vcpus',
    ],
    ['a future revision', { at: 1_000_000 }, 'input.at'],
    ['a deadline that is too long', { deadline: 'PT2M' }, 'input.deadline'],
  ])('a simulation with %s is refused with its path', async (_name, input, path) => {
    const answer = await api.ask(SIMULATE, { in: { requests: [{ spec: { gantt: { flavor } } }], ...input } })
    expect(codeOf(answer)).toBe('GRAPHQL_VALIDATION_FAILED')
    expect(answer.errors[0]?.extensions.path).toEqual(path.split('.'))
  })

  test('errors in requests, fleet, profile and deadline are reported together, each with its path', async () => {
    const input = {
      requests: [{ spec: { gantt: { flavor: { vcpus: -1, memoryMb: 1 } } } }, { count: 2 }],
      overlay: { addHosts: [{ likeHost: 'ghost' }], disableHosts: ['a1', 'nobody'], releaseClaims: ['none'] },
      profile: 'none',
      deadline: 'PT2M',
    }
    const answer = await api.ask(SIMULATE, { in: input })
    expect(codeOf(answer)).toBe('GRAPHQL_VALIDATION_FAILED')
    const issues: Json = answer.errors[0]?.extensions?.issues ?? []
    expect(issues.map(({ path }: Json) => path.join('.'))).toEqual([
      'input.requests.0.spec.gantt.flavor.vcpus',
      'input.requests.1',
      'input.deadline',
      'input.profile',
      'input.overlay.addHosts.0.likeHost',
      'input.overlay.disableHosts.1',
      'input.overlay.releaseClaims.0',
    ])
  })
})

const CAPACITY = `query ($in: CapacityInput!) { capacity(input: $in) { asOf fits exact cut method hostsWithRoom
  groups(first: 10) { key fits hosts hostsWithRoom bottleneck { filter code resource hosts } } bottleneck { code resource hosts hostsWithRoom } } }`

const capacity = async (input: Record<string, unknown>): Promise<Json> => (await ask(CAPACITY, { in: input })).capacity

describe('capacity', () => {
  const spec = { gantt: { flavor } }

  test('capacity counts what fits by zone, aggregate and host, and names the limiting resources', async () => {
    const before = await logAndClaims()
    expect(await capacity({ spec })).toMatchObject({
      fits: 9,
      exact: true,
      cut: null,
      method: 'PER_HOST',
      hostsWithRoom: 3,
      groups: [
        { key: 'az1', fits: 8, hosts: 2, bottleneck: { resource: 'VCPU' } },
        { key: 'az2', fits: 1, hosts: 1 },
      ],
    })
    const keys = async (groupBy: string) => (await capacity({ spec, groupBy })).groups.map(({ key, fits }: Json) => [key, fits])
    expect(await keys('AGGREGATE')).toEqual([
      ['zone-az1', 8],
      ['zone-az2', 1],
    ])
    expect(await keys('HOST')).toEqual([
      ['a1', 4],
      ['a2', 4],
      ['b1', 1],
    ])
    expect(await logAndClaims()).toEqual(before)
  })

  test("capacity counts with an overlay, by Nova's profile, and up to a limit", async () => {
    expect(await capacity({ spec, overlay: { addHosts: [{ likeHost: 'a1', count: 5 }], removeHosts: ['a2'] } })).toMatchObject({ fits: 25 })
    expect(await capacity({ spec, profile: 'nova-compat' })).toMatchObject({ fits: 9, exact: true })
    expect(await capacity({ spec, limit: 3 })).toMatchObject({ fits: 3, exact: false, cut: 'LIMIT' })
  })

  test('capacity accepts either a request or a decision', async () => {
    const { decision } = await placeWith(api, { claim: { mode: 'NONE' } }, { flavor })
    expect(await capacity({ decisionId: decision.id })).toMatchObject({ fits: 9 })
    expect(await simulate({ requests: [{ decisionId: decision.id, count: 3 }] })).toMatchObject({ placed: 3 })
    for (const input of [{}, { spec, decisionId: decision.id }, { decisionId: '00000000-0000-4000-8000-000000000000' }])
      expect(codeOf(await api.ask(CAPACITY, { in: input }))).toBe('GRAPHQL_VALIDATION_FAILED')
  })
})

const WOULD_FIT = `query ($in: WhatWouldFitInput!) { whatWouldFit(input: $in) { asOf fits headline tried cut
  counterfactuals { kind changes { kind subject from to places { kind name } } unlocks exampleHosts { hostName } verified effort text overlay simulation }
  cause { code text admittedHosts hostName } } }`

const wouldFit = async (input: Record<string, unknown>): Promise<Json> => (await ask(WOULD_FIT, { in: input })).whatWouldFit

describe('whatWouldFit', () => {
  test.each([
    ['that is too large for its zone', { flavor: { vcpus: 8, memoryMb: 8_192 }, availabilityZone: 'az2' }],
    [
      'for a missing zone, with missing devices',
      { flavor, availabilityZone: 'az9', pciRequests: [{ count: 1, specs: [{ properties: [{ key: 'vendor_id', value: 'v' }] }] }] },
    ],
    ['for more instances than fit', { flavor: { vcpus: 12, memoryMb: 1_024 }, numInstances: 3 }],
    [
      'with extra specs and hints for filters',
      {
        flavor: { ...flavor, extraSpecs: [{ key: 'ssd', value: 'true' }] },
        schedulerHints: [{ key: 'same_host', values: ['00000000-0000-4000-8000-000000000001'] }],
      },
    ],
    [
      'for a gang with a kind that is too large',
      {
        ...{ flavor: { vcpus: 1, memoryMb: 1_024 }, numInstances: 2 },
        gang: [{ name: 'big', instances: 1, flavor: { vcpus: 4, memoryMb: 70_000 } }],
      },
    ],
  ])('for a request %s, every proposal of whatWouldFit is placed when it is simulated', async (_name, gantt) => {
    const before = await logAndClaims()
    const { decision } = await placeWith(api, {}, gantt)
    for (const subject of [{ spec: { gantt } }, { decisionId: decision.id }]) {
      const { fits, counterfactuals, cause, cut, headline } = await wouldFit(subject)
      expect({ fits, cut }).toEqual({ fits: false, cut: null })
      expect(counterfactuals.length).toBeGreaterThan(0)
      // the first proposal in the list needs the least effort
      expect(headline).toBe(`The smallest change: ${counterfactuals[0].text}.`)
      for (const { effort } of counterfactuals) expect(effort).toBeGreaterThanOrEqual(counterfactuals[0].effort)
      expect(cause).toMatchObject({ code: expect.any(String), text: expect.any(String) })
      for (const { simulation, text, verified } of counterfactuals) {
        const { placed, failed } = await simulate(simulation)
        expect([text, verified, placed > 0, failed]).toEqual([text, true, true, 0])
      }
    }
    expect(await logAndClaims()).toEqual(before)
  })

  test('whatWouldFit works with Nova’s profile, and with an overlay of the query', async () => {
    const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 60_000 } } }
    const overlay = { addHosts: [{ likeHost: 'a1' }], disableHosts: ['a1'] }
    const { counterfactuals } = await wouldFit({ spec, overlay, profile: 'nova-compat', kinds: ['POLICY'], maxChanges: 1 })
    expect(counterfactuals.length).toBeGreaterThan(0)
    for (const { kind, simulation, overlay: whole } of counterfactuals) {
      expect([kind, whole.disableHosts, whole.addHosts.length]).toEqual(['POLICY', ['a1'], 1])
      expect(await simulate(simulation)).toMatchObject({ placed: 1, failed: 0 })
    }
  })

  test('each change names the object that it edits', async () => {
    const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 60_000 } } }
    const { counterfactuals } = await wouldFit({ spec, maxChanges: 1, first: 50 })
    const placesOf = (kind: string): Json[] =>
      counterfactuals.filter((one: Json) => one.kind === kind).map(({ changes, overlay }: Json) => ({ places: changes[0].places, overlay }))
    expect(placesOf('REQUEST')).not.toEqual([])
    for (const { places } of placesOf('REQUEST')) expect(places).toEqual([])
    expect(placesOf('POLICY')).not.toEqual([])
    for (const { places, overlay } of placesOf('POLICY'))
      expect(places).toEqual(overlay.ratios.map(({ host }: Json) => ({ kind: 'HOST', name: host })))
    // `places` lists only existing objects, so it is empty for a new host
    for (const { places, overlay } of placesOf('FLEET')) expect([places, overlay.addHosts.length]).toEqual([[], 1])
  })

  test('for a request that fits, whatWouldFit makes no proposals', async () => {
    const { decision } = await placeWith(api, { claim: { mode: 'NONE' } })
    expect(await wouldFit({ decisionId: decision.id })).toMatchObject({
      fits: true,
      counterfactuals: [],
      cause: null,
      headline: 'The request fits without any change.',
    })
  })

  test('if no change is sufficient, the cause is named', async () => {
    const spec = { gantt: { flavor: { vcpus: 64, memoryMb: 1_024 } } }
    const { counterfactuals, cause, headline } = await wouldFit({ spec, kinds: ['FLEET'] })
    expect(counterfactuals).toEqual([])
    expect(cause).toMatchObject({ code: 'cpu.too_few', admittedHosts: 3 })
    expect(headline).toBe(`No change within the limits of the search makes the request fit. ${cause.text}`)
  })
})
