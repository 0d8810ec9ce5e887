import { isLive } from '../claims/claim.ts'
import { isSameScope, type LiveClaim, liveClaimsOf, scopeOf } from '../claims/instances.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { hostKey } from '../fleet/hosts.ts'
import type { AuditCode, Finding } from './finding.ts'
import { about } from './ledger.ts'

/** An instance has one live claim, of which the two ends of an open move are one; what lists its claims lists live ones of it only. */
export function auditInstance({ hosts, ledger }: Fleet, instance: string): Finding[] {
  const { findings, tell } = about('instance', instance, null, null)
  const claims = ledger.instances.of(instance).flatMap((id) => {
    const claim = ledger.claims.get(id)
    if (claim === undefined || claim.instance !== instance || !isLive(claim)) {
      tell('state.orphan_entry', 'claims', 'a live claim of the instance', claim?.state ?? 'none', id)
      return []
    }
    return [claim]
  })
  const [first, ...others] = liveClaimsOf(claims)
  for (const other of others) {
    const code: AuditCode = isSameScope(scopeOf(first?.claim ?? other.claim), scopeOf(other.claim))
      ? 'instance.twice'
      : 'instance.elsewhere'
    const record = hosts.records[other.claim.host]
    const { findings: found, tell: tellOf } = about('instance', instance, record === undefined ? null : hostKey(record), other.claim.id)
    tellOf(code, 'live claims', textOf(first), textOf(other))
    findings.push(...found)
  }
  return findings
}

const textOf = (live: LiveClaim | undefined): string => {
  if (live === undefined) return 'none'
  const { account, project } = scopeOf(live.claim)
  return `${live.claim.id} of ${project === null ? `account ${account}` : `project ${project}`}`
}
