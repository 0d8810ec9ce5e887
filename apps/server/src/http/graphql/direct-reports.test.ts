import { createRandom, type Random } from '@gantt/scheduler-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADMIN_KEY, startTestService, type TestService } from '../../testing/test-service.ts'

const HOSTS = 200
const INCARNATION = '00000000-0000-4000-8000-000000000001'
const REPORT = `mutation Report($input: UpdateResourceStatsInput!) { updateResourceStats(input: $input) { appliedCount results { __typename
  ... on ResourceStatsApplied { unchanged lastSequence ignoredFields warnings { code subject } host { name } }
  ... on UserError { code message path } ... on ValidationError { issues { path rule message expected actual } } } } }`

type Members = Record<string, unknown>

/** Reports of all hosts, with more values than a call may have whose variables are checked at once. */
const reports = (sequence: number): Members[] =>
  Array.from({ length: HOSTS }, (_, i) => ({
    name: { host: `h${i}` },
    reporter: { incarnation: INCARNATION, sequence },
    report: {
      full: {
        ...{ vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 512, localGb: 1_024, localGbUsed: 0, hypervisorType: 'QEMU' },
        ...{ instances: [], traits: ['CUSTOM_FAST'], inventories: [{ resourceClass: 'CUSTOM_X', total: 4, reserved: 1 }] },
      },
    },
  }))

const wrongValues: readonly unknown[] = [null, -1, 1.5, 1e20, 'text', '', '\u0000', true, [], {}, [null], { a: 1 }, ['x'], 2 ** 40]

/** Replaces, adds or removes a member anywhere in the reports. */
function damage(random: Random, root: unknown): void {
  let value = root as Members | unknown[]
  for (;;) {
    const keys = Object.keys(value)
    const key = keys[random.below(keys.length)] ?? 'none'
    const inner = (value as Members)[key]
    if (typeof inner === 'object' && inner !== null && random.below(8) > 0) {
      value = inner as Members
      continue
    }
    const wrong = wrongValues[random.below(wrongValues.length)]
    const way = random.below(4)
    if (way === 0 && !Array.isArray(value)) delete (value as Members)[key]
    else if (way === 1 && !Array.isArray(value))
      (value as Members)[['delta', 'nova', 'bogus', '__proto__'][random.below(4)] as string] = wrong
    else (value as Members)[key] = wrong
    return
  }
}

/** Values that have the right type, and that the service refuses. */
const refusedMembers: readonly Members[] = [
  { vcpus: -1 },
  { traits: ['not a trait'] },
  { hypervisorType: '\u200b' },
  { inventories: [{ resourceClass: 'CUSTOM_X', total: 1, reserved: 2 }] },
  { omitted: ['TRAITS'] },
]

/** Replaces a member of a report by one that the service refuses. */
function refuse(random: Random, updates: Members[]): void {
  const { report } = updates[random.below(HOSTS)] as { readonly report: { readonly full: Members } }
  Object.assign(report.full, refusedMembers[random.below(refusedMembers.length)])
}

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  expect((await post(reports(1), 'application/json')).body).toContain(`"appliedCount":${HOSTS}`)
})
afterAll(() => api.close())

const post = async (updates: unknown, accept: string) => {
  const response = await fetch(api.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_KEY}`, 'x-request-id': 'same', accept },
    body: JSON.stringify({ query: REPORT, variables: { input: { updates } } }),
  })
  const { date: _, ...headers } = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: await response.text() }
}

/** Sends reports in both ways: Yoga answers calls with an unusual Accept header. Nothing may change between the calls. */
const both = async (updates: unknown) => {
  const yoga = await post(updates, 'application/json, text/plain')
  expect(await post(updates, 'application/json')).toEqual(yoga)
  return yoga
}

test('a batch of reports that change nothing is answered directly as by Yoga', async () => {
  expect((await both(reports(2))).body).toContain('"unchanged":true')
  expect((await both(reports(1))).body).toContain('ResourceStatsStale')
})

test('batches of reports with random damage are answered directly as by Yoga', async () => {
  const kinds = new Map<string, number>()
  for (let seed = 0; seed < 24; seed++) {
    const random = createRandom(`damaged reports ${seed}`)
    const updates = reports(2)
    for (let times = 1 + random.below(3); times > 0; times--) (seed % 2 === 0 ? damage : refuse)(random, updates)
    // the first call can change hosts
    await post(updates, 'application/json')
    const { status, body } = await both(updates)
    const kind = status === 200 && body.includes('ValidationError') ? 'refused reports' : String(status)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  expect([...kinds.keys()]).toEqual(expect.arrayContaining(['400', 'refused reports']))
})
