import { copyFleet, type RequestSpec } from '@gantt/scheduler-core'
import { aLog, aReport, aRequest } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { CallerGoneError, duringCall } from '../../event-loop/query.ts'
import { nothingOutside } from '../../plugin/outside/outside.ts'
import type { Replica } from '../../replica/replica.ts'
import { UnavailableError } from '../../unavailable.ts'
import type { PlacedRequest } from '../placement/asked-request.ts'
import { createHypotheticals, type Hypothesis } from './hypothetical.ts'
import { createSimulations } from './simulate.ts'

const PRESENT: Hypothesis = { at: null, profile: null, profileChanges: null, overlay: null, deadlineMs: null }
const UNUSED = new Proxy({}, { get: (_, key) => expect.unreachable(`${String(key)} is not used`) }) as never

function aFleet(hosts: number) {
  const log = aLog()
  log.append(Array.from({ length: hosts }, (_, i) => aReport(`h${i}`)))
  return log.fleet
}

const openOn = (fleet: ReturnType<typeof aFleet>) =>
  createHypotheticals({ fleet, storeTime: fleet.now, freshest: async () => undefined } as never as Replica, UNUSED, {
    outside: nothingOutside,
    decisions: UNUSED,
  })

/** Requests of a query. `read` has the number of requests of which the named nodes were read, and the caller disconnects at the first. */
function requestsOf(count: number) {
  const gone = new AbortController()
  const read = new Set<number>()
  const requests = Array.from({ length: count }, (_, i): PlacedRequest => {
    const request: RequestSpec = Object.defineProperty({ ...aRequest() }, 'forceNodes', {
      enumerable: true,
      get() {
        read.add(i)
        gone.abort()
        return ['none']
      },
    })
    return { request, path: ['input', 'requests', String(i)] }
  })
  return { gone, read, requests }
}

test('if the caller disconnects while host names in requests are replaced, the other requests are not read', async () => {
  const { gone, read, requests } = requestsOf(1_000)
  await expect(duringCall(gone.signal, () => openOn(aFleet(2))(PRESENT, [], requests))).rejects.toThrow(CallerGoneError)
  expect(read.size).toBe(1)
})

test('if the caller disconnects while the requests of a simulation are parsed, the rest is not parsed', async () => {
  const gone = new AbortController()
  let parsed = 0
  const simulations = createSimulations(
    UNUSED,
    async ({ path }) => {
      if (++parsed === 5) gone.abort()
      return { request: aRequest(), path }
    },
    UNUSED,
  )
  const requests = Array.from({ length: 1_000 }, (_, i) => ({
    request: { spec: null, decisionId: 'd', path: ['input', 'requests', String(i)] },
    count: 1,
  }))
  await expect(duringCall(gone.signal, () => simulations.simulate({ ...PRESENT, requests, seed: null }))).rejects.toThrow(CallerGoneError)
  expect(parsed).toBe(5)
})

test.each([
  ['checked', { removeHosts: Array.from({ length: 2_000 }, (_, i) => `h${i % 2}`) }],
  ['applied', { addHosts: [{ likeHost: 'h0', count: 500 }] }],
])('if the edits are not %s before the deadline, the query is refused', async (_done, document) => {
  const fleet = aFleet(2)
  const open = openOn(copyFleet(fleet))
  const late = open({ ...PRESENT, overlay: { document, issues: [] } }, [], [], performance.now() - 10_000)
  await expect(late).rejects.toThrow(UnavailableError)
  await expect(late).rejects.toThrow('name fewer hosts and aggregates, or set a later deadline')
  expect(fleet.hosts.count).toBe(2)
})

test('a query without edits is opened after its deadline too, and isOver returns true', async () => {
  const { isOver } = await openOn(aFleet(2))(PRESENT, [], [], performance.now() - 10_000)
  expect(isOver()).toBe(true)
})
