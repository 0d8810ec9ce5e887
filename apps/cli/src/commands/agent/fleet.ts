import { runFleet } from '@gantt/agent'
import { type ConnectionFlags, connectForLong } from '../../call/connection.ts'
import { EXIT } from '../../call/failure.ts'
import { note, type Result } from '../../output/output.ts'
import { toPairs } from '../../output/table.ts'
import { stopped } from './stop-signal.ts'

interface FleetFlags extends ConnectionFlags {
  readonly name: string
  readonly fleet: number
  readonly interval: number
  readonly seconds?: number
  readonly changing: number
}

/** Simulates machines until a signal stops the command, or for a given time. Then prints the counts of their reports. */
export async function runSimulatedFleet({ name, fleet, interval, seconds, changing, ...flags }: FleetFlags): Promise<Result> {
  note(`${fleet} machines report each ${interval} s${seconds === undefined ? '; Ctrl+C ends it' : ` for ${seconds} s`}.`)
  const figures = await runFleet({
    gantt: connectForLong(flags),
    machines: fleet,
    intervalMs: interval * 1_000,
    changing: changing / 100,
    prefix: name,
    ...(seconds !== undefined && { forMs: seconds * 1_000 }),
    signal: stopped(),
    say: note,
  })
  const { reports, calls, refused, lost, lagsMs, elapsedMs, bytes, cpuMs } = figures
  const lag = { medianMs: quantile(lagsMs, 0.5), p99Ms: quantile(lagsMs, 0.99), mostMs: quantile(lagsMs, 1) }
  const rates = {
    reportsPerSecond: reports / (elapsedMs / 1_000),
    bytesPerReport: reports === 0 ? null : bytes / reports,
    cpuPercent: (cpuMs / elapsedMs) * 100,
  }
  return {
    lines: toPairs([
      ['machines', String(fleet)],
      [
        'reports',
        `${reports} in ${calls} calls, ${rates.reportsPerSecond.toFixed(1)} per second; ${refused} refused, ${lost} without an answer`,
      ],
      ['lag', `median ${shown(lag.medianMs)}, p99 ${shown(lag.p99Ms)}, maximum ${shown(lag.mostMs)}`],
      ['size', rates.bytesPerReport === null ? '-' : `${Math.round(rates.bytesPerReport)} B per report`],
      ['CPU of the fleet', `${rates.cpuPercent.toFixed(1)} % of one CPU`],
    ]),
    json: { machines: fleet, elapsedMs: Math.round(elapsedMs), reports, calls, refused, lost, lag, ...rates },
    exitCode: refused + lost > 0 ? EXIT.refused : EXIT.done,
  }
}

/** A quantile of numbers in ascending order; null if the list is empty. */
const quantile = (ascending: readonly number[], share: number): number | null =>
  ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? null

const shown = (ms: number | null): string => (ms === null ? '-' : `${Math.round(ms)} ms`)
