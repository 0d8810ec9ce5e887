import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService

beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: { memoryMb: 32_768 }, h2: { memoryMb: 24_576 }, h3: { memoryMb: 8_192 } })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const COMPARE = `query ($a: ID!, $b: ID!, $instance: Int, $first: Int = 50) { compareDecisions(a: $a, b: $b, instanceIndex: $instance) {
  a { id outcome } b { id outcome } fidelity cause text specChanges { field before after } profileChanges { field before after }
  fleetChangedHosts fleetChanges { field hosts } aInstanceIndex bInstanceIndex steps { filter aEntered aPassed bEntered bPassed }
  flippedCount flipped(first: $first) { hostName node a b because } trials { factors hosts isSecond } } }`

const compare = async (a: string, b: string): Promise<Json> => (await dataOf(api, COMPARE, { a, b })).compareDecisions

/** Decides a request without claiming anything. Therefore the states of two decisions differ only by the changes that the test makes. */
async function advised(spec: Record<string, unknown> = {}, more: Record<string, unknown> = {}): Promise<Json> {
  return (await placeWith(api, { claim: { mode: 'NONE' }, ...more }, spec)).decision
}

const memory = (memoryMb: number) => ({ flavor: { vcpus: 1, memoryMb } })

test('if only the requests differ, the request is reported as the cause', async () => {
  const [a, b] = [await advised(memory(4_096)), await advised(memory(65_536))]
  const found = await compare(a.id, b.id)
  expect(found).toMatchObject({
    a: { id: a.id, outcome: 'PLACED' },
    b: { id: b.id, outcome: 'NO_VALID_HOST' },
    fidelity: 'REPLAYED',
    cause: 'SPEC',
    specChanges: [{ field: 'flavor.memoryMb', before: '4096', after: '65536' }],
    profileChanges: [],
    fleetChangedHosts: 0,
    trials: [{ factors: ['SPEC'], hosts: [], isSecond: true }, ...Array(3).fill({ isSecond: false, hosts: ['h1'] })],
  })
  expect(found.steps.find(({ filter }: Json) => filter === 'RamFilter')).toEqual({
    filter: 'RamFilter',
    aEntered: 3,
    aPassed: 3,
    bEntered: 3,
    bPassed: 0,
  })
  expect(found.flipped[0]).toEqual({
    hostName: 'h1',
    node: 'h1',
    a: 'SELECTED',
    b: 'FILTERED',
    because: 'In the second decision, RamFilter refused it. Memory: 65536 MiB needed by one instance; the host has 32768 MiB in total.',
  })
})

test('if an operator removed the host, the fleet is reported as the cause, with the count of differing hosts by field', async () => {
  const a = await advised(memory(2_048))
  await dataOf(api, `mutation { hostSetStatus(hosts: [{ host: "h1" }], status: DISABLED, reason: "disk") { __typename } }`)
  const b = await advised(memory(2_048))
  await dataOf(api, `mutation { hostSetStatus(hosts: [{ host: "h1" }], status: ENABLED, reason: "mended") { __typename } }`)
  const found = await compare(a.id, b.id)
  expect(found).toMatchObject({ cause: 'FLEET', fleetChangedHosts: 1, fleetChanges: [{ field: 'status', hosts: 1 }] })
  expect(found.text).toBe(
    'The first goes to h1, the second goes to h2. The cause is the state of the fleet: with the state of the fleet of the second alone, the first goes to h2 too.',
  )
})

test('if the profiles differ, the profile is reported as the cause, even if it was written after the first decision', async () => {
  const a = await advised(memory(1_024))
  const note = { note: 'packs' }
  const input = { filters: [{ name: 'RamFilter' }], weighers: [{ name: 'RAMWeigher', multiplier: -1 }], ...note }
  await dataOf(api, `mutation ($input: ProfileVersionInput!) { profileVersionCreate(profile: "packing", input: $input) { __typename } }`, {
    input,
  })
  const b = await advised(memory(1_024), { profile: 'packing' })
  const found = await compare(a.id, b.id)
  expect(found.cause).toBe('PROFILE')
  expect(found.profileChanges).toContainEqual({ field: 'weighers.RAMWeigher.multiplier', before: '1', after: '-1' })
  expect(found.steps.find(({ filter }: Json) => filter === 'ComputeFilter')).toMatchObject({ aPassed: 3, bPassed: null })
})

test('the state of a decision contains the claims of earlier decisions in the same entry', async () => {
  const place = () => placeWith(api, {}, memory(20_000))
  const [a, b] = await Promise.all([place(), place()])
  const hosts = [a, b].map((answer) => answer.destinations[0].selected.host.name)
  expect([...hosts].sort()).toEqual(['h1', 'h2'])
  const found = await compare(a.decision.id, b.decision.id)
  expect(found).toMatchObject({ cause: 'FLEET', flippedCount: 2 })
})

test('a decision compared with itself has no cause of a difference', async () => {
  const a = await advised(memory(512))
  expect(await compare(a.id, a.id)).toMatchObject({
    cause: 'NONE',
    text: expect.stringMatching(/^Both go to h\d\. Nothing differs\.$/),
    trials: [],
    flippedCount: 0,
  })
})

test.each([
  ['an invalid id', { a: 'no-such', b: 'no-such' }, 'a is "no-such"'],
  [
    'a decision that does not exist',
    { a: '00000000-0000-4000-8000-000000000000', b: '00000000-0000-4000-8000-000000000000' },
    'it must be the id of a decision',
  ],
])('a comparison with %s is refused with a message', async (_name, variables, message) => {
  const answer = await api.ask(COMPARE, variables)
  expect(answer.text).toContain(message.replaceAll('"', '\\"'))
})

test('an instance index that the requests do not have is refused with a message', async () => {
  const a = await advised(memory(512))
  const answer = await api.ask(COMPARE, { a: a.id, b: a.id, instance: 1 })
  expect([codeOf(answer), answer.text]).toEqual(['GRAPHQL_VALIDATION_FAILED', expect.stringContaining('it must be 0 to 0')])
})
