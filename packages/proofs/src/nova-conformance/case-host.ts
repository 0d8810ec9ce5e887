import { type HostAggregate, type HostService, type HostState, hostStateOf, readNovaComputeNode } from '@gantt/scheduler-core/nova'
import { CaseFileError } from './cases.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * A host of a case with its ComputeNode, service, aggregates and instances. `aggregates` are the aggregates of the whole case. If the host
 * has no list of its own, those that list the host are used.
 */
export function readCaseHost(given: unknown, aggregates: readonly unknown[] = []): HostState {
  const host = asObject(given, 'host')
  const name = asText(host.host, 'host.host')
  const own = Array.isArray(host.aggregates) ? host.aggregates : aggregates.filter((one) => hostsOf(one).includes(name))
  return hostStateOf({
    host: name,
    node: asText(host.nodename, 'host.nodename'),
    cellUuid: typeof host.cell_uuid === 'string' ? host.cell_uuid : undefined,
    computeNode: readNovaComputeNode(host.compute_node).node,
    service: readService(asObject(host.service, 'host.service')),
    aggregates: own.map(readAggregate).sort((a, b) => a.id - b.id),
    instances: Array.isArray(host.instances) ? host.instances.map(String) : [],
  })
}

/** Parses a time of a case as milliseconds since 1970. A time without a suffix is in UTC. */
export function readTime(text: unknown): number {
  const time = typeof text === 'string' ? Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`) : Number.NaN
  if (Number.isNaN(time)) throw new CaseFileError(`${String(text)} is not a time; it must be of the form 2026-01-15T12:00:00`)
  return time
}

function readService(service: Json): HostService {
  const heartbeat = service.last_seen_up ?? service.created_at
  return {
    disabled: service.disabled === true,
    disabledReason: typeof service.disabled_reason === 'string' ? service.disabled_reason : null,
    forcedDown: service.forced_down === true,
    heartbeatAt: heartbeat === null || heartbeat === undefined ? null : readTime(heartbeat),
    fields: service,
  }
}

function readAggregate(given: unknown): HostAggregate & { readonly id: number } {
  const { id, uuid, name, metadata } = asObject(given, 'aggregate')
  const pairs = Object.entries(asObject(metadata ?? {}, 'aggregate.metadata')).map(([key, value]) => [key, String(value)] as const)
  return { id: Number(id), uuid: String(uuid), name: String(name), metadata: Object.fromEntries(pairs) }
}

const hostsOf = (aggregate: unknown): readonly unknown[] => {
  const { hosts } = asObject(aggregate, 'aggregate')
  return Array.isArray(hosts) ? hosts : []
}

export function asObject(value: unknown, what: string): Json {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { ...value }
  throw new CaseFileError(`${what} is ${JSON.stringify(value)}; it must be an object`)
}

export function asList(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new CaseFileError(`${what} is ${JSON.stringify(value)}; it must be a list`)
}

export function asText(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw new CaseFileError(`${what} is ${JSON.stringify(value)}; it must be a text`)
}
