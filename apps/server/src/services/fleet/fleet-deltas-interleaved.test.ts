import { aLog, aReport } from '@gantt/scheduler-core/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { handTimers } from '../../testing/hand-timers.ts'
import { createStream, createWaitingList, readWhenDue } from '../watch/stream.ts'
import { createFleetDeltas, type FleetDelta, type StepRunner } from './fleet-deltas.ts'

/** More hosts than are read at once, so that changes of all hosts are read from a copy, in several steps. */
const HOSTS = 300
const INTERVAL_MS = 100

/** A runner whose work continues only when the test resolves a promise in `waiting`. */
function heldRunner() {
  const waiting: (() => void)[] = []
  const wait = (): Promise<void> => new Promise((resolve) => void waiting.push(resolve))
  const runner: StepRunner = {
    pause: wait,
    turn: wait,
    async run(work) {
      for (;;) {
        await wait()
        const step = work.next()
        if (step.done) return step.value
      }
    },
  }
  return { runner, waiting }
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

type Step =
  | { readonly type: 'report'; readonly hosts: readonly number[] }
  | { readonly type: 'report all' }
  | { readonly type: 'pass' }
  | { readonly type: 'go on'; readonly which: number }
  | { readonly type: 'open' }

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('report' as const), hosts: fc.uniqueArray(fc.nat(HOSTS - 1), { minLength: 1, maxLength: 3 }) }),
  fc.record({ type: fc.constant('report all' as const) }),
  fc.record({ type: fc.constant('pass' as const) }),
  fc.record({ type: fc.constant('go on' as const), which: fc.nat(20) }),
  fc.record({ type: fc.constant('open' as const) }),
)

/** A fleet whose streams are read in steps, and what each of its readers knows. */
function aScene() {
  const log = aLog()
  const timers = handTimers()
  const { runner, waiting } = heldRunner()
  let hear: (ordinals: readonly number[]) => void = () => {}
  const readerOf = createFleetDeltas({
    replica: log,
    touched(listener) {
      hear = listener
      return () => {
        hear = () => {}
      }
    },
    runner,
    timers,
  })
  const sequences: number[] = Array.from({ length: HOSTS }, () => 0)
  let used = 0
  const free: number[] = []
  /** The free CPUs of all hosts at each revision. */
  const states = new Map<number, readonly number[]>()
  /** The revisions at which each host changed. */
  const changes: number[][] = sequences.map(() => [])
  const report = (hosts: readonly number[]): void => {
    used = (used + 1) % 16
    log.append(
      hosts.map((host) => {
        sequences[host] = (sequences[host] ?? 0) + 1
        free[host] = 16 - used
        return aReport(`h${host}`, { vcpusUsed: used }, sequences[host])
      }),
    )
    const { revision } = log.fleet.place
    states.set(revision, [...free])
    for (const host of hosts) changes[host]?.push(revision)
    hear(hosts)
  }
  const all = Array.from({ length: HOSTS }, (_, host) => host)
  report(all)

  const readers: { readonly events: FleetDelta[]; readonly known: number[]; end(): Promise<unknown> }[] = []
  const open = (): void => {
    const after = log.fleet.place.revision
    const reader = readerOf({ columns: ['CPU_FREE'], after, intervalMs: INTERVAL_MS })
    const due = createStream<true>({
      start: (push) => reader.listen(() => push(true)),
      waiting: createWaitingList(() => [true]),
      ended: () => {},
    })
    const stream = readWhenDue(due, () => reader.read())
    const events: FleetDelta[] = []
    const known = [...free]
    let to = after
    const follow = async (): Promise<void> => {
      for await (const event of stream) {
        expect(event.from).toBe(to)
        to = event.to
        const { ordinals, columns } = event
        for (const [i, host] of [...ordinals].entries()) {
          // a host that has not changed since the last event would be sent twice
          expect(changes[host]?.some((revision) => revision > event.from && revision <= event.to)).toBe(true)
          known[host] = columns[0]?.data[i] ?? Number.NaN
        }
        // a host that changed and was not sent would be lost
        expect(known).toEqual(states.get(event.to))
        events.push(event)
      }
    }
    const followed = follow()
    readers.push({ events, known, end: () => stream.return().then(() => followed) })
  }
  const goOn = (which: number): void => {
    for (const go of waiting.splice(which % Math.max(1, waiting.length), 1)) go()
  }
  return {
    readers,
    free,
    async take(step: Step): Promise<void> {
      if (step.type === 'report') report(step.hosts)
      else if (step.type === 'report all') report(all)
      else if (step.type === 'pass') timers.pass(INTERVAL_MS)
      else if (step.type === 'go on') goOn(step.which)
      else if (readers.length < 3) open()
      await settled()
    },
    /** Lets all work end, and the intervals pass. */
    async drain(): Promise<void> {
      while (waiting.length > 0 || timers.running > 0) {
        if (waiting.length > 0) goOn(0)
        else timers.pass(INTERVAL_MS)
        await settled()
      }
    },
  }
}

test('no change is lost or sent twice, whenever it arrives while other changes are read', async () => {
  let events = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 40 }), async (steps) => {
      const scene = aScene()
      await scene.take({ type: 'open' })
      for (const step of steps) await scene.take(step)
      await scene.drain()
      for (const reader of scene.readers) {
        expect(reader.known).toEqual(scene.free)
        events += reader.events.length
        await reader.end()
      }
    }),
    { seed: 5, numRuns: byExtent(30, 300) },
  )
  expect(events).toBeGreaterThan(60)
})
