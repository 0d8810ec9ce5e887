import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLivenessWatcher } from '../liveness/watcher.ts'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {}, h2: {} })
})
afterAll(() => api.close())

const stateOf = async (name: string): Promise<Json> =>
  (await dataOf(api, 'query ($name: String!) { host(name: $name) { state } }', { name })).host.state
const CONFIRM = `mutation ($hosts: [ResourceNameInput!]!) { livenessConfirm(hosts: $hosts, reason: "the rack has no power") { __typename
  ... on LivenessConfirmPayload { hosts { name state } } ... on UserError { message } } }`
const confirm = async (host: string): Promise<Json> => (await dataOf(api, CONFIRM, { hosts: [{ host }] })).livenessConfirm
/** A look at the hosts when they have been silent for so long. */
async function look(silentForMs: number): Promise<void> {
  const now = 10_000_000
  const watcher = createLivenessWatcher({
    replica: api.service.replica,
    source: {
      name: 'reports',
      heard() {},
      look: (conclude) => conclude({ now, listeningSince: 0, lastOf: () => now - silentForMs }, true),
      async close() {},
    },
    patience: { suspectAfterMs: 60_000, downAfterMs: 180_000 },
    everyMs: 0,
    warn() {},
  })
  await watcher.look()
  await watcher.close()
}

test('a silent host is SUSPECT, then DOWN and takes nothing new; its claims stay, and a heartbeat brings it back at once', async () => {
  const placed = await placeWith(api, { claim: { mode: 'CONFIRM' } }, { forceHosts: ['h1'] })
  const { id } = placed.destinations[0].selected.claim
  await look(61_000)
  expect([await stateOf('h1'), await stateOf('h2')]).toEqual(['SUSPECT', 'SUSPECT'])
  await look(181_000)
  expect(await stateOf('h1')).toBe('DOWN')
  const refused = await placeWith(api, {}, { forceHosts: ['h1'] })
  expect(refused.reasons.map(({ code }: Json) => code)).toContain('host.down')
  expect((await dataOf(api, 'query ($id: ID!) { claim(id: $id) { state } }', { id })).claim.state).toBe('CONFIRMED')
  const { hostHeartbeat } = await dataOf(api, 'mutation { hostHeartbeat(hosts: [{ host: "h1" }, { host: "nobody" }]) { heard unknown } }')
  expect(hostHeartbeat).toEqual({ heard: 1, unknown: ['nobody'] })
  expect([await stateOf('h1'), await stateOf('h2')]).toEqual(['UP', 'DOWN'])
  // a report is a sign of life too
  await api.report({ h2: {} })
  expect(await stateOf('h2')).toBe('UP')
})

test('an operator confirms that silent hosts are down; not of one that is heard, nor of one that is not there', async () => {
  expect(await confirm('h1')).toMatchObject({ __typename: 'ValidationError', message: expect.stringContaining('SUSPECT') })
  expect(await confirm('nobody')).toMatchObject({ __typename: 'NotFound' })
  await look(61_000)
  expect(await confirm('h1')).toEqual({ __typename: 'LivenessConfirmPayload', hosts: [{ name: 'h1', state: 'DOWN' }] })
  const { liveness } = await dataOf(api, '{ liveness { source suspectAfter up suspect down withheld { name } warning } }')
  expect(liveness).toEqual({ source: 'static', suspectAfter: 'PT1M', up: 0, suspect: 1, down: 1, withheld: [], warning: null })
})
