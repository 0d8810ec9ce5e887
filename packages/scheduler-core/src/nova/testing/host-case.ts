import { isJson, WireError } from '../../report/versioned-object.ts'
import { readNovaComputeNode } from '../objects/compute-node.ts'
import type { HostAggregate, HostState } from '../objects/host-state.ts'
import { hostStateOf } from '../parts/nova-host.ts'

type Json = Readonly<Record<string, unknown>>

/** Converts the host of a recorded case to a HostState. Throws WireError for a wrong value. */
export function readHostCase(value: unknown): HostState {
  const host = objectOf(value, 'host')
  const service = objectOf(host.service, 'host.service')
  return hostStateOf({
    host: String(host.host),
    node: String(host.nodename),
    cellUuid: String(host.cell_uuid),
    computeNode: readNovaComputeNode(host.compute_node).node,
    service: {
      disabled: service.disabled === true,
      disabledReason: typeof service.disabled_reason === 'string' ? service.disabled_reason : null,
      forcedDown: service.forced_down === true,
      heartbeatAt: timeOf(service.last_seen_up) ?? timeOf(service.created_at) ?? null,
      fields: service,
    },
    aggregates: listOf(host.aggregates).map(readAggregate),
    instances: listOf(host.instances).map(String),
  })
}

/** Parses a time of a recorded case. All times are in UTC, even if they have no `Z`. */
export function timeOf(text: unknown): number | undefined {
  return typeof text === 'string' ? Date.parse(text.endsWith('Z') ? text : `${text}Z`) : undefined
}

function readAggregate(value: unknown): HostAggregate {
  const { uuid, name, metadata } = objectOf(value, 'host.aggregates')
  const pairs = Object.entries(objectOf(metadata, 'host.aggregates.metadata'))
  return { uuid: String(uuid), name: String(name), metadata: Object.fromEntries(pairs.map(([key, word]) => [key, String(word)])) }
}

function objectOf(value: unknown, path: string): Json {
  if (isJson(value)) return value
  throw new WireError(path, value, 'an object')
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
