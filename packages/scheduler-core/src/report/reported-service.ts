import { memoByObject } from '../values/memo.ts'
import type { HostStats } from './stats.ts'
import { type Field, isJson, WireError, WireObject } from './versioned-object.ts'

/** The nova-compute service of a host: what operators set for it, and its last heartbeat. */
export interface HostService {
  readonly disabled: boolean
  /** Why operators disabled the service. */
  readonly disabledReason: string | null
  /** True if an operator or a monitoring system forced the service down. */
  readonly forcedDown: boolean
  /**
   * The time of the last heartbeat in milliseconds since 1970, or of the creation of the service if it has sent no heartbeat. Null if both
   * are unknown; the service is then treated as up.
   */
  readonly heartbeatAt: number | null
  /** All fields of Nova's Service document, by name. JsonFilter can read them. */
  readonly fields?: Readonly<Record<string, unknown>>
}

/** The nova-compute service in a host's report, parsed once for each report. Undefined if the report has no Service object. */
export const reportedService = (stats: HostStats): HostService | undefined =>
  stats.nova === null || stats.nova.service === null ? undefined : read(stats)

const read = memoByObject(({ nova }: HostStats) => (nova?.service ? readNovaService(nova.service) : undefined))

/** True if the service was disabled or forced down in Nova. Its host then gets no new instances. */
export const isServiceOut = (service: HostService | undefined): boolean => service !== undefined && (service.disabled || service.forcedDown)

/** True if the service is disabled or forced down, or if its data cannot be read. ComputeFilter examines such hosts more closely. */
export function isServiceSuspect(stats: HostStats): boolean {
  try {
    return isServiceOut(reportedService(stats))
  } catch {
    return true
  }
}

/** Reads Nova's Service object, with or without its envelope. A time without a time zone is UTC. Throws WireError. */
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
