import type { FullStats, ResourceStats, ResourceStatsResult, StatsDelta } from '@gantt/client'
import { type Omittable, toFull } from '../report.ts'
import type { Machine } from './machines.ts'

/** A simulated machine with the state of its reports. */
export interface SimulatedHost {
  readonly name: string
  /** The time at which the next report is due, in milliseconds of the simulation's clock. */
  dueAt: number
  /** True while the last report has no answer. */
  readonly isUnderway: boolean
  /**
   * Creates the next report: a full report at first and whenever the service needs one, else a delta. With `moves`, the resource usage has
   * changed since the last report.
   */
  next(omittable: ReadonlySet<Omittable>, moves: boolean): ResourceStats
  /** Processes the answer to the last report. `result` is undefined if there was no answer. */
  take(result: ResourceStatsResult | undefined): void
}

export function createSimulatedHost({ name, picture, offer }: Machine, incarnation: string, random: () => number): SimulatedHost {
  let sequence = 0
  /** The sequence of the last accepted report. The next delta has the changes since this report. */
  let base: number | undefined
  let leftOut: ReadonlySet<Omittable> | undefined
  let use = { vcpusUsed: 0, memoryMbUsed: offer.reserved.memoryMb }
  const cpus = 'value' in picture.cpuCount ? picture.cpuCount.value : 0
  const move = (): void => {
    // A random count of instances with 2 CPUs and 4 GiB each is running now.
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
      // If no answer arrived, the service possibly accepted the report. In this case, the service refuses the next delta and requests a
      // full report.
      if (result?.__typename === 'ResourceStatsApplied') base = result.lastSequence ?? sequence
      else if (result !== undefined) base = undefined
    },
  }
}
