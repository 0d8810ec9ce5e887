import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fleetSet } from '../hosts/testing/allocation.ts'
import type { HostShape } from '../testing/index.ts'
import { COUNTED_RESERVATIONS } from '../values/levels.ts'
import { COUNTED } from './counted.ts'
import { aNovaHost, byHand, M, OLD, plus, type Reserved, ROOM, S, type Size } from './testing/nova-host.ts'

type Host = ReturnType<typeof aNovaHost>
type Step = (host: Host) => void

const reserved =
  (key: string, size: Size, shape?: Reserved): Step =>
  ({ reserve }) =>
    reserve(key, size, shape)
const reported =
  (size: Size, instances: number, shape?: HostShape): Step =>
  ({ report }) =>
    report(size, instances, shape)

test.each<readonly [string, readonly Step[], readonly string[], Size]>([
  ['a rise by the reservation', [reserved('a', S), reported(plus(OLD, S), 2)], [], plus(OLD, S)],
  [
    'a larger rise, as for the overhead of the hypervisor',
    [reserved('a', S), reported(plus(OLD, S, [0, 64, 0]), 2)],
    [],
    plus(OLD, S, [0, 64, 0]),
  ],
  ['two instances at once', [reserved('a', S), reserved('b', M), reported(plus(OLD, S, M), 3)], [], plus(OLD, S, M)],
  ['no rise', [reserved('a', S), reported(OLD, 1)], ['a'], plus(OLD, S)],
  ['a rise of fewer CPUs', [reserved('a', S), reported(plus(OLD, [1, 2_048, 20]), 2)], ['a'], plus(OLD, S, [1, 2_048, 20])],
  ['a rise of less memory', [reserved('a', S), reported(plus(OLD, [2, 2_047, 20]), 2)], ['a'], plus(OLD, S, [2, 2_047, 20])],
  ['a rise of less disk', [reserved('a', S), reported(plus(OLD, [2, 2_048, 19]), 2)], ['a'], plus(OLD, S, [2, 2_048, 19])],
  ['a rise without another instance', [reserved('a', S), reported(plus(OLD, S), 1)], ['a'], plus(OLD, S, S)],
  ['a rise before the reservation', [reported(plus(OLD, S), 2), reserved('a', S), reported(plus(OLD, S), 2)], ['a'], plus(OLD, S, S)],
  ['an instance that starts while another one ends', [reserved('a', S), reported(S, 1)], ['a'], plus(S, S)],
  ['a fall, and then a rise', [reserved('a', S), reported([0, 0, 0], 0), reported(S, 1)], [], S],
  ['one of two equal reservations', [reserved('a', S), reserved('b', S), reported(plus(OLD, S), 2)], ['b'], plus(OLD, S, S)],
  [
    'two equal reservations of which the later one expires first',
    [reserved('a', S, { ttlMs: 60_000 }), reserved('b', S, { ttlMs: 30_000 }), reported(plus(OLD, S), 2)],
    ['a'],
    plus(OLD, S, S),
  ],
  [
    'a rise by the later of two reservations, which does not cover the earlier one',
    [reserved('a', M), reserved('b', S), reported(plus(OLD, S), 2)],
    ['a', 'b'],
    plus(OLD, M, S, S),
  ],
  [
    'a rise that was used already',
    [reserved('a', S), reported(plus(OLD, S), 2), reserved('b', S), reported(plus(OLD, S), 2)],
    ['b'],
    plus(OLD, S, S),
  ],
  [
    'a reservation whose caller did not ask for it',
    [({ reserve }) => reserve('a', S, { isPlain: true }), reported(plus(OLD, S), 2)],
    ['a'],
    plus(OLD, S, S),
  ],
  [
    'a confirmed claim of the instance that may have caused the rise',
    [reserved('a', S), ({ reserve }) => reserve('b', S, { mode: 'CONFIRM', isPlain: true }), reported(plus(OLD, S), 2)],
    ['a', 'b'],
    plus(OLD, S, S, S),
  ],
  [
    'a reservation that was confirmed',
    [
      reserved('a', S),
      ({ append, log }) =>
        expect(append({ type: 'confirm', claim: 'a', fence: log.fleet.ledger.claims.get('a')?.fence ?? 0 })).toBeUndefined(),
      reported(plus(OLD, S), 2),
    ],
    ['a'],
    plus(OLD, S, S),
  ],
  [
    'a reservation with a resource that no figure counts',
    [
      reserved('a', S, { grants: { classes: { VCPU: 2, MEMORY_MB: 2_048, DISK_GB: 20 }, gpu: [{ index: 0, milli: 1_000 }] } }),
      reported(plus(OLD, S), 2),
    ],
    ['a'],
    plus(OLD, S, S),
  ],
  [
    'usage that is computed from claims',
    [
      ({ append }) => expect(append({ type: 'usedFrom', host: 'h1', node: 'h1', usedFrom: 'CLAIMS', reason: 'test' })).toBeUndefined(),
      reserved('a', S),
      reported(plus(OLD, S), 2),
    ],
    ['a'],
    S,
  ],
  ['a report that lists instances', [reserved('a', S), reported(plus(OLD, S), 2, { instances: [] })], ['a'], plus(OLD, S, S)],
])('%s', (_what, steps, live, held) => {
  const host = aNovaHost()
  host.report(OLD, 1, { gpus: [{ index: 0 }] })
  for (const step of steps) step(host)
  expect([host.live(), host.held()]).toEqual([live, held])
})

/** A report in Nova's form, whose figures count reserved amounts as used. */
const nova = {
  computeNode: {},
  ...{ service: null, cellUuid: null, flavors: {}, images: {} },
}
const reserving =
  (MEMORY_MB: number, version = 0): Step =>
  ({ append }) =>
    expect(append(fleetSet({ classes: { MEMORY_MB: { reserved: MEMORY_MB } } }, version))).toBeUndefined()

test.each<readonly [string, readonly Step[], readonly string[]]>([
  [
    'figures that rise from less than the reserve: only what exceeds the reserve counts as used',
    [reserving(3_000), reported([0, 100, 0], 1, { nova }), reserved('a', S), reported([2, 3_000, 20], 2, { nova })],
    ['a'],
  ],
  [
    'figures that rise by the amounts above the reserve',
    [reserving(512), reported([0, 512, 0], 0, { nova }), reserved('a', S), reported([2, 2_560, 20], 1, { nova })],
    [],
  ],
  [
    'a reserve that was set after the report before',
    [reported([0, 512, 0], 0, { nova }), reserved('a', S), reserving(512), reported([2, 2_560, 20], 1, { nova })],
    [],
  ],
  [
    'an inventory that states another use than the plain field',
    [
      reported([0, 0, 0], 0),
      reserved('a', S),
      reported([2, 2_048, 20], 1, { inventories: [{ resourceClass: 'MEMORY_MB', total: ROOM.memoryMb, used: 1_000 }] }),
    ],
    ['a'],
  ],
])('%s', (_what, steps, live) => {
  const host = aNovaHost()
  host.report([0, 0, 0], 0)
  for (const step of steps.slice(0, -1)) step(host)
  const before = host.held()
  steps.at(-1)?.(host)
  expect(host.live()).toEqual(live)
  // no report makes the host look emptier because reservations end
  expect(host.held().every((amount, at) => amount >= (before[at] ?? 0))).toBe(true)
})

test.each(byHand)('after a call (%s) about a reservation whose instance was counted, the amounts of another are still held', (how) => {
  const host = aNovaHost()
  host.report(OLD, 1)
  host.reserve('first', S, { ttlMs: 30_000 })
  host.reserve('second', S, { ttlMs: 60_000 })
  // the instance of the second reservation starts; the first one, which expires earlier, ends in its place
  host.report(plus(OLD, S), 2)
  expect(host.live()).toEqual(['second'])
  host.call(how, 'second')
  if (how === 'confirm') host.call('release', 'second')
  // the instance of the first reservation is still to start
  expect(host.held()).toEqual(plus(OLD, S, S))
})

test('a reservation that its host counts ends as RELEASED, with its reason', () => {
  const host = aNovaHost()
  host.report(OLD, 1)
  host.reserve('a', S)
  host.report(plus(OLD, S), 2)
  const claim = host.log.fleet.ledger.claims.get('a')
  expect(claim).toMatchObject({ state: 'RELEASED', reason: COUNTED, endedAt: host.log.fleet.now })
})

test('below the feature level a proposal with this condition is not written, and no figures end a reservation', () => {
  const host = aNovaHost(COUNTED_RESERVATIONS - 1)
  host.report(OLD, 1)
  host.reserve('a', S)
  host.report(plus(OLD, S), 2)
  expect(host.live()).toEqual(['a'])
})

/**
 * A host of Nova, whose instances all start because of a reservation, and before it expires. A report follows each start at once, as Nova's
 * compute service sends it; the end of an instance is reported at once or with the next report. Callers can release a reservation before
 * its instance starts, while it starts, and afterwards.
 */
type Act =
  | { readonly act: 'reserve'; readonly size: Size; readonly ttlMs: number }
  | { readonly act: 'call'; readonly which: number; readonly how: (typeof byHand)[number] }
  | { readonly act: 'start'; readonly which: number; readonly ends: number | null }
  | { readonly act: 'end'; readonly which: number; readonly isReported: boolean }
  | { readonly act: 'pass'; readonly ms: number }

const size = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 3 }))
const acts = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant('reserve' as const), size, ttlMs: fc.integer({ min: 1, max: 100 }) }),
    fc.record({
      act: fc.constant('start' as const),
      which: fc.nat(20),
      ends: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, fc.nat(20)),
    }),
    fc.record({ act: fc.constant('call' as const), which: fc.nat(20), how: fc.constantFrom(...byHand) }),
    fc.record({ act: fc.constant('end' as const), which: fc.nat(20), isReported: fc.boolean() }),
    fc.record({ act: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 30 }) }),
  ),
  { maxLength: 40, size: 'max' },
)

test('if every instance starts within its reservation, the host never counts less than runs and is still to start', () => {
  fc.assert(
    fc.property(acts, (history: readonly Act[]) => {
      const host = aNovaHost()
      let running: Size[] = []
      let waiting: { readonly id: string; readonly size: Size; readonly until: number }[] = []
      /** Reservations that a caller ended. Its instance can have begun to start before, but nobody else needs its amounts. */
      const ended = new Set<string>()
      host.report([0, 0, 0], 0)
      const report = (): void => host.report(plus(...running), running.length)
      for (const [i, one] of history.entries()) {
        if (one.act === 'reserve') {
          host.reserve(`c${i}`, one.size, { ttlMs: one.ttlMs })
          waiting.push({ id: `c${i}`, size: one.size, until: host.log.fleet.now + one.ttlMs })
        } else if (one.act === 'start') {
          const ready = waiting.filter(({ until }) => until > host.log.fleet.now + 1)
          const started = ready[one.which % Math.max(1, ready.length)]
          if (started === undefined) continue
          waiting = waiting.filter((each) => each !== started)
          if (one.ends !== null) running = running.filter((_, at) => at !== (one.ends ?? 0) % running.length)
          running.push(started.size)
          report()
        } else if (one.act === 'end') {
          running = running.filter((_, at) => at !== one.which % running.length)
          if (one.isReported) report()
        } else if (one.act === 'call') {
          const live = host.live()
          const id = live[one.which % live.length]
          if (id === undefined) continue
          host.call(one.how, id)
          if (one.how !== 'confirm') ended.add(id)
        } else {
          for (const id of host.lapsing()) host.append({ type: 'expire', claim: id }, one.ms)
        }
        waiting = waiting.filter(({ until }) => until > host.log.fleet.now)
        const needed = plus(...running, ...waiting.filter(({ id }) => !ended.has(id)).map((each) => each.size))
        expect(host.held().every((amount, at) => amount >= (needed[at] ?? 0))).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})
