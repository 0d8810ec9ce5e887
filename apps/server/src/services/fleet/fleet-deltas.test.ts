import { aLog, aReport, type TestLog } from '@gantt/scheduler-core/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { InputFault } from '../calls/outcome.ts'
import type { FleetColumn } from './fleet-columns.ts'
import { checkDeltaOptions, type FleetDelta, followFleet, mergeDeltas } from './fleet-deltas.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const columns: readonly FleetColumn[] = ['CPU_FREE', 'AZ']

/** Opens a stream of changes of a log to which the test appends, and collects all events. */
function follow(log: TestLog, { after = log.fleet.place.revision, intervalMs = 1_000, asked = columns } = {}) {
  const deltas: FleetDelta[] = []
  let hear: (ordinals: readonly number[]) => void = () => {}
  const stop = followFleet(
    log,
    { columns: asked, after, intervalMs },
    (listener) => {
      hear = listener
      return () => {
        hear = () => {}
      }
    },
    (delta) => deltas.push(delta),
  )
  return {
    deltas,
    stop,
    /** Applies a report of one host and notifies the stream. */
    report(host: string, sequence: number, vcpusUsed: number) {
      log.append([aReport(host, { vcpusUsed }, sequence)])
      hear([log.fleet.hosts.find({ host, node: host })?.index ?? -1])
    },
  }
}

function aPair(): TestLog {
  const log = aLog()
  log.append([aReport('h1')])
  log.append([aReport('h2')])
  return log
}

const freeOf = ({ columns: [free] }: FleetDelta) => [...(free?.data ?? [])]

describe('a stream of changes', () => {
  test('a stream of changes sends nothing while nothing changes', () => {
    const { deltas } = follow(aPair())
    vi.advanceTimersByTime(60_000)
    expect(deltas).toEqual([])
  })

  test('a host that changed several times within an interval is reported once, in its latest state', () => {
    const { deltas, report } = follow(aPair())
    report('h2', 2, 1)
    report('h2', 3, 2)
    report('h3', 1, 4)
    vi.advanceTimersByTime(999)
    expect(deltas).toEqual([])
    vi.advanceTimersByTime(1)
    expect(deltas.map(({ from, to, names, gap }) => ({ from, to, names, gap }))).toEqual([
      { from: 2, to: 5, names: ['h2', 'h3'], gap: null },
    ])
    expect([...(deltas[0] as FleetDelta).ordinals]).toEqual([1, 2])
    expect(freeOf(deltas[0] as FleetDelta)).toEqual([14, 12])
    report('h1', 2, 3)
    vi.advanceTimersByTime(1_000)
    expect(deltas[1]).toMatchObject({ from: 5, to: 6, names: ['h1'] })
  })

  test('a stream of changes begins with the changes after the revision that the reader has', () => {
    const { deltas } = follow(aPair(), { after: 1 })
    expect(deltas).toMatchObject([{ from: 1, to: 2, names: ['h2'], gap: null }])
  })

  test('the stream for a reader that is ahead of the replica begins with a gap and continues from the present revision', () => {
    const { deltas, report } = follow(aPair(), { after: 9 })
    expect(deltas).toMatchObject([{ from: 9, to: 2, names: [], gap: { missedFrom: 9, resumeAt: 2 } }])
    report('h1', 2, 3)
    vi.advanceTimersByTime(1_000)
    expect(deltas[1]).toMatchObject({ from: 2, to: 3, names: ['h1'], gap: null })
  })

  test('a stream that was stopped sends nothing, even if changes are pending', () => {
    const { deltas, report, stop } = follow(aPair())
    report('h1', 2, 3)
    stop()
    vi.advanceTimersByTime(60_000)
    expect([deltas, vi.getTimerCount()]).toEqual([[], 0])
  })

  test('an event has the present attributes of a host, without those that its latest report omits', () => {
    const log = aLog()
    log.append([aReport('h1', { cpuInfo: { model: 'EPYC Milan' } })])
    log.append([aReport('h2')])
    const { deltas, report } = follow(log, { after: 0, asked: ['CPU_MODEL'] })
    report('h1', 2, 3)
    vi.advanceTimersByTime(1_000)
    expect(deltas.map(({ dictionaries, columns: [model] }) => ({ dictionaries, codes: [...(model?.data ?? [])] }))).toEqual([
      { dictionaries: [{ column: 'CPU_MODEL', values: ['EPYC Milan'], sets: [[0], []] }], codes: [0, 1] },
      { dictionaries: [{ column: 'CPU_MODEL', values: [], sets: [[]] }], codes: [0] },
    ])
  })

  test('two events that a slow reader did not consume are merged into one with the present state of each of their hosts', () => {
    const log = aPair()
    const { deltas, report } = follow(log, { after: 0 })
    report('h1', 2, 1)
    vi.advanceTimersByTime(1_000)
    report('h3', 1, 2)
    report('h1', 3, 5)
    const merged = mergeDeltas(log, columns, deltas[0] as FleetDelta, deltas[1] as FleetDelta)
    expect(merged).toMatchObject({ from: 0, to: 3, names: ['h1', 'h2'], gap: null })
    expect(freeOf(merged)).toEqual([11, 16])
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
