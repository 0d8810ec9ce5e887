import { growsInPlace, isLive } from './claim.ts'
import type { ModelChange } from './entry.ts'
import type { ModelFleet } from './fleet.ts'
import { findForgotten, findRenamed, newHost } from './host.ts'
import { forgetUnused } from './key.ts'
import type { ModelClaim, ModelHost } from './state.ts'

export function takeReport(fleet: ModelFleet, change: ModelChange): string | undefined {
  const returning = findForgotten(fleet, change.host)
  const known = fleet.host(change.host) ?? returning
  if (returning?.gone === 'forgotten') return 'report.host_forgotten'
  if (known === undefined && findRenamed(fleet, change.host) !== undefined) return 'report.host_replaced'
  if (known !== undefined) {
    const isSame = known.incarnation === change.incarnation
    if (isSame ? change.sequence <= known.sequence : known.pastIncarnations.includes(change.incarnation)) return 'report.stale'
    if (!isSame) known.pastIncarnations = [known.incarnation, ...known.pastIncarnations].slice(0, 8)
  }
  const host = known ?? newHost(change.host)
  host.gone = null
  host.incarnation = change.incarnation
  host.sequence = change.sequence
  if (known === undefined) fleet.hosts.push(host)
  fleet.reported.add(change.host)
  takeFull(fleet, host, change.full)
  return undefined
}

export function takeFull(fleet: ModelFleet, host: ModelHost, full: ModelChange): void {
  host.full = full
  const gpus: { index: number; usedMilli: number | null }[] = full.gpus ?? []
  host.gpus = gpus.map(({ index }) => index).sort((a, b) => a - b)
  host.gpusUsed = gpus.filter(({ usedMilli }) => (usedMilli ?? 0) > 0).map(({ index }) => index)
  host.machine = full.machineId ?? null
  host.listsNothing = full.instances === null
  if (full.instances === null) {
    // nobody is shown any more
    if (fleet.level >= 8) for (const claim of fleet.claims) if (claim.host === host.name) unlist(fleet, claim)
    if (fleet.level >= 9) letGo(fleet, host)
    return
  }
  host.present = [...full.instances]
  for (const claim of fleet.claims) {
    if (claim.host === host.name && claim.instance !== null && !host.present.includes(claim.instance)) claim.lingers = false
    if (claim.host !== host.name || !isLive(claim) || growsInPlace(fleet, claim)) continue
    claim.extra = null
    if (claim.instance === null) continue
    const listed = host.present.includes(claim.instance)
    if (listed && claim.state !== 'MATERIALISED') {
      claim.state = 'MATERIALISED'
      claim.expiresAt = null
      claim.unlistedAt = null
    } else if (!listed) unlist(fleet, claim)
  }
  // of an instance that has another claim here by now, the ended one holds nothing
  const counted = fleet.claims.filter((claim) => claim.host === host.name && claim.state === 'MATERIALISED').map(({ instance }) => instance)
  if (fleet.level >= 9)
    for (const claim of fleet.claims) if (claim.host === host.name && counted.includes(claim.instance)) claim.lingers = false
  forgetUnused(fleet)
}

/** The report of its host does not show its instance any more. */
function unlist(fleet: ModelFleet, claim: ModelClaim): void {
  if (claim.state !== 'MATERIALISED') return
  claim.state = 'CONFIRMED'
  claim.unlistedAt = fleet.now
}

/** A host that lists nothing shows nobody: what ended claims held there is free. */
export function letGo(fleet: ModelFleet, host: ModelHost): void {
  host.present = []
  for (const claim of fleet.claims) if (claim.host === host.name) claim.lingers = false
  forgetUnused(fleet)
}
