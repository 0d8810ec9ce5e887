import type { Change, HostReplaced } from '@gantt/scheduler-core'
import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Replica } from '../../replica/replica.ts'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { createHosts } from './hosts.ts'
import { createLeaving } from './leaving.ts'

// In these tests, a second call writes to the log after the tested call has read the fleet and before the tested call proposes its changes.
let replica: Replica
beforeEach(async () => {
  const store = createMemoryStore().open()
  replica = await Replica.start({ store, name: 'r', recordUnlogged: async () => {}, warn: (message) => expect.fail(message) })
  await replica.propose(['a', 'b'].map((host) => aReport(host, { vcpus: 8, memoryMb: 65_536, instances: [] })))
})
afterEach(() => replica.close())

const replaced: HostReplaced = {
  type: 'replace',
  hosts: [{ from: { host: 'a', node: 'a' }, to: { host: 'c', node: 'c' } }],
  reason: 'renamed',
}

/** Runs a function just before the next proposal. */
function beforeNext(meanwhile: () => Promise<unknown>): void {
  const propose = replica.propose.bind(replica)
  vi.spyOn(replica, 'propose').mockImplementationOnce(async (changes: readonly Change[]) => {
    await meanwhile()
    return propose(changes)
  })
}

const claim = (key: string) =>
  replica.place({
    ...{ account: 'nova', key, digest: key, profile: 'default', mode: 'CONFIRM', ttlMs: 120_000, deadlineMs: 120_000 },
    ...{ alternatesPerInstance: 0, request: aRequest({ vcpus: 1, forceHosts: ['a'] }), intent: 'CREATE', source: null, allOrNothing: true },
  })

test.each([
  ['status', () => createHosts(replica).setStatus({ hosts: both, status: 'DISABLED', reason: 'x', dryRun: false })],
  ['source of used amounts', () => createHosts(replica).setUsedFrom({ hosts: both, usedFrom: 'CLAIMS', reason: 'x', dryRun: false })],
])('setting the %s of hosts is answered with a conflict if one of the hosts was replaced in the meantime', async (_, set) => {
  beforeNext(() => replica.propose([replaced]))
  const refused = await set()
  expect(refused).toMatchObject({ type: 'invalid', code: 'CONFLICT', issues: [{ code: 'report.unknown_host', actual: 'a' }] })
  expect(refused).toHaveProperty('message', expect.stringContaining('The other 1 of 2 hosts are changed'))
  expect(await set()).toMatchObject({ type: 'done', impact: { hostsAffected: 2 } })
})
const both = [{ host: 'a' }, { host: 'b' }]

test('a claim created in the meantime prevents the removal of a host if the call states how many claims it expects', async () => {
  await claim('one')
  const forget = (expectedClaims: number | null) =>
    createLeaving(replica).forget({ hosts: [{ host: 'a' }], force: true, expectedClaims, reason: 'scrapped', dryRun: false })
  beforeNext(() => claim('two'))
  expect(await forget(1)).toMatchObject({ type: 'host-has-claims', claimCount: 2, path: ['expectedClaims'] })
  expect(replica.fleet.hosts.find({ host: 'a', node: 'a' })).toBeDefined()
  // the call accepts any count of claims, so all claims that ended are reported
  beforeNext(() => claim('three'))
  const states = ['REVOKED', 'REVOKED', 'REVOKED'].map((state) => ({ state }))
  expect(await forget(null)).toMatchObject({ type: 'done', impact: { claimCount: 3, claims: states } })
})
