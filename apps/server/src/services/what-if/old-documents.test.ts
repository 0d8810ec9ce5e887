import { examine, parseProfile, type RequestSpec } from '@gantt/scheduler-core'
import { aDocument, aReport, aRequest } from '@gantt/scheduler-core/testing'
import { afterEach, expect, test } from 'vitest'
import { nothingOutside } from '../../plugin/outside/outside.ts'
import { createHistory } from '../../replica/follow/history.ts'
import type { PlacementCall, UnloggedDecision } from '../../replica/propose/placement.ts'
import { Replica } from '../../replica/replica.ts'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { createExplain } from '../explanation/explain.ts'
import { createHypotheticals } from './hypothetical.ts'

/**
 * The rule: documents grow old although no entry is written to the log. Decisions, simulations and explanations of the present all use the
 * present time.
 */

const UNUSED = new Proxy({}, { get: (_, key) => expect.unreachable(`${String(key)} is not used`) }) as never
const PRESENT = { at: null, profile: 'trusting', profileChanges: null, overlay: null, deadlineMs: null }
const asked = { flavor: { vcpus: 1, memoryMb: 1_024, extraSpecs: { 'trust:trusted_host': 'trusted' } } }
const trusted = aRequest(asked)

let replica: Replica | undefined
afterEach(() => replica?.close())

const call = (key: string, request: RequestSpec): PlacementCall => ({
  ...{ account: 'nova', key, digest: key, request, profile: 'trusting', mode: 'RESERVE', ttlMs: 120_000, deadlineMs: 120_000 },
  ...{ alternatesPerInstance: 0, intent: 'CREATE', source: null, allOrNothing: true },
})

/** A replica on which the node h1 is attested at the present time. `wait` lets time pass without an entry in the log. */
async function open(profile: object = {}) {
  let time = 1_000_000
  const refused: UnloggedDecision[] = []
  const opened = await Replica.start({
    ...{ store: createMemoryStore(() => time).open(), name: 'r', warn: (message) => expect.fail(message) },
    recordUnlogged: async (decisions) => void refused.push(...decisions),
  })
  replica = opened
  const filters = [{ name: 'TrustedFilter', options: { 'trusted_computing.attestation_auth_timeout': 60 } }]
  const parsed = parseProfile({ name: 'trusting', number: 1, filters, weighers: [], ...profile })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  await opened.propose([aReport('h1', { hypervisorHostname: 'h1' })])
  await opened.propose([
    { type: 'profile', profile: parsed.value },
    { type: 'activate', name: 'trusting', number: 1 },
    aDocument('h1', 'attestation', { level: 'trusted', at: new Date(time).toISOString() }),
  ])
  const wait = async (ms: number) => {
    time += ms
    await expect.poll(() => opened.storeTime).toBeGreaterThanOrEqual(time)
  }
  return { replica: opened, wait, refused }
}

test.each([
  ['', {}],
  [" under Nova's rules", { compat: 'nova' }],
])('a node is not trusted longer than its attestation is valid%s, although the log is quiet', async (_rules, more) => {
  const { replica: one, wait, refused } = await open(more)
  expect(await one.place(call('k1', trusted))).toMatchObject({ type: 'placed' })
  await wait(61_000)
  const before = one.fleet.place.revision
  expect(await one.place(call('k2', trusted))).toMatchObject({
    type: 'refused',
    reasons: [{ filter: 'TrustedFilter', code: 'trust.level' }],
  })
  // an entry without changes has moved the time of the log, so the refusal is replayed on a fleet with this time
  expect(one.fleet.place.revision).toBe(before + 1)
  expect(refused.at(-1)?.place.basis).toBe(before + 1)
  // a request that requires no level is decided without such an entry
  await wait(61_000)
  const plain = await one.place(call('k3', aRequest({ vcpus: 1 })))
  expect([plain.type, one.fleet.place.revision]).toEqual(['placed', before + 2])
})

test('a simulation and an explanation of the present also use the present time, and write nothing', async () => {
  const { replica: one, wait } = await open()
  const openHypothetical = createHypotheticals(one, UNUSED, { outside: nothingOutside, decisions: UNUSED })
  const explain = createExplain(one, createHistory(UNUSED), UNUSED, nothingOutside)
  const codes = async () => {
    const { fleet, profile } = await openHypothetical(PRESENT)
    const [simulated] = examine(fleet, trusted, profile, 'seed').steps.flatMap(({ reasons }) => reasons)
    const explained = await explain.explain({ type: 'spec', spec: { document: asked, issues: [], path: [] } }, { profile: 'trusting' })
    const [found] = explained.steps.flatMap(({ reasons }) => reasons)
    return [simulated?.code, found?.code]
  }
  expect(await codes()).toEqual([undefined, undefined])
  await wait(61_000)
  const before = one.fleet.place.revision
  expect(await codes()).toEqual(['trust.level', 'trust.level'])
  expect([one.fleet.place.revision, one.fleet.now < one.storeTime - 60_000]).toEqual([before, true])
})
