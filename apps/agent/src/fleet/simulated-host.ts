import type { FullStats, ResourceStats, ResourceStatsResult, StatsDelta } from '@gantt/client'
import { type Omittable, toFull } from '../report.ts'
import type { Machine } from './machines.ts'

/** What is stored about the reports of one simulated machine. */
export interface SimulatedHost {
  readonly name: string
  /** The time of the next report, in milliseconds of the fleet's clock. */
  dueAt: number
  /** Whether the last report has no answer yet. */
  readonly isUnderway: boolean
  /**
   * The next report. The first report is full, and so is one that the service requests; others have only the changes. With `moves`, the
   * resource usage changes first.
   */
  next(omittable: ReadonlySet<Omittable>, moves: boolean): ResourceStats
  /** Processes the answer to the last report; undefined if no answer came. */
  take(result: ResourceStatsResult | undefined): void
}

export function createSimulatedHost({ name, picture, offer }: Machine, incarnation: string, random: () => number): SimulatedHost {
  let sequence = 0
  /** The sequence of the last accepted report, which the next delta refers to. */
  let base: number | undefined
  let leftOut: ReadonlySet<Omittable> | undefined
  let use = { vcpusUsed: 0, memoryMbUsed: offer.reserved.memoryMb }
  const cpus = 'value' in picture.cpuCount ? picture.cpuCount.value : 0
  const move = (): void => {
    // Instances of 2 CPUs and 4 GiB start and stop at random.
    const guests = Math.floor(random() * (cpus / 2))
    use = { vcpusUsed: guests * 2, memoryMbUsed: offer.reserved.memoryMb + guests * 4_096 }
  }
  const whole = (omittable: ReadonlySet<Omittable>): FullStats => ({ ...toFull({ picture, at: '' }, offer, omittable), ...use })
  let isUnderway = false
  return {
    name,
    dueAt: 0,
    get isUnderway() {
      return isUnderway
    },
    next(omittable, moves) {
      isUnderway = true
      if (moves) move()
      sequence++
      const delta: StatsDelta = moves ? use : {}
      const isDelta = base !== undefined && leftOut === omittable
      leftOut = omittable
      return {
        name: { host: name },
        reporter: { incarnation, sequence },
        report: isDelta && base !== undefined ? { delta: { ...delta, baseSequence: base } } : { full: whole(omittable) },
      }
    },
    take(result) {
      isUnderway = false
      // A report without an answer may have taken effect. In that case the service requests a full report after the next delta.
      if (result?.__typename === 'ResourceStatsApplied') base = result.lastSequence ?? sequence
      else if (result !== undefined) base = undefined
    },
  }
}
