import { type Caller, mayDo, type Scope } from './caller.ts'

/** A field that a document selects. */
export interface FieldUse {
  readonly type: string
  readonly field: string
  /** The scope of a root field. */
  readonly scope?: Scope | undefined
}

/** Names of fields by type. */
type Fields = Readonly<Record<string, readonly string[]>>

/** The fields of results that a caller may read in the answer to every call that the caller may make. */
const ends: Fields = {
  UserError: ['code', 'message', 'path'],
  ValidationError: ['code', 'message', 'path', 'issues'],
  FieldIssue: ['path', 'rule', 'message', 'expected', 'actual'],
  NotFound: ['code', 'message', 'path', 'typeName', 'key'],
  IdempotencyConflict: ['code', 'message', 'path', 'firstSeenAt'],
  InstanceTaken: ['code', 'message', 'path', 'rule', 'claim'],
  ReplicaBehind: ['code', 'message', 'path', 'replicaEpoch', 'retryAfter'],
  UpdateResourceStatsPayload: ['results', 'appliedCount', 'fleetRevision'],
  ResourceStatsApplied: ['host', 'revision', 'claimsMaterialised', 'lastSequence', 'unchanged', 'ignoredFields', 'required', 'warnings'],
  HostWarning: ['code', 'subject', 'reported', 'held', 'text'],
  ResourceStatsStale: ['code', 'message', 'path', 'lastSequence'],
  ResourceStatsNeedFull: ['code', 'message', 'path', 'lastSequence'],
  Viewer: ['actor', 'scopes', 'hosts', 'project'],
  Actor: ['kind', 'name', 'account', 'id'],
  PageInfo: ['hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor'],
}

/** The fields of RequiredStats that a reporter may read. These fields do not reveal which profiles need a field. */
const required: Fields = {
  RequiredStats: ['namespaces', 'revision'],
  RequiredNamespace: ['namespace', 'fields', 'omittable'],
  RequiredField: ['field'],
}

/**
 * The fields that a key with only SCHEDULE, REPORT or CLAIM may read of objects in its answers. Every other field of an object needs READ,
 * OPERATE or ADMIN.
 */
export const answerFields: Fields = {
  ...ends,
  NoValidHost: ['code', 'message', 'path', 'decision', 'reasons', 'cause', 'placedCount', 'ignoredFields', 'unlocatedFields'],
  RefusalCause: ['code', 'text', 'admittedHosts', 'hostName', 'node'],
  HostHeartbeatPayload: ['heard', 'unknown'],
  ...required,
  ReasonCount: ['filter', 'code', 'hosts', 'text', 'docsSlug'],
  SelectDestinationsPayload: ['decision', 'destinations', 'replayed', 'fleetRevision', 'ignoredFields', 'unlocatedFields'],
  InstanceDestinations: ['instanceUuid', 'selected', 'alternates'],
  Destination: ['host', 'weight', 'claim', 'limits'],
  ResourceLimit: ['resource', 'limit'],
  ClaimPayload: ['claim', 'claims', 'replayed', 'fleetRevision'],
  ClaimLost: ['code', 'message', 'path', 'claim'],
  Host: ['id', 'name', 'node', 'hasOtherNodes', 'availabilityZone'],
  Claim: [
    ...[
      'id',
      'state',
      'instanceUuid',
      'host',
      'resources',
      'cells',
      'gpus',
      'pciDevices',
      'serverGroup',
      'moveOf',
      'movingTo',
      'createdAt',
    ],
    ...['expiresAt', 'confirmedAt', 'releasedAt', 'reason', 'revision', 'fence', 'account'],
  ],
  CellGrant: ['guest', 'cell', 'cpus', 'pinned', 'siblings', 'emulatorCpu', 'memoryMb', 'pageSizeKib'],
  PciGrant: ['request', 'pool', 'count'],
  GpuGrant: ['index', 'milli'],
  ResourceAmount: ['resourceClass', 'amount'],
  Decision: ['id', 'outcome', 'at', 'account', 'instanceUuids', 'fleetRevision', 'attempt'],
}

/** All fields that a key bound to host names may read, including root fields. */
export const hostBoundFields: Fields = {
  ...ends,
  Query: ['viewer'],
  Mutation: ['updateResourceStats', 'hostHeartbeat'],
  ...required,
  HostHeartbeatPayload: ['heard', 'unknown'],
  Host: ['id', 'name', 'node'],
  Claim: ['id', 'state', 'instanceUuid', 'fence', 'revision'],
}

/**
 * All fields that a key bound to a project may select, including root fields. A host's name is returned only for a selected host, and only
 * in the answer to the call that selected the host. The causes of a refusal are returned as a TenantExplanation, which contains no host
 * counts and no amounts of hosts.
 */
export const projectBoundFields: Fields = {
  ...ends,
  Query: ['viewer', 'decision', 'decisions', 'tenantExplanation'],
  Mutation: ['selectDestinations', 'claimConfirm', 'claimExtend', 'claimRelease', 'claimAbandon'],
  // `message` is included, because everything about hosts is removed from it for keys bound to a project
  NoValidHost: ['code', 'message', 'path', 'decision', 'placedCount', 'ignoredFields', 'unlocatedFields'],
  SelectDestinationsPayload: ['decision', 'destinations', 'replayed', 'fleetRevision', 'ignoredFields', 'unlocatedFields'],
  InstanceDestinations: ['instanceUuid', 'selected'],
  Destination: ['host', 'claim'],
  Host: ['name', 'node'],
  ClaimPayload: ['claim', 'claims', 'replayed', 'fleetRevision'],
  ClaimLost: ['code', 'message', 'path', 'claim'],
  Claim: [
    'id',
    'state',
    'instanceUuid',
    'serverGroup',
    'createdAt',
    'expiresAt',
    'confirmedAt',
    'releasedAt',
    'reason',
    'fence',
    'account',
  ],
  Decision: ['id', 'outcome', 'at', 'account', 'instanceUuids', 'attempt', 'tenantExplanation'],
  TenantExplanation: ['outcome', 'instanceCount', 'placedCount', 'headline', 'demands', 'isInYourHands'],
  TenantDemand: ['kind', 'asked', 'state', 'text'],
  DecisionConnection: ['edges', 'nodes', 'pageInfo', 'totalCount'],
  DecisionEdge: ['cursor', 'node'],
}

const roots: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription'])

/**
 * The first field that the caller may not select; undefined if the caller may select all fields. The scopes of root fields are checked
 * separately.
 */
export function refusedField(caller: Pick<Caller, 'scopes' | 'hosts' | 'project'>, uses: readonly FieldUse[]): FieldUse | undefined {
  if (caller.hosts.length > 0) return uses.find((use) => !isListed(hostBoundFields, use))
  if (caller.project !== null) return uses.find((use) => !isListed(projectBoundFields, use))
  if (caller.scopes.some(readsObjects)) return undefined
  // root fields are skipped, because each root field requires its own scope
  return uses.find((use) => !roots.has(use.type) && !isListed(answerFields, use))
}

/** True if a scope allows reading every field of the returned objects. */
const readsObjects = (scope: Scope): boolean => scope === 'READ' || scope === 'OPERATE' || scope === 'ADMIN'

/** The scopes that a caller lacks for a document in which a field was refused. */
export function missingScopes(caller: Pick<Caller, 'scopes'>, uses: readonly FieldUse[]): readonly Scope[] {
  const missing = new Set(uses.flatMap(({ scope }) => (scope === undefined || mayDo(caller, scope) ? [] : [scope])))
  return [...missing].some(readsObjects) ? [...missing] : [...missing, 'READ']
}

const isListed = (fields: Fields, { type, field }: FieldUse): boolean => fields[type]?.includes(field) ?? false
