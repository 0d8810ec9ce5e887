import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService

const CREATE = `mutation ($profile: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $profile, input: $input) { __typename } }`
const RESULT = `result { __typename
  ... on SelectDestinationsPayload { replayed decision { id } destinations { selected { host { name } claim { id fence } } } }
  ... on NoValidHost { decision { id } reasons { filter } }
  ... on UserError { code } }`
const EVACUATE = `mutation ($in: HostEvacuateInput!) { hostEvacuate(input: $in) { __typename
  ... on HostEvacuatePayload { placedCount moves { claim { id } ${RESULT} } }
  ... on ValidationError { issues { path message } } } }`
const FORESEE = `mutation ($in: HostEvacuateInput!) { hostEvacuate(input: $in, dryRun: true) { __typename
  ... on HostEvacuatePreview { placedCount moves { claim { id } destination { name } message } } } }`
const DECISION = `query ($id: ID!) { node(id: $id) { ... on Decision { outcome
  solver { status taken why text objective filterObjective gap batch { moveCount placedCount filterPlacedCount } }
  explanation { fidelity selection { text } } } } }`

const whole = (vcpus: number) => ({ vcpus, memoryMb: 1_024 * vcpus, cpuAllocationRatio: 1, ramAllocationRatio: 1 })

beforeAll(async () => {
  api = await startTestService()
  await api.report({ source: whole(10), large: whole(8), small: whole(2) })
  const parts = { filters: [{ name: 'ComputeFilter' }], weighers: [{ name: 'RAMWeigher', multiplier: 1 }], note: 'n' }
  await dataOf(api, CREATE, { profile: 'together', input: { ...parts, scheduler: 'SOLVER', solver: { timeLimitMs: 5_000 } } })
  await dataOf(api, CREATE, { profile: 'greedy', input: parts })
})

afterAll(() => api.close())

/** Creates one claim on the source host for each size, in this order. A size is both the count of CPUs and the memory in GiB. */
async function fill(...sizes: readonly number[]): Promise<void> {
  for (const vcpus of sizes) {
    const asked = { flavor: { vcpus, memoryMb: 1_024 * vcpus }, forceHosts: ['source'] }
    expect((await placeWith(api, { profile: 'greedy', claim: { mode: 'CONFIRM' }, spec: { gantt: asked } })).__typename).toBe(
      'SelectDestinationsPayload',
    )
  }
}

const asks = (profile: string, key: string, more: object = {}) => ({ host: { host: 'source' }, profile, idempotencyKey: key, ...more })
const evacuate = async (profile: string, key: string = randomUUID(), more: object = {}): Promise<Json> =>
  (await dataOf(api, EVACUATE, { in: asks(profile, key, more) })).hostEvacuate
const foresee = async (profile: string): Promise<Json> => (await dataOf(api, FORESEE, { in: asks(profile, 'preview') })).hostEvacuate
const decisionOf = async (id: string): Promise<Json> => (await dataOf(api, DECISION, { id })).node
const placesOf = ({ moves }: Json): (string | null)[] =>
  moves.map(({ result }: Json) => result.destinations?.[0].selected.host.name ?? null)
const claimsOf = ({ moves }: Json): Json[] =>
  moves.flatMap(
    ({ result }: Json) => result.destinations?.map(({ selected: { claim } }: Json) => ({ id: claim.id, fence: claim.fence })) ?? [],
  )
const end = (name: string, claims: readonly object[]): Promise<Json> =>
  dataOf(api, `mutation ($c: [ClaimRef!]!) { ${name}(claims: $c) { __typename } }`, { c: claims })
const verified = async (id: string): Promise<Json> =>
  (await dataOf(api, 'query ($id: ID!) { verifyDecision(id: $id) { outcome fidelity } }', { id })).verifyDecision

test('a host without claims is evacuated without the solver', async () => {
  expect(await evacuate('together')).toEqual({ __typename: 'HostEvacuatePayload', placedCount: 0, moves: [] })
})

test('if moves are decided one after the other, the small instance takes the only host for the large one, which stays with a reason', async () => {
  await fill(2, 8)
  expect(await foresee('greedy')).toMatchObject({ placedCount: 1, moves: [{ destination: { name: 'large' } }, { destination: null }] })
  const done = await evacuate('greedy')
  expect(placesOf(done)).toEqual(['large', null])
  const [, stays] = done.moves
  expect(stays.result).toMatchObject({ __typename: 'NoValidHost', code: 'NO_VALID_HOST' })
  expect(stays.result.reasons.length).toBeGreaterThan(0)
  expect((await decisionOf(stays.result.decision.id)).solver).toBeNull()
  await end('claimRelease', claimsOf(done))
})

test('if moves are solved as one program, both instances find a host, and each decision shows how many moves were solved together', async () => {
  expect(await foresee('together')).toMatchObject({
    placedCount: 2,
    moves: [{ destination: { name: 'small' } }, { destination: { name: 'large' } }],
  })
  const key = randomUUID()
  const done = await evacuate('together', key)
  expect([done.placedCount, placesOf(done)]).toEqual([2, ['small', 'large']])
  for (const { result } of done.moves) {
    expect(await decisionOf(result.decision.id)).toMatchObject({
      outcome: 'PLACED',
      solver: {
        ...{ status: 'OPTIMAL', taken: 'SOLVER', why: null, gap: 0, filterObjective: null },
        batch: { moveCount: 2, placedCount: 2, filterPlacedCount: 1 },
        text: expect.stringContaining('Moves that were solved together: 2; with a place: 2, 1 by the filter scheduler.'),
      },
      explanation: { fidelity: 'REPLAYED', selection: { text: expect.stringContaining('that the solver found') } },
    })
    expect(await verified(result.decision.id)).toEqual({ outcome: 'SAME', fidelity: 'REPLAYED' })
  }
  // a retry with the same key returns the same claims, and creates no new claims
  const again = await evacuate('together', key)
  expect(again.moves.map(({ result }: Json) => result.replayed)).toEqual([true, true])
  expect(claimsOf(again)).toEqual(claimsOf(done))
  await end('claimConfirm', claimsOf(done))
  expect((await evacuate('together', key)).moves).toEqual([])
})

test('if not all instances fit on other hosts, as many as possible move, and for each instance that stays the reason is returned', async () => {
  await api.report({ spare: whole(3) })
  // The instance of 4 CPUs fits on no host. The free resources suffice either for the instance of 3 CPUs, or for the instances of 1 and 2
  // CPUs together.
  await fill(3, 4, 1, 2)
  expect((await foresee('greedy')).placedCount).toBe(1)
  expect((await foresee('together')).placedCount).toBe(2)
  const done = await evacuate('together')
  expect(placesOf(done)).toEqual([null, null, 'spare', 'spare'])
  const [big, huge, ...gone] = done.moves
  for (const { result } of [big, huge]) {
    expect(result).toMatchObject({ __typename: 'NoValidHost', code: 'NO_VALID_HOST' })
    expect(await decisionOf(result.decision.id)).toMatchObject({
      outcome: 'NO_VALID_HOST',
      solver: { status: 'INFEASIBLE', taken: 'FILTER', why: 'INFEASIBLE', batch: { moveCount: 4, placedCount: 2, filterPlacedCount: 1 } },
    })
  }
  for (const { result } of gone) expect((await decisionOf(result.decision.id)).solver).toMatchObject({ taken: 'SOLVER', why: null })
  await end('claimRelease', claimsOf(done))
})

test('an invalid deadline is refused once, for the whole host', async () => {
  const { issues } = await evacuate('together', 'late', { deadline: 'PT2M' })
  expect(issues).toMatchObject([{ path: ['input', 'deadline'] }])
})

const LEFT = `mutation ($in: HostEvacuateInput!, $dry: Boolean!) { hostEvacuate(input: $in, dryRun: $dry) {
  ... on HostEvacuatePreview { instancesWithoutClaims moves { claim { id } } hosts { instancesWithoutClaims } }
  ... on HostEvacuatePayload { instancesWithoutClaims moves { claim { id } } hosts { instancesWithoutClaims } } } }`

test('instances without a claim are counted by a dry run and by an evacuation, which moves none of them', async () => {
  const instances = [randomUUID(), randomUUID(), randomUUID()]
  await api.report({ legacy: { ...whole(10), runningVms: 3, instances } })
  for (const dry of [true, false]) {
    const input = { host: { host: 'legacy' }, profile: 'greedy', idempotencyKey: randomUUID() }
    const { hostEvacuate } = await dataOf(api, LEFT, { in: input, dry })
    expect(hostEvacuate).toEqual({ instancesWithoutClaims: 3, moves: [], hosts: [{ instancesWithoutClaims: 3 }] })
  }
  const asked = { flavor: { vcpus: 1, memoryMb: 1_024 }, instanceUuids: instances.slice(0, 1), forceHosts: ['legacy'] }
  expect((await placeWith(api, { profile: 'greedy', claim: { mode: 'CONFIRM' }, spec: { gantt: asked } })).__typename).toBe(
    'SelectDestinationsPayload',
  )
  const input = { host: { host: 'legacy' }, profile: 'greedy', idempotencyKey: randomUUID() }
  const { hostEvacuate } = await dataOf(api, LEFT, { in: input, dry: true })
  expect(hostEvacuate).toMatchObject({ instancesWithoutClaims: 2, moves: [{}], hosts: [{ instancesWithoutClaims: 2 }] })
})
