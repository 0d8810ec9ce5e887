import type { FullStats } from '@gantt/client'
import type { Load } from './picture.ts'
import { valueIn } from './readers/source.ts'

type Metric = NonNullable<FullStats['metrics']>[number]

const SOURCE = 'gantt-agent'

/**
 * By how much each measurement must differ from its last reported value to be reported again. Without such steps, values that fluctuate
 * slightly would cause a report at every reading.
 */
const STEPS: Readonly<Record<string, (reported: number) => number>> = {
  'cpu.percent': () => 0.05,
  'cpu.iowait.percent': () => 0.05,
  'load.1m': (reported) => Math.max(0.5, reported / 10),
  'memory.available.mb': (reported) => reported / 10,
}

/**
 * Computes the measurements of a machine. `at` is the time of the reading (RFC 3339). Shares are from 0 to 1, as in Nova. Shares of CPU
 * time are about the time since the reading `before`, so the first reading has no such shares. If a value differs from the reported value
 * by less than its step, the reported value and its time are repeated.
 */
export function metricsOf(
  load: Load,
  {
    before,
    reported = [],
    at,
  }: { readonly before: Load | undefined; readonly reported?: readonly Metric[] | null | undefined; readonly at: string },
): readonly Metric[] {
  return measure(load, before).map(([name, value]) => {
    const known = reported?.find((metric) => metric.name === name)
    const isChanged = known === undefined || Math.abs(value - known.value) >= (STEPS[name]?.(known.value) ?? 0)
    return isChanged ? { name, value, timestamp: at, source: SOURCE } : known
  })
}

function measure({ times, running, availableKib }: Load, before: Load | undefined): readonly (readonly [name: string, value: number])[] {
  const now = valueIn(times)
  const then = before && valueIn(before.times)
  const load = valueIn(running)
  const available = valueIn(availableKib)
  const ticks = now && then ? now.total - then.total : 0
  const waited = now && then ? now.iowait - then.iowait : 0
  const rested = now && then ? now.idle - then.idle : 0
  return [
    ...(ticks > 0
      ? ([
          ['cpu.percent', share(ticks - rested - waited, ticks)],
          ['cpu.iowait.percent', share(waited, ticks)],
        ] as const)
      : []),
    ...(load === undefined ? [] : ([['load.1m', load]] as const)),
    ...(available === undefined ? [] : ([['memory.available.mb', Math.floor(available / 1_024)]] as const)),
  ]
}

const share = (part: number, whole: number): number => Math.min(1, Math.max(0, Math.round((part / whole) * 100) / 100))
