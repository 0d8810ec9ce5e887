import type { OverLimit } from './claims.ts'
import type { CollectorState } from './collectors/collector.ts'
import type { CollectorError } from './collectors/processes/run-process.ts'
import type { Omittable } from './report.ts'

/** The form of a report. `question` is an empty delta whose answer has the list of needed fields. */
export type Form = 'full' | 'delta' | 'question' | 'heartbeat'

/** The events that an agent logs for its operators. */
export type AgentEvent =
  | { readonly event: 'remark'; readonly text: string }
  | { readonly event: 'reported'; readonly form: Form; readonly bytes: number; readonly sequence: number; readonly tookMs: number }
  | { readonly event: 'required'; readonly leavesOut: readonly Omittable[] }
  | { readonly event: 'superseded'; readonly text: string }
  | { readonly event: 'refused'; readonly text: string }
  | { readonly event: 'failed'; readonly text: string }
  | { readonly event: 'claims.over_limit'; readonly overLimits: readonly OverLimit[] }
  | { readonly event: 'claims.fit'; readonly claims: number }
  | { readonly event: 'claims.unchecked'; readonly text: string }
  | {
      readonly event: 'collector'
      readonly collector: string
      readonly namespace: string
      readonly state: CollectorState
      readonly error: CollectorError | null
    }
  | { readonly event: 'collector.unsent'; readonly namespace: string; readonly text: string }
  | ({ readonly event: 'counts' } & Counts)

/** What an agent has counted since it started. `looks` is the number of readings of the machine. */
export interface Counts {
  readonly looks: number
  readonly full: number
  readonly delta: number
  readonly question: number
  readonly heartbeat: number
  /** The size of all reports in bytes. The rest of the calls that contain the reports is not included. */
  readonly bytes: number
  /** How many readings ended in a failed call, a refused report, or a machine that could not be reported. */
  readonly failed: number
  /** CPU time of the agent in milliseconds. */
  readonly cpuMs: number
  /** The memory of the agent's process. */
  readonly memoryMib: number
}

/** Writes an event as one log line for people. */
export function toLine(event: AgentEvent): string {
  switch (event.event) {
    case 'reported':
      return `reported ${event.form === 'question' ? 'empty delta (asks which fields are needed)' : event.form}, ${event.bytes} B, sequence ${event.sequence}, ${event.tookMs} ms`
    case 'required':
      return event.leavesOut.length === 0 ? 'the profiles need every field' : `no profile needs ${event.leavesOut.join(', ')}: left out`
    case 'claims.over_limit':
      return event.overLimits.map(overLimitLine).join('\n')
    case 'claims.fit':
      return `claims on this host: ${event.claims}, none over a limit`
    case 'claims.unchecked':
      return `claims are not checked: ${event.text}`
    case 'collector':
      return collectorLine(event)
    case 'collector.unsent':
      return `the namespace ${event.namespace} was not sent: ${event.text}`
    case 'counts':
      return `${event.looks} readings: ${event.full} full, ${event.delta} delta, ${event.question} empty delta, ${event.heartbeat} heartbeat; ${event.bytes} B; ${event.failed} failed; ${event.cpuMs} ms CPU, ${event.memoryMib} MiB`
    default:
      return event.event === 'remark' ? event.text : `${event.event}: ${event.text}`
  }
}

export const overLimitLine = ({ what, unit, held, limit, claims }: OverLimit): string =>
  `claims over the limit: ${what} has ${limit} ${unit}, claims hold ${held}: ${claims.join(', ')}`

/** One line about a collector. The last error is shown only while it fails. */
function collectorLine({ collector, namespace, state, error }: Extract<AgentEvent, { event: 'collector' }>): string {
  const about = `collector ${collector} (namespace ${namespace})`
  switch (state) {
    case 'PAUSED':
      return `${about}: paused, because no profile reads the namespace`
    case 'SLOWED':
      return `${about}: slowed, because no profile reads the namespace`
    case 'FAILING':
      return `${about}: failing, ${error?.code ?? 'unknown'}: ${error?.text ?? ''}`
    default:
      return `${about}: ${state === 'SENDING' ? 'sending documents' : 'waiting'}`
  }
}
