import type { Aggregate } from '../fleet/aggregates.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Group } from '../hosts/groups.ts'
import { hostKey } from '../hosts/hosts.ts'
import type { BoundKey } from '../records/bound-key.ts'
import { type Claim, isLive, lapsesAt } from '../records/claim.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { AuditCode, Finding, Subject } from './finding.ts'

/** The check of one instance reports at most this many findings, because callers can make any number of claims with one instance id. */
export const MAX_FINDINGS = 100

/**
 * Checks a claim: its host exists (promise I7), and every index that must contain the claim contains it. `id` is the key of the claim in
 * the ledger.
 */
export function auditClaim(fleet: Fleet, id: string, claim: Claim): Finding[] {
  const { hosts, ledger, groups } = fleet
  const record = hosts.records[claim.host]
  const { findings, report } = about('claim', id, record === undefined ? null : hostKey(record), claim.id)
  const lives = isLive(claim)
  if (claim.id !== id) report('state.duplicate', 'id', id, claim.id)
  if (record === undefined) report('state.host_gone', 'host', `one of ${hosts.count} hosts`, `host ${claim.host}`)
  else if (lives && record.gone !== null)
    report('state.host_gone', 'host', 'a host that is there', `${hostKey(record)}, which left the fleet`)
  else if (lives && !record.claims.has(claim)) report('state.orphan_claim', 'claims of the host', 'listed', 'not listed')
  const lapses = lapsesAt(claim) !== null
  if ((ledger.lapsing.get(claim.id) === claim) !== lapses)
    report(lapses ? 'state.orphan_claim' : 'state.orphan_entry', 'reservations', listedText(lapses), listedText(!lapses))
  const isReserved = claim.state === 'RESERVED'
  if (lives && (claim.expiresAt !== null) !== isReserved)
    report('state.orphan_claim', 'expiresAt', isReserved ? 'a time' : 'none', claim.expiresAt ?? 'none')
  const isKept = ledger.isListedByKey(claim)
  if (!isKept && (lives || record?.claims.has(claim) !== true)) report('state.orphan_claim', 'idempotency key', 'listed', 'not listed')
  if (!lives) return findings
  if (claim.instance !== null && !ledger.instances.has(claim.instance, claim.id))
    report('state.orphan_claim', 'claims of the instance', 'listed', 'not listed')
  if (claim.group !== null && groups.find(claim.group) === undefined) report('state.orphan_claim', 'server group', claim.group, 'none')
  const source = claim.source === null ? undefined : ledger.claims.get(claim.source)
  const target = claim.target === null ? undefined : ledger.claims.get(claim.target)
  if (claim.source !== null && (source?.target !== claim.id || !isLive(source)))
    report('state.orphan_claim', 'source of the move', claim.source, source?.target ?? 'none')
  if (claim.target !== null && (target?.source !== claim.id || !isLive(target)))
    report('state.orphan_claim', 'target of the move', claim.target, target?.source ?? 'none')
  return findings
}

/** Checks that an entry of the reservation index is the claim with this id in the ledger. */
export function auditReservation({ ledger }: Fleet, claim: Claim): Finding[] {
  const { findings, report } = about('reservation', claim.id, null, claim.id)
  if (ledger.claims.get(claim.id) !== claim) report('state.orphan_entry', 'reservations', 'a claim of the ledger', 'none')
  return findings
}

/**
 * Checks that the claims of an idempotency key exist and name the key, and that the key is marked as ended if and only if none of its
 * claims is live.
 */
export function auditKey({ ledger }: Fleet, bound: BoundKey): Finding[] {
  const { findings, report } = about('key', `${bound.account} ${bound.key}`, null, null)
  const known = ledger.findKey(bound.account, bound.key)
  // The key of ended claims is a new object at each access, so its members are compared and not its identity.
  if (known !== bound && (known?.boundAt !== bound.boundAt || known.revision !== bound.revision || bound.forgottenAt === null))
    report('state.duplicate', 'key', 'bound once', 'bound twice')
  let lives = false
  for (const id of bound.claims) {
    const claim = ledger.claims.get(id)
    if (claim === undefined) report('state.orphan_entry', 'claims', id, 'none', id)
    else if (claim.account !== bound.account || claim.key !== bound.key)
      report('state.duplicate', 'claims', 'a claim of this key', `of ${claim.account} ${claim.key}`, id)
    lives ||= claim !== undefined && isLive(claim)
  }
  if (lives !== (bound.forgottenAt === null))
    report('state.orphan_entry', 'forgottenAt', lives ? 'none' : 'a time', bound.forgottenAt ?? 'none')
  return findings
}

/** Checks the stored member count of a group on one host. */
export function auditMembers({ hosts, ledger }: Fleet, { uuid, members }: Group, host: HostIndex): Finding[] {
  const record = hosts.records[host]
  const { findings, report } = about('group', uuid, record === undefined ? null : hostKey(record), null)
  let count = 0
  for (const claim of record?.claims ?? [])
    if (claim.group === uuid && isLive(claim) && (claim.source === null || ledger.claims.get(claim.source)?.host !== host)) count++
  const counted = members.get(host) ?? 0
  if (counted !== count) report('state.group_count', record === undefined ? `host ${host}` : 'members', count, counted)
  return findings
}

/** Checks that every node of a member host lists the aggregate. */
export function auditAggregate({ hosts }: Fleet, { uuid, hosts: names }: Aggregate): Finding[] {
  const { findings, report } = about('aggregate', uuid, null, null)
  for (const name of names)
    for (const index of hosts.nodesOf(name))
      if (hosts.records[index]?.aggregates.includes(uuid) !== true)
        report('state.orphan_entry', `aggregates of ${name}`, 'listed', 'not listed')
  return findings
}

const listedText = (isListed: boolean): string => (isListed ? 'listed' : 'not listed')

export function about(subject: Subject, name: string, host: string | null, claim: string | null) {
  const findings: Finding[] = []
  const report = (code: AuditCode, field: string, expected: string | number, actual: string | number, of: string | null = claim): void => {
    findings.push({ code, subject, name, host, claim: of, field, expected: String(expected), actual: String(actual) })
  }
  /** Reports a finding that concerns several hosts. */
  const reportHosts = (hosts: readonly HostIndex[], code: AuditCode, field: string, expected: string, actual: string): void => {
    findings.push({ code, subject, name, host, claim, field, expected, actual, hosts })
  }
  return { findings, report, reportHosts }
}
