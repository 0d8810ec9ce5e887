import { checkpointOf, type HostIndex, restoreFleet } from '@gantt/scheduler-core'
import { aReport } from '@gantt/scheduler-core/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDecisionFeed } from '../../replica/follow/decision-feed.ts'
import { Replica } from '../../replica/replica.ts'
import { healReplica } from '../../replica/watch/heal.ts'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { realTimers } from '../../timers.ts'
import type { FleetDelta } from '../fleet/fleet-deltas.ts'
import { createWatch, type StreamArgs, type Watch } from './watch.ts'

const store = createMemoryStore()
const log = store.open()
let replica: Replica
let watch: Watch

beforeEach(async () => {
  replica = await Replica.start({ store: log, name: 'r', recordUnlogged: async () => {}, warn: (message) => expect.fail(message) })
  if (replica.fleet.hosts.count === 0) await replica.propose(['h1', 'h2', 'h3'].map((host) => aReport(host)))
  const feed = createDecisionFeed({
    own: { onDecision: () => () => {} },
    store: { unlogged: async () => [], findAll: async () => [] },
    hasOthers: () => false,
    caughtUp: async () => true,
    timers: realTimers,
    warn: (message) => expect.fail(message),
  })
  watch = createWatch(replica, { of: () => expect.unreachable('no decision is made') }, feed)
})
afterEach(async () => {
  watch.close()
  await replica.close()
})

const args = (): StreamArgs => ({ keyId: 'k', mayGoOn: () => true, over: new AbortController().signal })
const revision = (): number => replica.fleet.place.revision
const fleetFrom = (after: number) => watch.fleet({ ...args(), columns: ['STATUS'], after, intervalMs: 100 })
let sequence = 1
const report = async (host: string): Promise<void> => void (await replica.propose([aReport(host, { vcpusUsed: 1 }, ++sequence)]))

/** The status of each host of an event, and which hosts left the fleet. */
const shown = ({ names, columns: [status], dictionaries: [known], left }: FleetDelta) => ({
  status: Object.fromEntries(names.map((name, i) => [name, known?.values[status?.data[i] ?? -1]])),
  left: [...left],
})

/** Plants a wrong status of the first host, which no entry of the log set. */
const plant = (): void => {
  replica.fleet.hosts.columns.status[0 as HostIndex] = 1
}

const heal = async (): Promise<void> => {
  expect(await healReplica(replica, log.past, { from: undefined, dryRun: false })).toMatchObject({ count: 1, revision: revision() })
}

/** The next event of a stream. */
async function nextOf<Event>(stream: AsyncIterator<Event>): Promise<Event> {
  const { value, done } = await stream.next()
  if (done === true) throw new Error('the stream ended')
  return value
}

describe('an open stream learns of a heal, which changes hosts without a new entry', () => {
  test('fleetDeltas sends every host again, in its healed state', async () => {
    plant()
    const stream = fleetFrom(0)
    const [h2, h3] = ['ENABLED', 'ENABLED']
    expect(shown(await nextOf(stream))).toEqual({ status: { h1: 'DISABLED', h2, h3 }, left: [] })
    await heal()
    expect(shown(await nextOf(stream))).toEqual({ status: { h1: 'ENABLED', h2, h3 }, left: [] })
  })

  test('fleetDeltas sends a host that only the replaced fleet had as one that left', async () => {
    const stream = fleetFrom(revision())
    const { hosts, ...rest } = checkpointOf(replica.fleet)
    replica.adopt(restoreFleet({ ...rest, hosts: hosts.slice(0, 2) }))
    expect(shown(await nextOf(stream)).left).toEqual([2])
    expect(shown(await nextOf(fleetFrom(revision()))).left).toEqual([2])
  })

  test('hostChanged sends a gap, and later changes from the healed fleet', async () => {
    const stream = watch.hosts(args())
    plant()
    const first = nextOf(stream)
    await heal()
    expect(await first).toEqual({ revision: revision(), host: null, gap: { missedFrom: 0, resumeAt: revision() } })
    await report('h1')
    const { host } = await nextOf(stream)
    expect([host?.fleet === replica.fleet, host?.record.revision]).toEqual([true, revision()])
  })

  test('for a slow reader of hostChanged, the gap replaces the changes that wait', async () => {
    const stream = watch.hosts(args())
    await report('h1')
    plant()
    await heal()
    expect(await nextOf(stream)).toMatchObject({ host: null, gap: { missedFrom: 0, resumeAt: revision() } })
    await report('h2')
    expect((await nextOf(stream)).host?.record.host).toBe('h2')
  })

  test('decisions sends a gap, because a wrong state can have published or withheld decisions', async () => {
    const stream = watch.decisions({ ...args(), perSecond: 1 })
    plant()
    const first = nextOf(stream)
    await heal()
    expect(await first).toMatchObject({ decision: null, gap: { missedFrom: 0, resumeAt: revision() } })
  })
})

describe('a stream that continues from a revision up to that of the heal', () => {
  test('fleetDeltas begins with every host; from a later revision, only with the hosts that changed', async () => {
    plant()
    await heal()
    const healedAt = revision()
    for (const after of [healedAt, healedAt - 1]) {
      const event = await nextOf(fleetFrom(after))
      expect([Object.keys(shown(event).status), event.from, event.to, event.gap]).toEqual([['h1', 'h2', 'h3'], after, healedAt, null])
    }
    await report('h2')
    const stream = fleetFrom(revision())
    const next = nextOf(stream)
    await report('h3')
    expect(Object.keys(shown(await next).status)).toEqual(['h3'])
  })

  test('hostChanged begins with a gap; from a later revision, with the hosts that changed', async () => {
    plant()
    await heal()
    const gap = { missedFrom: 0, resumeAt: revision() }
    expect(await nextOf(watch.hosts({ ...args(), after: revision() }))).toMatchObject({ host: null, gap })
    await report('h2')
    const after = revision()
    await report('h3')
    expect((await nextOf(watch.hosts({ ...args(), after }))).host?.record.host).toBe('h3')
  })
})
