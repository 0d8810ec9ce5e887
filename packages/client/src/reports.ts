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
   * Sends up to 1,000 reports. The result at index i is for the report at index i. The service orders reports by incarnation and sequence,
   * so sending one again changes nothing.
   */
  updateResourceStats(updates: readonly ResourceStats[], options?: ReportOptions): Promise<UpdateResourceStatsResult>
  /** Sends heartbeats of hosts that have nothing new to report. */
  heartbeat(hosts: readonly ResourceName[], options?: CallOptions): Promise<HeartbeatResult>
  /** Creates a reporter, which stores incarnation, sequence and base of one host's reports. */
  reporter(options: ReporterOptions): Reporter
}

export interface ReportOptions extends CallOptions {
  /** Whether the answers to accepted reports contain the list of needed fields (`required`). A reporter always requests this. */
  readonly required?: boolean
}

export interface ReporterOptions {
  readonly name: ResourceName
  /** Returns the present full report. It is called for the first report, and when the service needs a full one. */
  full(): FullStats | Promise<FullStats>
  /** The incarnation. Absent: a new one is generated. A program that restarts must begin a new incarnation. */
  readonly incarnation?: string
}

/** Sends the reports of one host one after the other. Each report waits for the answer to the previous one. */
export interface Reporter {
  readonly incarnation: string
  /** The sequence of the last report that was sent; 0 before the first one. */
  readonly sequence: number
  /** Sends the full report. */
  report(options?: CallOptions): Promise<ResourceStatsResult>
  /** Sends the changes since the last accepted report, or the full report if the service does not have that report. */
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
  /** The sequence of the last accepted report of this incarnation. A delta contains the changes since that report. */
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
    // The report was sent twice, and its first copy has taken effect.
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
