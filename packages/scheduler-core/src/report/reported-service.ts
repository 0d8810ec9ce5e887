import { memoByObject } from '../values/memo.ts'
import type { HostStats } from './stats.ts'
import { type Field, isJson, WireError, WireObject } from './versioned-object.ts'

/** The compute service on the host: its settings by operators, and its signs of life. */
export interface HostService {
  readonly disabled: boolean
  /** Why it is disabled, in the operator's words. */
  readonly disabledReason: string | null
  /** Forced down, by an operator or by monitoring. */
  readonly forcedDown: boolean
  /** Milliseconds since 1970 of the last sign of life; null: it is monitored in another way, and alive. */
  readonly heartbeatAt: number | null
  /** The other fields of Nova's Service document, by name; JsonFilter can read them. */
  readonly fields?: Readonly<Record<string, unknown>>
}

/** The service on a host according to Nova's document in the last report; undefined where there was none. Read once per report. */
export const reportedService = (stats: HostStats): HostService | undefined =>
  stats.nova === null || stats.nova.service === null ? undefined : read(stats)

const read = memoByObject(({ nova }: HostStats) => (nova?.service ? readNovaService(nova.service) : undefined))

/** Nothing new may go to a host whose service was disabled or forced down in Nova. */
export const isServiceOut = (service: HostService | undefined): boolean => service !== undefined && (service.disabled || service.forcedDown)

/**
 * False: the report contains nothing against the service. True: the service is out, or its data cannot be read, which
 * the filter then handles.
 */
export function isServiceSuspect(stats: HostStats): boolean {
  try {
    return isServiceOut(reportedService(stats))
  } catch {
    return true
  }
}

/** Nova's Service: an envelope, or its fields alone. Times are UTC, whether they say so or not. Throws WireError. */
export function readNovaService(value: unknown): HostService {
  const fields = isJson(value) && isJson(value['nova_object.data']) ? value['nova_object.data'] : value
  const service = new WireObject(
    { 'nova_object.name': 'Service', 'nova_object.version': '1.0', 'nova_object.data': fields },
    'service',
    'Service',
  )
  const heartbeat = timeOf(service.text('last_seen_up')) ?? timeOf(service.text('created_at'))
  return {
    disabled: service.flag('disabled') ?? false,
    disabledReason: service.text('disabled_reason') ?? null,
    forcedDown: service.flag('forced_down') ?? false,
    heartbeatAt: heartbeat ?? null,
    fields: isJson(fields) ? fields : {},
  }
}

function timeOf(text: Field<string>): number | undefined {
  if (text === undefined || text === null) return undefined
  const time = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)
  if (Number.isNaN(time)) throw new WireError('service.last_seen_up', text, 'a time such as 2026-01-15T12:00:00Z')
  return time
}
