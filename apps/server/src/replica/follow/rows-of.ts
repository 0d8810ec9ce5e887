import {
  type Claim,
  type Code,
  type DecisionRecord,
  type Fleet,
  type HostRecord,
  hostStatuses,
  hostStepsOf,
  isProposal,
  type LogEntry,
  type Proposal,
  ZONE_KEY,
} from '@gantt/scheduler-core'
import type { AggregateRow, ClaimRow, GroupRow, HostChangeRow, LostTryRow, NodeRow, Rows, StoredDecision } from '../../db/tables/rows.ts'
import type { UnloggedDecision } from '../propose/placement.ts'
import type { Applied } from '../replica-options.ts'

/** Returns the rows of the projections that the last applied entry changes. Must be called before the next entry is applied. */
export function rowsOf(fleet: Fleet, { entry, verdicts }: Applied, digest: (record: DecisionRecord) => string): Rows {
  const decisions: StoredDecision[] = []
  const hosts = new Set<HostRecord>()
  const aggregates: AggregateRow[] = []
  const groups: GroupRow[] = []
  const lostTries: LostTryRow[] = []
  for (const [position, change] of entry.changes.entries()) {
    const verdict = verdicts[position]
    if (verdict !== undefined) {
      // an entry that was appended twice takes effect only at its first position
      if (isProposal(change) && verdict !== 'entry.repeated') lostTries.push(lostTry(change, entry, verdict, fleet.now))
      continue
    }
    switch (change.type) {
      case 'claims':
      case 'move':
      case 'instances':
      case 'attempt':
        decisions.push(placedDecision(change, entry.id, entry.basis.revision, position, fleet.now, digest))
        if (change.group !== null)
          groups.push({
            id: change.group.uuid,
            policy: change.group.policy,
            max_server_per_host: change.group.maxServerPerHost,
            revision: entry.revision,
          })
        break
      case 'group':
        groups.push({ id: change.uuid, policy: change.policy, max_server_per_host: change.maxServerPerHost, revision: entry.revision })
        break
      case 'membership':
        if (change.group === null) break
        groups.push({
          id: change.group.uuid,
          policy: change.group.policy,
          max_server_per_host: change.group.maxServerPerHost,
          revision: entry.revision,
        })
        break
      case 'report':
      case 'namespace':
      case 'liveness':
      case 'usedFrom':
      case 'hostAllocation':
      case 'status': {
        const record = fleet.hosts.find(change)
        if (record !== undefined) hosts.add(record)
        break
      }
      case 'forget':
      case 'readmit':
      case 'replace':
      case 'fleetAllocation':
        for (const record of fleet.hosts.records) if (record.revision === entry.revision) hosts.add(record)
        break
      case 'aggregate': {
        const { uuid, next, expectedVersion } = change
        const zone = next?.metadata[ZONE_KEY] ?? null
        const base = { id: uuid, availability_zone: zone, version: expectedVersion + 1, revision: entry.revision }
        aggregates.push(
          next === null
            ? { ...base, name: '', metadata: {}, hosts: [], deleted_at_ms: fleet.now }
            : { ...base, name: next.name, metadata: next.metadata, hosts: next.hosts, deleted_at_ms: null },
        )
        // the edit set the revision of each affected host to the revision of this entry
        for (const record of fleet.hosts.records) if (record.revision === entry.revision) hosts.add(record)
        break
      }
      default:
        break
    }
  }
  // an entry that removes a host from the fleet also removes the host from its aggregates
  const listed = new Set(aggregates.map(({ id }) => id))
  for (const uuid of fleet.aggregates.before.keys()) {
    const aggregate = listed.has(uuid) ? undefined : fleet.aggregates.byUuid.get(uuid)
    if (aggregate === undefined) continue
    const { name, metadata, hosts: names, version } = aggregate
    const zone = metadata[ZONE_KEY] ?? null
    const row = { id: uuid, name, availability_zone: zone, metadata, hosts: names, version, revision: entry.revision }
    aggregates.push({ ...row, deleted_at_ms: null })
  }
  return {
    revision: entry.revision,
    entryId: entry.id,
    at: fleet.now,
    decisions,
    lostTries,
    claims: [...fleet.ledger.changed].map((claim) => claimRow(fleet, claim)),
    nodes: [...hosts].map((record) => nodeRow(fleet, record)),
    hostChanges: hostChangeRows(fleet),
    aggregates,
    groups,
  }
}

/** The row of a decision that is not in the log: a refusal, or a placement that claims nothing. */
export const unloggedRow = (decision: UnloggedDecision, digest: (record: DecisionRecord) => string): StoredDecision => ({
  ...decision,
  id: decision.record.id,
  requestSpecId: digest(decision.record),
  claimIds: [],
})

/** The row of a proposal that took effect. `at` is the log's time after its entry was applied. */
export function placedDecision(
  { account, parts, answer, decision: record, tookUs }: Proposal,
  entryId: string,
  basis: number,
  position: number,
  at: number,
  digest: (record: DecisionRecord) => string,
): StoredDecision {
  return {
    id: record.id,
    outcome: parts.length < record.request.numInstances ? 'PARTIAL' : 'PLACED',
    at,
    account,
    requestSpecId: digest(record),
    record,
    place: { basis, entryId, position },
    answer,
    claimIds: parts.map(({ claim }) => claim),
    reasons: [],
    ...(tookUs !== undefined && { tookUs }),
  }
}

/** The row of a proposal that had no effect: the hosts that it selected, and the rule that made it void. */
function lostTry(
  { parts, decision: { id, attempt }, tookUs }: Proposal,
  { revision, basis }: LogEntry,
  code: Code,
  at: number,
): LostTryRow {
  return {
    id: `${id}/${attempt}`,
    decision_id: id,
    attempt,
    revision,
    basis: basis.revision,
    at_ms: at,
    code,
    hosts: [...new Set(parts.map(({ host }) => host))],
    took_us: tookUs ?? null,
  }
}

function hostChangeRows(fleet: Fleet): HostChangeRow[] {
  const { revision } = fleet.place
  return hostStepsOf(fleet).map(({ host: index, kind, reason, aggregate, changes, leftOut }, position) => {
    const { host, node } = fleet.hosts.get(index)
    return {
      id: `${revision}/${position}`,
      revision,
      place: position,
      host,
      node,
      kind,
      at_ms: fleet.now,
      reason,
      changes,
      untold: leftOut,
      aggregate: aggregate?.uuid ?? null,
      aggregate_name: aggregate?.name ?? null,
    }
  })
}

function claimRow(fleet: Fleet, { host, ...claim }: Claim): ClaimRow {
  const { host: name, node } = fleet.hosts.get(host)
  return {
    id: claim.id,
    instance_uuid: claim.instance,
    host: name,
    node,
    state: claim.state,
    account: claim.account,
    decision_id: claim.decision,
    fence: claim.fence,
    document: { ...claim },
    revision: claim.revision,
    created_at_ms: claim.createdAt,
    expires_at_ms: claim.expiresAt,
  }
}

function nodeRow(fleet: Fleet, record: HostRecord): NodeRow {
  const { gone, formerNames } = record
  const key = `${encodeURIComponent(record.host)}/${encodeURIComponent(record.node)}`
  const status = hostStatuses[fleet.hosts.columns.status[record.index] as number] as string
  return {
    // a host that was merged into another host of the same name needs a different id
    id: gone?.mergedInto == null ? key : `${key}/${record.index}`,
    isRenamed: formerNames.length > 0 || gone !== null,
    ordinal: record.index,
    host: record.host,
    node: record.node,
    status: gone === null ? status : 'FORGOTTEN',
    availability_zone: record.zone,
    reported: { stats: record.stats, statusReason: record.statusReason, namespaces: record.namespaces },
    revision: record.revision,
  }
}
