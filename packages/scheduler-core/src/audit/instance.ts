import { isSameScope, type LiveClaim, liveClaimsOf, scopeOf } from '../claims/instances.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { hostKey } from '../hosts/hosts.ts'
import { isLive } from '../records/claim.ts'
import type { AuditCode, Finding } from './finding.ts'
import { about, MAX_FINDINGS } from './ledger.ts'

/**
 * Checks that an instance has at most one live claim. The source and the destination claim of an open move are treated as one claim. The
 * index of the instance must list only live claims of the instance.
 */
export function auditInstance({ hosts, ledger }: Fleet, instance: string): Finding[] {
  const { findings, report } = about('instance', instance, null, null)
  const claims = ledger.instances.of(instance).flatMap((id) => {
    const claim = ledger.claims.get(id)
    if (claim === undefined || claim.instance !== instance || !isLive(claim)) {
      report('state.orphan_entry', 'claims', 'a live claim of the instance', claim?.state ?? 'none', id)
      return []
    }
    return [claim]
  })
  const [first, ...others] = liveClaimsOf(claims)
  const firstText = textOf(first)
  for (const [i, other] of others.slice(0, MAX_FINDINGS).entries()) {
    const code: AuditCode = isSameScope(scopeOf(first?.claim ?? other.claim), scopeOf(other.claim))
      ? 'instance.twice'
      : 'instance.elsewhere'
    const record = hosts.records[other.claim.host]
    const { findings: found, report: reportOf } = about('instance', instance, record === undefined ? null : hostKey(record), other.claim.id)
    const left = i === MAX_FINDINGS - 1 ? others.length - MAX_FINDINGS : 0
    reportOf(code, 'live claims', firstText, `${textOf(other)}${left > 0 ? ` and ${left} more` : ''}`)
    findings.push(...found)
  }
  return findings
}

const textOf = (live: LiveClaim | undefined): string => {
  if (live === undefined) return 'none'
  const { account, project } = scopeOf(live.claim)
  return `${live.claim.id} of ${project === null ? `account ${account}` : `project ${project}`}`
}
