import {
  type Clock,
  type FullStats,
  type Gantt,
  type Reporter,
  type ResourceName,
  type ResourceStatsResult,
  systemClock,
} from '@gantt/client'
import { watchClaims } from './claims-watch.ts'
import { runCollectors } from './collectors/run-collectors.ts'
import type { CollectorSettings } from './collectors/settings.ts'
import type { AgentEvent, Counts, Form } from './events.ts'
import { type Picture, remarksOn } from './picture.ts'
import { changesOf, NotReportable, type Offer, type Omittable, toFull } from './report.ts'

export interface AgentOptions {
  readonly gantt: Gantt
  readonly name: ResourceName
  readonly offer: Offer
  /** Reads the machine. */
  readonly look: () => Picture
  /** The average time between two readings, in milliseconds. */
  readonly intervalMs: number
  readonly notify: (event: AgentEvent) => void
  /** Ends the agent. Before it ends, the agent logs its counts. */
  readonly signal: AbortSignal
  /**
   * Programs that collect documents of namespaces. If the list is empty, the states of collectors that an earlier agent reported are
   * removed. If it is absent, nothing is reported about collectors.
   */
  readonly collectors?: readonly CollectorSettings[]
  readonly clock?: Clock
  /** Returns a number from 0 to 1, like Math.random. */
  readonly random?: () => number
  /** Returns the time in milliseconds since 1970, for the times of measurements. */
  readonly now?: () => number
}

/** If the machine is unchanged, every sixth reading requests the list of needed fields. All other readings send a heartbeat. */
const READINGS_PER_QUESTION = 6
/** The longest pause after failures, in milliseconds. */
const MAX_PAUSE_MS = 60_000

/**
 * Reads the machine at each interval and reports changes, until the signal aborts. A report has the smallest form that can express the
 * changes. If an answer lists other needed fields than the previous answer, the next report follows at once. Failures are logged, and the
 * pauses after them grow. Only the signal ends the agent.
 */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { gantt, name, offer, intervalMs, notify, signal, clock = systemClock, random = Math.random, collectors: settings } = options
  const collectors =
    settings === undefined
      ? undefined
      : runCollectors({
          ...{ gantt, name, settings, notify, signal, clock, ...(options.now && { now: options.now }) },
          ask: async () => void (await machine.ask()),
        })
  const machine: MachineReporter = createMachineReporter({ ...options, onRequired: (namespaces) => collectors?.setRequired(namespaces) })
  let failures = 0
  await machine.reportNow()
  const watch = watchClaims({ gantt, name, offer, picture: () => machine.picture, notify, signal, clock })
  while (!signal.aborted) {
    const pauseMs =
      failures === 0 ? intervalMs * (0.9 + random() / 5) : Math.min(MAX_PAUSE_MS, intervalMs * 2 ** failures) * (0.5 + random() / 2)
    await clock.wait(pauseMs, signal).catch(() => undefined)
    if (signal.aborted) break
    failures = (await machine.reportNow()) ? 0 : Math.min(failures + 1, 10)
    watch.machineRead()
  }
  notify({ event: 'counts', ...machine.counts() })
  await Promise.all([watch.ended, collectors?.ended])
}

export interface MachineReporterOptions extends AgentOptions {
  /**
   * Called after each report that the service accepted, with the namespaces of which profiles read fields. Undefined if the answer does not
   * list them.
   */
  readonly onRequired?: (namespaces: readonly string[] | undefined) => void
}

export interface MachineReporter {
  /** The picture of the last reading. */
  readonly picture: Picture
  /**
   * Reads the machine and sends a report, and returns true. If the call fails, if the service refuses the report, or if the machine cannot
   * be reported, returns false and logs the problem, unless the last call failed with the same error.
   */
  reportNow(): Promise<boolean>
  /**
   * Sends an empty delta, whose answer lists what profiles read, without reading the machine. Sends nothing before the first report was
   * accepted. Returns and logs like `reportNow`.
   */
  ask(): Promise<boolean>
  counts(): Counts
  /** The error with which the last report failed. Undefined if the service answered. */
  readonly lastError: unknown
}

/** Creates the reporter of one machine. Each call of `reportNow` reads the machine once. */
export function createMachineReporter({
  gantt,
  name,
  offer,
  look,
  intervalMs,
  notify,
  signal,
  clock = systemClock,
  now = Date.now,
  onRequired,
}: MachineReporterOptions): MachineReporter {
  let picture = look()
  let before: Picture | undefined
  let reported: FullStats | undefined
  let next: FullStats | undefined
  let omittable: ReadonlySet<Omittable> = new Set()
  let remarks: readonly string[] = []
  let complaint = ''
  let lastError: unknown
  const counts = { looks: 0, full: 0, delta: 0, question: 0, heartbeat: 0, bytes: 0, failed: 0 }
  const report = (): FullStats => toFull({ picture, before, reported, at: new Date(now()).toISOString() }, offer, omittable)
  let isWhole = false
  const whole = (): FullStats => {
    isWhole = true
    return next ?? report()
  }
  const newReporter = (): Reporter => gantt.reporter({ name, full: whole })
  let reporter = newReporter()
  const how = { signal, deadlineMs: Math.max(1_000, intervalMs) }

  const count = (form: Form, document: unknown, startedAt: number): void => {
    const bytes = new TextEncoder().encode(JSON.stringify(document)).length
    counts[form]++
    counts.bytes += bytes
    notify({ event: 'reported', form, bytes, sequence: reporter.sequence, tookMs: Math.round(clock.now() - startedAt) })
  }
  /** Processes the answer to a report. Returns 'again' if another report must follow at once. */
  const take = (result: ResourceStatsResult, form: Form, document: unknown, startedAt: number): 'counted' | 'again' | 'refused' => {
    switch (result.__typename) {
      case 'ResourceStatsApplied': {
        reported = next
        if (isWhole) count('full', next, startedAt)
        else count(form, document, startedAt)
        onRequired?.(result.required?.namespaces.map(({ namespace }) => namespace))
        const needed = result.required?.namespaces.find(({ namespace }) => namespace === 'compute')
        const wanted = new Set(needed?.omittable ?? [])
        if (wanted.size === omittable.size && [...wanted].every((field) => omittable.has(field))) return 'counted'
        omittable = wanted
        notify({ event: 'required', leavesOut: [...wanted] })
        return 'again'
      }
      case 'ResourceStatsStale':
        // A new incarnation begins with a full report.
        notify({
          event: 'superseded',
          text: 'another agent has reported for this host; this agent starts a new incarnation of its reports',
        })
        reporter = newReporter()
        reported = undefined
        return 'again'
      case 'ResourceStatsNeedFull':
        reported = undefined
        return 'again'
      default: {
        const issues =
          result.__typename === 'ValidationError' ? result.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) : []
        notify({ event: 'refused', text: [result.message, ...issues].join('; ') })
        reported = undefined
        return 'refused'
      }
    }
  }
  const send = async (): Promise<'counted' | 'again' | 'refused'> => {
    const startedAt = clock.now()
    isWhole = false
    next = report()
    const changes = reported === undefined ? 'more' : changesOf(reported, next)
    if (changes === 'more') return take(await reporter.report(how), 'full', next, startedAt)
    if (changes !== 'nothing') return take(await reporter.change(changes, how), 'delta', changes, startedAt)
    if (counts.looks % READINGS_PER_QUESTION === 0) return take(await reporter.change({}, how), 'question', {}, startedAt)
    const { unknown } = await gantt.heartbeat([name], how)
    if (unknown.length > 0) {
      reported = undefined
      return 'again'
    }
    count('heartbeat', name, startedAt)
    return 'counted'
  }

  let turn: Promise<unknown> = Promise.resolve()
  /** Runs `work` after earlier calls, and logs its failure. */
  const inTurn = (work: () => Promise<boolean>): Promise<boolean> => {
    const done = turn.then(async () => {
      try {
        const isTaken = await work()
        complaint = ''
        lastError = undefined
        if (!isTaken) counts.failed++
        return isTaken
      } catch (error) {
        if (signal.aborted) return false
        counts.failed++
        // Possibly the service accepted the report, and only the answer was lost. The answer to the next report shows this.
        const text = error instanceof Error ? error.message : String(error)
        if (text !== complaint) notify({ event: error instanceof NotReportable ? 'refused' : 'failed', text })
        complaint = text
        lastError = error
        return false
      }
    })
    turn = done
    return done
  }
  const readAndReport = async (): Promise<boolean> => {
    if (counts.looks > 0) [before, picture] = [picture, look()]
    for (const text of remarksOn(picture).filter((remark) => !remarks.includes(remark))) notify({ event: 'remark', text })
    remarks = remarksOn(picture)
    counts.looks++
    let end = await send()
    // At most three reports are sent. If yet another report is needed, it follows at the next reading.
    for (let times = 0; end === 'again' && times < 2; times++) end = await send()
    return end !== 'refused'
  }
  const ask = async (): Promise<boolean> => {
    if (reported === undefined) return true
    const startedAt = clock.now()
    isWhole = false
    next = reported
    // if the answer requires another report, it follows at the next reading
    return take(await reporter.change({}, how), 'question', {}, startedAt) !== 'refused'
  }

  return {
    get picture() {
      return picture
    },
    async reportNow() {
      const isTaken = await inTurn(readAndReport)
      if (counts.looks % READINGS_PER_QUESTION === 0) notify({ event: 'counts', ...figures() })
      return isTaken
    },
    ask: () => inTurn(ask),
    counts: figures,
    get lastError() {
      return lastError
    },
  }

  function figures(): Counts {
    const { user, system } = process.cpuUsage()
    return { ...counts, cpuMs: Math.round((user + system) / 1_000), memoryMib: Math.round(process.memoryUsage.rss() / 2 ** 20) }
  }
}
