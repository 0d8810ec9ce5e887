import type { Steps } from '@gantt/scheduler-core'
import { aLog, aReport, type TestLog } from '@gantt/scheduler-core/testing'
import { describe, expect, test } from 'vitest'
import { createPause, runYielding } from '../../event-loop/pauses.ts'
import { handTimers } from '../../testing/hand-timers.ts'
import type { Timers } from '../../timers.ts'
import { InputFault } from '../calls/outcome.ts'
import { type FleetColumn, fleetColumns } from './fleet-columns.ts'
import { checkDeltaOptions, createFleetDeltas, type DeltaOptions, type FleetDelta, type StepRunner } from './fleet-deltas.ts'

const columns: readonly FleetColumn[] = ['CPU_FREE', 'AZ']

/** Work that never yields. */
const atOnce: StepRunner = {
  pause: () => undefined,
  run: (work) => runYielding(work, { now: () => 0, after: () => () => {}, every: () => () => {} }),
  turn: () => Promise.resolve(),
}

/** Creates readers of a log to which the test appends. */
function deltasOf(log: TestLog, runner: StepRunner = atOnce, timers = handTimers()) {
  let hear: (ordinals: readonly number[]) => void = () => {}
  const readerOf = createFleetDeltas({
    replica: log,
    touched: (listener) => {
      hear = listener
      return () => {
        hear = () => {}
      }
    },
    runner,
    timers,
  })
  return { readerOf, timers, hear: (ordinals: readonly number[]): void => hear(ordinals) }
}

/** Opens a stream of changes of a log, and collects all events. */
function follow(log: TestLog, { after = log.fleet.place.revision, intervalMs = 1_000, asked = columns } = {}) {
  const deltas: FleetDelta[] = []
  const { readerOf, hear, timers } = deltasOf(log)
  const reader = readerOf({ columns: asked, after, intervalMs })
  const stop = reader.listen(() => {
    void reader.read().then((delta) => {
      if (delta !== undefined) deltas.push(delta)
    })
  })
  return {
    deltas,
    stop,
    timers,
    pass: (ms: number) => passOf(timers, ms),
    /** Applies a report of one host and notifies the stream. */
    report(host: string, sequence: number, vcpusUsed: number) {
      log.append([aReport(host, { vcpusUsed }, sequence)])
      hear([log.fleet.hosts.find({ host, node: host })?.index ?? -1])
    },
  }
}

/** Advances the timers, and then resolves when the readers that became due have read. */
function passOf(timers: ReturnType<typeof handTimers>, ms: number): Promise<void> {
  timers.pass(ms)
  return new Promise((resolve) => void setImmediate(resolve))
}

function aPair(): TestLog {
  const log = aLog()
  log.append([aReport('h1')])
  log.append([aReport('h2')])
  return log
}

const freeOf = ({ columns: [free] }: FleetDelta) => [...(free?.data ?? [])]

describe('a stream of changes', () => {
  test('a stream of changes sends nothing while nothing changes', async () => {
    const { deltas, pass } = follow(aPair())
    await pass(60_000)
    expect(deltas).toEqual([])
  })

  test('a host that changed several times within an interval is reported once, in its latest state', async () => {
    const { deltas, report, pass } = follow(aPair())
    report('h2', 2, 1)
    report('h2', 3, 2)
    report('h3', 1, 4)
    await pass(999)
    expect(deltas).toEqual([])
    await pass(1)
    expect(deltas.map(({ from, to, names, gap }) => ({ from, to, names, gap }))).toEqual([
      { from: 2, to: 5, names: ['h2', 'h3'], gap: null },
    ])
    expect([...(deltas[0] as FleetDelta).ordinals]).toEqual([1, 2])
    expect(freeOf(deltas[0] as FleetDelta)).toEqual([14, 12])
    report('h1', 2, 3)
    await pass(1_000)
    expect(deltas[1]).toMatchObject({ from: 5, to: 6, names: ['h1'] })
  })

  test('a stream of changes begins with the changes after the revision that the reader has', async () => {
    const { deltas, pass } = follow(aPair(), { after: 1 })
    await pass(0)
    expect(deltas).toMatchObject([{ from: 1, to: 2, names: ['h2'], gap: null }])
  })

  test('the stream for a reader that is ahead of the replica begins with a gap and continues from the present revision', async () => {
    const { deltas, report, pass } = follow(aPair(), { after: 9 })
    await pass(0)
    expect(deltas).toMatchObject([{ from: 9, to: 2, names: [], gap: { missedFrom: 9, resumeAt: 2 } }])
    report('h1', 2, 3)
    await pass(1_000)
    expect(deltas[1]).toMatchObject({ from: 2, to: 3, names: ['h1'], gap: null })
  })

  test('a stream that was stopped sends nothing, even if changes are pending', async () => {
    const { deltas, report, stop, timers, pass } = follow(aPair())
    report('h1', 2, 3)
    stop()
    await pass(60_000)
    expect([deltas, timers.running]).toEqual([[], 0])
  })

  test('an event has the present attributes of a host, without those that its latest report omits', async () => {
    const log = aLog()
    log.append([aReport('h1', { cpuInfo: { model: 'EPYC Milan' } })])
    log.append([aReport('h2')])
    const { deltas, report, pass } = follow(log, { after: 0, asked: ['CPU_MODEL'] })
    await pass(0)
    report('h1', 2, 3)
    await pass(1_000)
    expect(deltas.map(({ dictionaries, columns: [model] }) => ({ dictionaries, codes: [...(model?.data ?? [])] }))).toEqual([
      { dictionaries: [{ column: 'CPU_MODEL', values: ['EPYC Milan'], sets: [[0], []] }], codes: [0, 1] },
      { dictionaries: [{ column: 'CPU_MODEL', values: [], sets: [[]] }], codes: [0] },
    ])
  })

  test('a slow reader gets all changes since its last event in one event, with the present state of each host', async () => {
    const log = aPair()
    const { readerOf, hear, timers } = deltasOf(log)
    const reader = readerOf({ columns, after: 0, intervalMs: 1_000 })
    let due = 0
    reader.listen(() => void due++)
    for (const [host, sequence, vcpusUsed] of [
      ['h1', 2, 1],
      ['h3', 1, 2],
      ['h1', 3, 5],
    ] as const) {
      log.append([aReport(host, { vcpusUsed }, sequence)])
      hear([log.fleet.hosts.find({ host, node: host })?.index ?? -1])
      timers.pass(1_000)
    }
    expect(due).toBe(4)
    const merged = (await reader.read()) as FleetDelta
    expect(merged).toMatchObject({ from: 0, to: 5, names: ['h1', 'h2', 'h3'], gap: null })
    expect(freeOf(merged)).toEqual([11, 16, 14])
    expect(await reader.read()).toBeUndefined()
  })

  test('a host that left while other hosts changed is listed once', async () => {
    const log = aPair()
    const { readerOf, hear } = deltasOf(log)
    const reader = readerOf({ columns, after: 2, intervalMs: 1_000 })
    reader.listen(() => {})
    log.append([aReport('h1', { vcpusUsed: 1 }, 2)])
    hear([0])
    log.append([{ type: 'forget', hosts: [{ host: 'h1', node: 'h1' }], isForced: false, reason: 'scrapped' }])
    hear([0, 1])
    expect(await reader.read()).toMatchObject({ names: ['h2'], left: [0], to: 4 })
  })
})

function* counted<Result>(work: Steps<Result>, note: () => void): Steps<Result> {
  for (;;) {
    note()
    const step = work.next()
    if (step.done) return step.value
    yield
  }
}

describe('if one entry touches every host and many streams are open', () => {
  const HOSTS = 2_000

  /** Streams on a loop whose clock advances by a millisecond at each read, so a turn has few steps. */
  async function manyStreams(options: readonly Pick<DeltaOptions, 'columns'>[]) {
    let now = 0
    const due: (() => void)[] = []
    const timers: Timers = {
      now: () => now++,
      after(_ms, callback) {
        due.push(callback)
        return () => undefined
      },
      every: () => () => undefined,
    }
    const log = aLog()
    for (let first = 0; first < HOSTS; first += 500)
      log.append(Array.from({ length: 500 }, (_, i) => aReport(`h${first + i}`, { vcpusUsed: 1 })))
    let [readings, steps] = [0, 0]
    const { readerOf, hear } = deltasOf(log, {
      pause: createPause(timers),
      run(work) {
        readings++
        return runYielding(
          counted(work, () => void steps++),
          timers,
        )
      },
      turn: () => new Promise((resolve) => void timers.after(0, resolve)),
    })
    const readers = options.map((one) => readerOf({ ...one, after: log.fleet.place.revision, intervalMs: 100 }))
    const stops = readers.map((reader) => reader.listen(() => {}))
    hear(Array.from({ length: HOSTS }, (_, i) => i))
    let sent = 0
    const events = readers.map((reader) => reader.read().finally(() => void sent++))
    let [most, mostSent] = [steps, 0]
    while (due.length > 0) {
      const before = { steps, sent }
      for (const callback of due.splice(0)) callback()
      await new Promise<void>((resolve) => void setImmediate(resolve))
      most = Math.max(most, steps - before.steps)
      mostSent = Math.max(mostSent, sent - before.sent)
    }
    const all = await Promise.all(events)
    for (const stop of stops) stop()
    return { events: all, readings, steps, most, mostSent }
  }

  test('128 streams with equal columns read it once', async () => {
    const { events, readings, steps, most, mostSent } = await manyStreams(Array.from({ length: 128 }, () => ({ columns })))
    expect(readings).toBe(1)
    expect(new Set(events.map((event) => event?.columns)).size).toBe(1)
    expect(events[0]?.names).toHaveLength(HOSTS)
    // each step reads or sorts a few hundred hosts
    expect(steps).toBeGreaterThan(HOSTS / 512)
    expect(most).toBeLessThanOrEqual(5)
    expect(mostSent).toBe(1)
  })

  test('streams with different columns take turns', async () => {
    const { events, readings, most, mostSent } = await manyStreams(fleetColumns.slice(0, 12).map((column) => ({ columns: [column] })))
    expect(readings).toBe(12)
    expect(events.map((event) => event?.columns[0]?.name)).toEqual(fleetColumns.slice(0, 12))
    expect(most).toBeLessThanOrEqual(5)
    expect(mostSent).toBe(1)
  })
})

test.each([
  ['no column', { columns: [] }],
  ['a column twice', { columns: ['AZ', 'AZ'] as const }],
  ['an interval that is too short', { intervalMs: 99 }],
  ['an interval that is too long', { intervalMs: 60_001 }],
])('a stream with %s is refused', (_name, options) => {
  expect(() => checkDeltaOptions({ columns, after: 0, intervalMs: 1_000, ...options })).toThrow(InputFault)
})
