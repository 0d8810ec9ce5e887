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
  /** Up to 1,000 reports; result i is for report i. Order and repeats are known by each report's incarnation and sequence: sending one again is harmless. */
  updateResourceStats(updates: readonly ResourceStats[], options?: ReportOptions): Promise<UpdateResourceStatsResult>
  /** These hosts are alive, and have nothing new to say. */
  heartbeat(hosts: readonly ResourceName[], options?: CallOptions): Promise<HeartbeatResult>
  /** Keeps incarnation, sequence and base of one host's reports. */
  reporter(options: ReporterOptions): Reporter
}

export interface ReportOptions extends CallOptions {
  /** Whether reports that are applied answer what the next ones must have (`required`); a reporter always asks. */
  readonly required?: boolean
}

export interface ReporterOptions {
  readonly name: ResourceName
  /** The whole picture, as it is when it is asked for: at the first report, and when the service needs it. */
  full(): FullStats | Promise<FullStats>
  /** Drawn anew where it is left out: a program that starts again is another incarnation. */
  readonly incarnation?: string
}

/** Reports of one host, one after the other however they are called: a later one waits for the answer to the one before. */
export interface Reporter {
  readonly incarnation: string
  /** The sequence of the last report that was sent; 0 before the first. */
  readonly sequence: number
  /** Sends the whole picture. */
  report(options?: CallOptions): Promise<ResourceStatsResult>
  /** Sends what changed since the report that counted last; the whole picture where the service does not have that one. */
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
    // a report that was sent twice counted the first time
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
