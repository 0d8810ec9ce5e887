import type { QueryField } from './query.ts'

/**
 * The fields of a query about decisions. A bare word matches a part of the decision's id, of an instance, of a chosen host or of the
 * flavor's name, or the whole id of a request.
 */
export const decisionFields: readonly QueryField[] = [
  { name: 'id', kind: 'text', description: 'its id, the id of a request that it answered, or uuid of an instance' },
  { name: 'request', kind: 'text', description: 'id of a request that it answered, as X-Request-Id has it' },
  {
    name: 'outcome',
    kind: 'enum',
    values: ['PLACED', 'PARTIAL', 'NO_VALID_HOST', 'REJECTED', 'SIMULATED'],
    description: 'how it ended',
  },
  { name: 'host', kind: 'text', description: 'a host that was chosen' },
  { name: 'account', kind: 'text', description: 'the service account that sent the request' },
  { name: 'instance', kind: 'text', description: 'uuid of an instance' },
  { name: 'chain', kind: 'text', description: 'uuid of the first instance of the request; finds all attempts for it' },
  { name: 'flavor', kind: 'text', description: 'name of the flavor' },
  { name: 'zone', aliases: ['az'], kind: 'text', description: 'availability zone that was requested' },
  { name: 'project', kind: 'text', description: 'project of the request' },
  { name: 'profile', kind: 'text', description: 'profile that decided: name or name@number' },
  { name: 'reason', kind: 'text', description: 'code of a reason why a host was refused, such as memory.short' },
  { name: 'cause', kind: 'text', description: 'code of the cause of a refused request, such as memory.short' },
  { name: 'filter', kind: 'text', description: 'a filter that refused hosts' },
  { name: 'attempt', kind: 'number', unit: 'count', description: 'how often the request was decided' },
  { name: 'last', kind: 'number', unit: 's', description: 'not older than this: last:1h' },
  { name: 'at', kind: 'time', description: 'when it was decided: at>=2026-11-22T09:00:00Z' },
]

/** The fields of a query about aggregates. */
export const aggregateFields: readonly QueryField[] = [
  { name: 'name', kind: 'text', description: 'its name' },
  { name: 'az', aliases: ['zone'], kind: 'text', description: 'the availability zone that it makes' },
  { name: 'host', kind: 'text', description: 'a member host' },
  { name: 'key', kind: 'text', description: 'a key of its metadata' },
  { name: 'value', kind: 'text', description: 'a value in its metadata' },
  { name: 'hosts', kind: 'number', unit: 'count', description: 'how many members it has' },
]

/** The fields of a query about claims. A bare word matches a part of the claim's id, of its instance or of its host's name. */
export const claimFields: readonly QueryField[] = [
  { name: 'id', kind: 'text', description: 'its id, or uuid of its instance' },
  {
    name: 'state',
    kind: 'enum',
    values: ['RESERVED', 'CONFIRMED', 'MATERIALISED', 'RELEASED', 'EXPIRED', 'REVOKED'],
    description: 'state of the claim',
  },
  { name: 'host', kind: 'text', description: 'name of the host whose resources it reserves' },
  { name: 'instance', kind: 'text', description: 'uuid of its instance' },
  { name: 'account', kind: 'text', description: 'the service account that it belongs to' },
  { name: 'group', kind: 'text', description: 'uuid of the server group that it is a member of' },
  { name: 'age', kind: 'number', unit: 's', description: 'time since it was made' },
  { name: 'ended', kind: 'number', unit: 's', description: 'time since it ended, for any reason' },
  { name: 'left', kind: 'number', unit: 's', description: 'time until the reservation ends' },
  { name: 'at', kind: 'time', description: 'when it was made' },
  { name: 'ends', kind: 'time', description: 'when the reservation ends' },
]

/** The fields of a query about the audit. A bare word matches a part of the target, the summary or the mutation. */
export const auditFields: readonly QueryField[] = [
  { name: 'account', kind: 'text', description: 'the service account that called' },
  { name: 'key', kind: 'text', description: 'id of the key that called' },
  { name: 'mutation', kind: 'text', description: 'name of the mutation' },
  { name: 'target', kind: 'text', description: 'the object that was changed' },
  { name: 'result', kind: 'text', description: 'type of the answer, or code of the fault' },
  { name: 'request', kind: 'text', description: 'id of the request' },
  { name: 'last', kind: 'number', unit: 's', description: 'not older than this: last:1h' },
  { name: 'at', kind: 'time', description: 'when it was answered' },
]
