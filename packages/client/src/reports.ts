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
   * Sends up to 1,000 reports. The result at index i is for the report at index i. Sending a report twice changes nothing, because the
   * service orders reports by incarnation and sequence.
   */
  updateResourceStats(updates: readonly ResourceStats[], options?: ReportOptions): Promise<UpdateResourceStatsResult>
  /** Sends heartbeats for hosts that have not changed since their last report. */
  heartbeat(hosts: readonly ResourceName[], options?: CallOptions): Promise<HeartbeatResult>
  /** Creates a reporter for one host. It stores the incarnation, the sequence, and which report was the last accepted one. */
  reporter(options: ReporterOptions): Reporter
}

export interface ReportOptions extends CallOptions {
  /**
   * If true, the answer to an accepted report lists which fields are needed (`required`). The default is false. A reporter always requests
   * this list.
   */
  readonly required?: boolean
}

export interface ReporterOptions {
  readonly name: ResourceName
  /** Returns the present full report. Called for the first report, and each time the service needs a full report. */
  full(): FullStats | Promise<FullStats>
  /** The incarnation of the reports. If absent, it is generated. A program must use a new incarnation after each start. */
  readonly incarnation?: string
}

/** Sends the reports of one host. Each report is sent only after the answer to the previous report. */
export interface Reporter {
  readonly incarnation: string
  /** The sequence of the last sent report. 0 before the first report. */
  readonly sequence: number
  /**
   * Sends the full report. `ResourceStatsStale` means that another reporter of the host was accepted since, and that the reports of this
   * incarnation are ignored.
   */
  report(options?: CallOptions): Promise<ResourceStatsResult>
  /**
   * Sends the changes since the last accepted report, or the full report if no report was accepted yet or the service no longer has the
   * last accepted report. `ResourceStatsStale` means the same as for `report`.
   */
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
        if (result === undefined) throw new Error('expected one result for the report, found none')
        return result
      }),
  }
}

function createReporter(
  { name, full, incarnation = crypto.randomUUID() }: ReporterOptions,
  send: (update: ResourceStats, options?: CallOptions) => Promise<ResourceStatsResult>,
): Reporter {
  let sequence = 0
  /** The sequence of the last accepted report of this incarnation. The next delta has the changes since that report. */
  let base: number | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const answer = turn.then(work)
    turn = answer.catch(() => undefined)
    return answer
  }
  const numbered = async (report: ResourceStats['report'], options?: CallOptions): Promise<ResourceStatsResult> => {
    sequence += 1
    const result = await send({ name, reporter: { incarnation, sequence }, report }, options)
    if (result.__typename === 'ResourceStatsApplied') base = result.lastSequence ?? sequence
    return result
  }
  const next = async (report: ResourceStats['report'], options?: CallOptions): Promise<ResourceStatsResult> => {
    const result = await numbered(report, options)
    if (result.__typename !== 'ResourceStatsStale' || result.lastSequence !== sequence) return result
    // Either a copy of this report whose answer was lost was accepted, or another reporter sent a report with the same sequence. The next
    // sequence shows which of both: it is accepted only after the own report.
    return await numbered('delta' in report ? { delta: { ...report.delta, baseSequence: sequence } } : report, options)
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
