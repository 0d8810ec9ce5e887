import type { Calls } from './call.ts'
import {
  type FullStats,
  type HeartbeatResult,
  hostHeartbeat,
  type ResourceName,
  type ResourceStats,
  type ResourceStatsResult,
  type StatsDelta,
  type UpdateResourceStatsResult,
  updateResourceStats,
} from './documents/reports.ts'
import type { CallOptions } from './retry.ts'

export interface Reports {
  /**
   * Sends up to 1,000 reports; result i is for report i. The service orders them by incarnation and sequence, so
   * repeating one is harmless.
   */
  updateResourceStats(updates: readonly ResourceStats[], options?: ReportOptions): Promise<UpdateResourceStatsResult>
  /** Sends heartbeats of hosts that have nothing new to report. */
  heartbeat(hosts: readonly ResourceName[], options?: CallOptions): Promise<HeartbeatResult>
  /** Keeps incarnation, sequence and base of one host's reports. */
  reporter(options: ReporterOptions): Reporter
}

export interface ReportOptions extends CallOptions {
  /**
   * Whether the answers to accepted reports contain the fields that the next ones must have (`required`); a reporter
   * always requests this.
   */
  readonly required?: boolean
}

export interface ReporterOptions {
  readonly name: ResourceName
  /** Returns the full report at the time of the call: for the first report, and when the service needs it. */
  full(): FullStats | Promise<FullStats>
  /** Generated if absent: a program that restarts is another incarnation. */
  readonly incarnation?: string
}

/** Sends reports of one host one after the other, whatever the order of calls: a later one waits for the answer to the one before. */
export interface Reporter {
  readonly incarnation: string
  /** The sequence of the last report that was sent; 0 before the first. */
  readonly sequence: number
  /** Sends the full report. */
  report(options?: CallOptions): Promise<ResourceStatsResult>
  /** Sends the changes since the last accepted report; the full report if the service does not have that one. */
  change(delta: StatsDelta, options?: CallOptions): Promise<ResourceStatsResult>
}

export function createReports({ ask }: Calls): Reports {
  const send = async (
    updates: readonly ResourceStats[],
    { required = false, ...options }: ReportOptions = {},
  ): Promise<UpdateResourceStatsResult> => (await ask(updateResourceStats, { input: { updates }, required }, options)).updateResourceStats
  return {
    updateResourceStats: send,
    heartbeat: async (hosts, options) => (await ask(hostHeartbeat, { hosts }, options)).hostHeartbeat,
    reporter: (options) =>
      createReporter(options, async (update, how) => {
        const [result] = (await send([update], { ...how, required: true })).results
        if (result === undefined) throw new Error('the service answered no result for the report')
        return result
      }),
  }
}

function createReporter(
  { name, full, incarnation = crypto.randomUUID() }: ReporterOptions,
  send: (update: ResourceStats, options?: CallOptions) => Promise<ResourceStatsResult>,
): Reporter {
  let sequence = 0
  /** The last accepted report of this incarnation; a delta contains the changes since. */
  let base: number | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const answer = turn.then(work)
    turn = answer.catch(() => undefined)
    return answer
  }
  const next = async (report: ResourceStats['report'], options?: CallOptions): Promise<ResourceStatsResult> => {
    sequence += 1
    const result = await send({ name, reporter: { incarnation, sequence }, report }, options)
    if (result.__typename === 'ResourceStatsApplied') base = result.lastSequence ?? sequence
    // the first copy of a repeated report counted
    if (result.__typename === 'ResourceStatsStale' && result.lastSequence === sequence) base = sequence
    return result
  }
  const whole = async (options?: CallOptions): Promise<ResourceStatsResult> => next({ full: await full() }, options)
  return {
    incarnation,
    get sequence() {
      return sequence
    },
    report: (options) => inTurn(() => whole(options)),
    change: (delta, options) =>
      inTurn(async () => {
        if (base === undefined) return await whole(options)
        const result = await next({ delta: { ...delta, baseSequence: base } }, options)
        return result.__typename === 'ResourceStatsNeedFull' ? await whole(options) : result
      }),
  }
}
