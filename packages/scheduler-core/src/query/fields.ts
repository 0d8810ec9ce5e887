import type { QueryField } from './query.ts'

/**
 * The fields of a query about decisions. A bare word matches a part of the decision's id, of an instance's uuid, of a chosen host's name or
 * of the flavor's name. It also matches the complete X-Request-Id of a call.
 */
export const decisionFields: readonly QueryField[] = [
  { name: 'id', kind: 'text', description: 'id of the decision, X-Request-Id of a call that it answered, or uuid of an instance' },
  { name: 'request', kind: 'text', description: 'X-Request-Id of a call that the decision answered' },
  {
    name: 'outcome',
    kind: 'enum',
    values: ['PLACED', 'PARTIAL', 'NO_VALID_HOST', 'REJECTED', 'SIMULATED'],
    description: 'outcome of the decision',
  },
  { name: 'host', kind: 'text', description: 'name of a chosen host' },
  { name: 'account', kind: 'text', description: 'service account of the caller' },
  { name: 'instance', kind: 'text', description: 'uuid of an instance' },
  { name: 'chain', kind: 'text', description: 'uuid of the first instance in the request; finds all decisions about it' },
  { name: 'flavor', kind: 'text', description: 'name of the flavor' },
  { name: 'zone', aliases: ['az'], kind: 'text', description: 'requested availability zone' },
  { name: 'project', kind: 'text', description: 'project of the request' },
  { name: 'profile', kind: 'text', description: 'profile that decided: name or name@number' },
  { name: 'reason', kind: 'text', description: 'code of a reason for which hosts were refused, such as memory.short' },
  { name: 'cause', kind: 'text', description: 'code of the cause for which no host was found, such as memory.short' },
  { name: 'filter', kind: 'text', description: 'name of a filter that refused hosts' },
  { name: 'attempt', kind: 'number', unit: 'count', description: 'how many times the request was decided' },
  { name: 'last', kind: 'number', unit: 's', description: 'maximum age, such as last:1h' },
  { name: 'at', kind: 'time', description: 'time of the decision, such as at>=2026-11-22T09:00:00Z' },
]

/** The fields of a query about aggregates. */
export const aggregateFields: readonly QueryField[] = [
  { name: 'name', kind: 'text', description: 'name of the aggregate' },
  { name: 'az', aliases: ['zone'], kind: 'text', description: 'availability zone that the aggregate defines' },
  { name: 'host', kind: 'text', description: 'name of a member host' },
  { name: 'key', kind: 'text', description: 'a key in the metadata of the aggregate' },
  { name: 'value', kind: 'text', description: 'a value in the metadata of the aggregate' },
  { name: 'hosts', kind: 'number', unit: 'count', description: 'number of member hosts' },
]

/** The fields of a query about claims. A bare word matches a part of the claim's id, of its instance's uuid or of its host's name. */
export const claimFields: readonly QueryField[] = [
  { name: 'id', kind: 'text', description: 'id of the claim, or uuid of its instance' },
  {
    name: 'state',
    kind: 'enum',
    values: ['RESERVED', 'CONFIRMED', 'MATERIALISED', 'RELEASED', 'EXPIRED', 'REVOKED'],
    description: 'state of the claim',
  },
  { name: 'host', kind: 'text', description: 'name of the host on which the claim holds resources' },
  { name: 'instance', kind: 'text', description: 'uuid of the instance of the claim' },
  { name: 'account', kind: 'text', description: 'service account that owns the claim' },
  { name: 'group', kind: 'text', description: 'uuid of the server group of the claim' },
  { name: 'age', kind: 'number', unit: 's', description: 'time since the claim was created' },
  { name: 'ended', kind: 'number', unit: 's', description: 'time since the claim was released or revoked, or expired' },
  { name: 'left', kind: 'number', unit: 's', description: 'time until the reservation expires' },
  { name: 'at', kind: 'time', description: 'time at which the claim was created' },
  { name: 'ends', kind: 'time', description: 'time at which the reservation expires' },
]

/** The fields of a query about the audit. A bare word matches a part of the target, the summary or the mutation. */
export const auditFields: readonly QueryField[] = [
  { name: 'account', kind: 'text', description: 'service account of the caller' },
  { name: 'key', kind: 'text', description: 'id of the key of the caller' },
  { name: 'mutation', kind: 'text', description: 'name of the mutation' },
  { name: 'target', kind: 'text', description: 'object that the mutation was about' },
  { name: 'result', kind: 'text', description: 'type of the answer, or code of the error' },
  { name: 'request', kind: 'text', description: 'X-Request-Id of the call' },
  { name: 'last', kind: 'number', unit: 's', description: 'maximum age, such as last:1h' },
  { name: 'at', kind: 'time', description: 'time of the answer' },
]
