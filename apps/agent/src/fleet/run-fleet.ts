import { randomUUID } from 'node:crypto'
import { type Clock, type Gantt, type ResourceStatsResult, systemClock } from '@gantt/client'
import type { Omittable } from '../report.ts'
import { machineAt } from './machines.ts'
import { createSimulatedHost, type SimulatedHost } from './simulated-host.ts'

export interface FleetOptions {
  readonly gantt: Gantt
  /** How many machines are simulated, 1 or more. */
  readonly machines: number
  /** The time between two reports of a machine, in milliseconds. */
  readonly intervalMs: number
  /** Which share of the reports has changed content, from 0 to 1. */
  readonly changing: number
  /** The prefix of the names of the machines. */
  readonly prefix: string
  /**
   * The simulation ends this many milliseconds after all machines sent their first report. If absent, the simulation runs until the signal
   * aborts.
   */
  readonly forMs?: number
  /** Ends the simulation after the running calls. */
  readonly signal: AbortSignal
  /** Called with a message about a problem. If the next problem has the same message, it is not called again. */
  readonly say: (line: string) => void
  readonly clock?: Clock
  readonly random?: () => number
}

/** What was measured during a simulation, from the time when all machines had sent their first report. */
export interface FleetFigures {
  readonly machines: number
  readonly elapsedMs: number
  readonly reports: number
  readonly calls: number
  /** How many reports the service refused. */
  readonly refused: number
  /** How many reports were sent in calls that failed. */
  readonly lost: number
  /** For each report, the time in milliseconds from when it was due until its answer arrived or its call failed, in ascending order. */
  readonly lagsMs: readonly number[]
  /** The size of all reports in bytes. The rest of the calls that contain the reports is not included. */
  readonly bytes: number
  /** CPU time of this process in milliseconds. */
  readonly cpuMs: number
}

const PER_CALL = 1_000
/** Reports that are due within this time are sent together. */
const TICK_MS = 50
const CALLS_AT_ONCE = 4

/**
 * Simulates machines that report. First each machine sends a full report, and then the measurement begins. The reports of the machines are
 * spread evenly over the interval. A machine sends its next report only after the answer to its last report, and its lag includes this
 * delay.
 */
export async function runFleet(options: FleetOptions): Promise<FleetFigures> {
  const { machines, intervalMs, forMs = Number.POSITIVE_INFINITY, prefix, signal, clock = systemClock, random = Math.random } = options
  const hosts = Array.from({ length: machines }, (_, i) => createSimulatedHost(machineAt(i, prefix), randomUUID(), random))
  const caller = createCaller(options, clock, random)
  for (let i = 0; i < hosts.length && !signal.aborted; i += PER_CALL) await caller.call(hosts.slice(i, i + PER_CALL))
  const tally = caller.measure()
  const [startedAt, cpuBefore] = [clock.now(), process.cpuUsage()]
  hosts.forEach((host, i) => {
    host.dueAt = startedAt + ((i + 1) * intervalMs) / machines
  })
  const underway = new Set<Promise<void>>()
  while (!signal.aborted && clock.now() < startedAt + forMs) {
    const due = takeDue(hosts, clock.now())
    if (due.length > 0) {
      const call = caller.call(due).finally(() => underway.delete(call))
      underway.add(call)
    }
    if (underway.size >= CALLS_AT_ONCE) await Promise.race(underway)
    else await clock.wait(TICK_MS, signal).catch(() => undefined)
  }
  await Promise.all(underway)
  const { user, system } = process.cpuUsage(cpuBefore)
  const lagsMs = [...tally.lagsMs].sort((a, b) => a - b)
  return { ...tally, lagsMs, machines, elapsedMs: clock.now() - startedAt, cpuMs: (user + system) / 1_000 }
}

/** Selects the machines for the next call. If more machines are due than fit into a call, the longest waiting machines are selected. */
export function takeDue(hosts: readonly SimulatedHost[], nowMs: number): readonly SimulatedHost[] {
  const due = hosts.filter(({ dueAt, isUnderway }) => dueAt <= nowMs && !isUnderway)
  return due.length <= PER_CALL ? due : due.sort((a, b) => a.dueAt - b.dueAt).slice(0, PER_CALL)
}

type Tally = Omit<FleetFigures, 'machines' | 'elapsedMs' | 'cpuMs' | 'lagsMs'> & { readonly lagsMs: number[] }
type Counted = { -readonly [Name in keyof Tally]: Tally[Name] }

interface Caller {
  /** Sends the next report of each machine in one call. Failures are logged and counted. */
  call(hosts: readonly SimulatedHost[]): Promise<void>
  /** Begins new counts at zero and returns them. Later calls add to the returned object. */
  measure(): Tally
}

function createCaller({ gantt, intervalMs, changing, signal, say }: FleetOptions, clock: Clock, random: () => number): Caller {
  let omittable: ReadonlySet<Omittable> = new Set()
  let askedAt = Number.NEGATIVE_INFINITY
  let lastError = ''
  const fresh = (): Counted => ({ reports: 0, calls: 0, refused: 0, lost: 0, bytes: 0, lagsMs: [] })
  let tally = fresh()
  const complain = (text: string): void => {
    if (text !== lastError) say(text)
    lastError = text
  }
  const learn = (result: ResourceStatsResult): void => {
    if (result.__typename !== 'ResourceStatsApplied' || result.required === undefined) return
    const needed = result.required.namespaces.find(({ namespace }) => namespace === 'compute')?.omittable ?? []
    if (needed.length !== omittable.size || needed.some((field) => !omittable.has(field))) omittable = new Set(needed)
  }
  const take = (host: SimulatedHost, result: ResourceStatsResult): void => {
    host.take(result)
    if (result.__typename === 'ResourceStatsApplied') return
    tally.refused++
    complain(`${host.name} was answered ${result.__typename}: ${result.message}`)
  }

  return {
    measure: () => {
      tally = fresh()
      return tally
    },
    async call(hosts) {
      const updates = hosts.map((host) => host.next(omittable, random() < changing))
      tally.calls++
      tally.reports += hosts.length
      for (const { report } of updates) tally.bytes += JSON.stringify(report).length
      // The list of needed fields is requested only once per interval.
      const required = clock.now() - askedAt >= intervalMs
      if (required) askedAt = clock.now()
      try {
        const { results } = await gantt.updateResourceStats(updates, { required, signal, deadlineMs: Math.max(10_000, intervalMs) })
        results.forEach((result, i) => void (hosts[i] && take(hosts[i], result)))
        if (required && results[0] !== undefined) learn(results[0])
      } catch (error) {
        for (const host of hosts) host.take(undefined)
        if (signal.aborted) return
        tally.lost += hosts.length
        complain(error instanceof Error ? error.message : String(error))
      } finally {
        const nowMs = clock.now()
        for (const host of hosts) {
          if (!signal.aborted) tally.lagsMs.push(nowMs - host.dueAt)
          host.dueAt += intervalMs
        }
      }
    },
  }
}
