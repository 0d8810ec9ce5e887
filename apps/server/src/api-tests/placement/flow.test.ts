import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ big: {}, small: { memoryMb: 2_048 }, middle: { memoryMb: 32_768 } })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const place = (input: Record<string, unknown>, gantt?: Record<string, unknown>) => placeWith(api, input, gantt)
const ask = (query: string, variables?: Record<string, unknown>) => dataOf(api, query, variables)

describe('placing and explaining a request', () => {
  test('a request is placed on the best host, claimed, and explained', async () => {
    const placed = await place({})
    expect(placed).toMatchObject({ __typename: 'SelectDestinationsPayload', replayed: false, decision: { outcome: 'PLACED' } })
    const [{ selected, alternates }] = placed.destinations
    expect(selected).toMatchObject({ host: { name: 'big' }, claim: { state: 'RESERVED' } })
    expect(alternates).toEqual([{ host: { name: 'middle' }, claim: null }])
    const { whyNot, explainPlacement, decision } = await ask(
      `query ($d: ID!) {
        whyNot(input: { subject: { decisionId: $d }, host: { host: "small" } }) { headline outcome wouldPassNow verdict { checks { filter status text facts { required actual shortfall unit } } } }
        explainPlacement(input: { subject: { decisionId: $d } }) { fidelity steps { name entered passed rejected } verdicts { totalCount nodes { hostName outcome rank totalWeight weights { raw normalized multiplier weighted } } } weighing { weighers { name } hosts { hostName } } text selection { pickedRank text } }
        decision(id: $d) { outcome spec { vcpus } profile { profileName } destinations { selected { weight } } explanation { fidelity } } }`,
      { d: placed.decision.id },
    )
    expect(whyNot).toMatchObject({ outcome: 'FILTERED', wouldPassNow: false })
    expect(whyNot.headline).toBe('small was refused by RamFilter. Memory: 4096 MiB needed by one instance; the host has 2048 MiB in total.')
    // RamFilter reports two facts: one for the total amount and one for the free amount
    const short = { required: '4096', actual: '2048', shortfall: '2048', unit: 'MiB' }
    expect(whyNot.verdict.checks.find(({ filter }: Json) => filter === 'RamFilter').facts).toEqual([short, short])
    expect(explainPlacement.fidelity).toBe('REPLAYED')
    expect(explainPlacement.verdicts.nodes.map(({ hostName, outcome }: Json) => [hostName, outcome])).toEqual([
      ['big', 'SELECTED'],
      ['middle', 'ALTERNATE'],
      ['small', 'FILTERED'],
    ])
    expect(explainPlacement.verdicts.nodes[0].totalWeight).toBe(selected.weight)
    expect(explainPlacement.text).toContain('2 of 3 hosts passed')
    expect(decision).toMatchObject({ spec: { vcpus: 2 }, profile: { profileName: 'default' }, explanation: { fidelity: 'REPLAYED' } })
  })

  test('whyNot shows how an alternate differs from the winner, and says of an unknown host that it is unknown', async () => {
    const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 1_024 } } }
    const { behind, unknown } = await ask(
      `query ($s: SpecInput!) {
        behind: whyNot(input: { subject: { spec: $s }, host: { host: "small" } }) { outcome headline versusWinner { weigher gap } }
        unknown: whyNot(input: { subject: { spec: $s }, host: { host: "ghost" } }) { outcome headline wouldPassNow verdict { hostName checks { filter } } } }`,
      { s: spec },
    )
    expect(behind.outcome).toBe('ALTERNATE')
    expect(behind.versusWinner.find(({ weigher }: Json) => weigher === 'RAMWeigher').gap).toBeGreaterThan(0)
    expect(unknown).toMatchObject({ outcome: 'UNKNOWN', wouldPassNow: null, verdict: { hostName: 'ghost', checks: [] } })
  })

  test.each(['nova', 'nova-compat'])(
    "with the profile %s an aggregate's multiplier makes its host the best one, and the explanation names the aggregate",
    async (profile) => {
      const key = 'ram_weight_multiplier'
      const aggregate = await ask(
        `mutation ($key: String!) { aggregateCreate(input: { name: "gold", hosts: ["small"], metadata: [{ key: $key, value: "40" }] }) { ... on AggregatePayload { aggregate { uuid version } } } }`,
        { key },
      )
      const flavor = { vcpus: 1, memoryMb: 1_024 }
      const placed = await place({ profile, claim: { mode: 'NONE' } }, { flavor })
      expect(placed.destinations[0].selected).toMatchObject({ host: { name: 'small' } })
      const { explainPlacement } = await ask(
        `query ($d: ID!) { explainPlacement(input: { subject: { decisionId: $d } }) { fidelity weighing { margin note weighers { name multiplier multiplierVaries decisive winnerWithout idle flipsBelow winnerBelow flipsAbove winnerAbove } hosts { hostName totalWeight weights { weigher normalized multiplier multiplierSource weighted } } } } }`,
        { d: placed.decision.id },
      )
      const { weighers, hosts } = explainPlacement.weighing
      expect(explainPlacement.fidelity).toBe('REPLAYED')
      // Without this weigher, the hosts `small` and `middle` are equal, and `small` reported first. `flipsBelow` and `flipsAbove` change
      // only the multiplier of hosts for which no aggregate sets a multiplier.
      expect(weighers.find(({ name }: Json) => name === 'RAMWeigher')).toEqual({
        name: 'RAMWeigher',
        multiplier: 1,
        multiplierVaries: true,
        decisive: false,
        winnerWithout: 'small',
        idle: true,
        flipsBelow: null,
        winnerBelow: null,
        flipsAbove: expect.any(Number),
        winnerAbove: 'big',
      })
      expect(explainPlacement.weighing).toMatchObject({ margin: hosts[0].totalWeight - hosts[1].totalWeight, note: null })
      const memoryOf = (host: Json) => host.weights.find(({ weigher }: Json) => weigher === 'RAMWeigher')
      const [small, next] = hosts.map((host: Json) => ({ ...memoryOf(host), hostName: host.hostName }))
      expect(small).toMatchObject({
        hostName: 'small',
        multiplier: 40,
        multiplierSource: `aggregate gold ${key}`,
        weighted: 40 * small.normalized,
      })
      expect(next).toMatchObject({ multiplier: 1, multiplierSource: null, weighted: next.normalized })
      expect(hosts[0].totalWeight).toBe(hosts[0].weights.reduce((sum: number, { weighted }: Json) => sum + weighted, 0))
      expect(placed.destinations[0].selected.weight).toBe(hosts[0].totalWeight)
      const { uuid, version } = aggregate.aggregateCreate.aggregate
      expect(
        await ask(`mutation ($uuid: UUID!, $version: Int!) { aggregateDelete(uuid: $uuid, ifVersion: $version) { __typename } }`, {
          uuid,
          version,
        }),
      ).toEqual({ aggregateDelete: { __typename: 'AggregatePayload' } })
    },
  )

  test('a repeated call with the same key gets the same answer, and another call with this key is a conflict', async () => {
    const first = await place({ idempotencyKey: 'twice' })
    expect(await place({ idempotencyKey: 'twice' })).toEqual({ ...first, replayed: true })
    expect(await place({ idempotencyKey: 'twice', alternatesPerInstance: 0 })).toMatchObject({
      __typename: 'IdempotencyConflict',
      code: 'IDEMPOTENCY_CONFLICT',
    })
  })

  test('a request that fits on no host is refused with a reason and claims nothing, and its key can be used for another request', async () => {
    const refused = await place({ idempotencyKey: 'free' }, { flavor: { vcpus: 1, memoryMb: 1_000_000 } })
    expect(refused).toMatchObject({
      __typename: 'NoValidHost',
      code: 'NO_VALID_HOST',
      placedCount: 0,
      message: expect.stringMatching(
        /^No host can take the instance\. Of 3 hosts none takes it: 3 with too little memory in total\. Nearest is big: Memory: 1000000 MiB needed/,
      ),
      decision: { outcome: 'NO_VALID_HOST' },
    })
    expect(refused.reasons).toEqual([expect.objectContaining({ filter: 'RamFilter', code: 'memory.too_little', hosts: 3 })])
    expect((await place({ idempotencyKey: 'free' })).__typename).toBe('SelectDestinationsPayload')
  })

  test('a call in mode NONE claims nothing', async () => {
    const advice = await place({ claim: { mode: 'NONE' } })
    expect(advice.destinations[0].selected.claim).toBeNull()
    expect((await ask('query ($d: ID!) { decision(id: $d) { outcome } }', { d: advice.decision.id })).decision.outcome).toBe('PLACED')
  })

  test('all errors of a call are reported at once, with their paths', async () => {
    const answer = await place(
      { idempotencyKey: '', intent: 'RESIZE', alternatesPerInstance: 11, claim: { mode: 'RESERVE', ttl: 'PT25H' }, deadline: 'PT61S' },
      { version: '2.0', availabilityZone: '' },
    )
    expect(answer).toMatchObject({ __typename: 'ValidationError', code: 'INVALID' })
    expect(answer.issues.map(({ path }: Json) => path.join('.'))).toEqual([
      'input.spec.gantt.version',
      'input.moveOf',
      'input.idempotencyKey',
      'input.claim.ttl',
      'input.alternatesPerInstance',
      'input.deadline',
    ])
    expect((await place({ profile: 'nope' })).issues[0]).toMatchObject({ rule: 'profile.unknown', path: ['input', 'profile'] })
  })

  test('the first claim sets the policy of a server group, and a request with another policy is refused', async () => {
    const uuid = randomUUID()
    expect((await place({}, { instanceGroup: { uuid, policy: 'ANTI_AFFINITY' } })).__typename).toBe('SelectDestinationsPayload')
    const { issues } = await place({}, { instanceGroup: { uuid, policy: 'AFFINITY' } })
    expect(issues).toEqual([
      expect.objectContaining({ rule: 'claim.group_mismatch', path: ['input', 'spec', 'gantt', 'instanceGroup', 'policy'] }),
    ])
    const { serverGroup } = await ask('query ($u: UUID!) { serverGroup(uuid: $u) { policy members { count host { name } } } }', { u: uuid })
    expect(serverGroup).toMatchObject({ policy: 'ANTI_AFFINITY', members: [{ count: 1 }] })
  })

  test('a replica that has not reached the requested revision reports that', async () => {
    expect(await place({ minRevision: '999999' })).toMatchObject({
      __typename: 'ReplicaBehind',
      code: 'REPLICA_BEHIND',
      retryAfter: 'PT1S',
    })
  })
})

describe('calls about claims', () => {
  const CALL = (field: string) => `mutation ($c: [ClaimRef!]!) { ${field} { __typename
    ... on ClaimPayload { replayed claim { state expiresAt } } ... on ClaimLost { claim { state } } ... on UserError { code message } } }`
  const confirm = CALL('claimConfirm(claims: $c)')
  const release = CALL('claimRelease(claims: $c)')

  test('a claim can be confirmed and released, and a caller with an old fence is refused', async () => {
    const { claim } = (await place({})).destinations[0].selected
    const ref = { id: claim.id, fence: claim.fence }
    const [extended] = (await ask(CALL('claimExtend(claims: $c, ttl: "PT1H")'), { c: [ref] })).claimExtend
    expect(Date.parse(extended.claim.expiresAt) - Date.now()).toBeGreaterThan(3_000_000)
    expect((await ask(confirm, { c: [{ ...ref, fence: 1 }, ref] })).claimConfirm).toMatchObject([
      { __typename: 'ClaimLost', code: 'CLAIM_LOST' },
      { __typename: 'ClaimPayload', claim: { state: 'CONFIRMED', expiresAt: null }, replayed: false },
    ])
    expect((await ask(confirm, { c: [ref] })).claimConfirm).toMatchObject([{ replayed: true }])
    expect((await ask(release, { c: [ref] })).claimRelease).toMatchObject([{ claim: { state: 'RELEASED' } }])
    expect((await ask(release, { c: [ref, { id: randomUUID(), fence: 1 }] })).claimRelease).toMatchObject([
      { claim: { state: 'RELEASED' }, replayed: true },
      { __typename: 'NotFound', code: 'NOT_FOUND' },
    ])
    expect((await ask(confirm, { c: [ref] })).claimConfirm).toMatchObject([{ __typename: 'ClaimLost', claim: { state: 'RELEASED' } }])
  })

  test('abandoning a key releases its claims, and a later call with an abandoned key claims nothing', async () => {
    const abandon = `mutation ($k: String!) { claimAbandon(idempotencyKey: $k) { __typename ... on ClaimPayload { claims { state } } } }`
    await place({ idempotencyKey: 'left' })
    expect((await ask(abandon, { k: 'left' })).claimAbandon).toEqual({ __typename: 'ClaimPayload', claims: [{ state: 'RELEASED' }] })
    expect((await ask(abandon, { k: 'unused' })).claimAbandon).toEqual({ __typename: 'ClaimPayload', claims: [] })
    expect((await place({ idempotencyKey: 'unused' })).__typename).toBe('IdempotencyConflict')
  })
})
