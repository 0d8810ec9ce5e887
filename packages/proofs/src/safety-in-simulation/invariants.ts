import { digestOfModel } from './digest.ts'
import { codesOf, findingsOfModel } from './findings.ts'
import { CLASSES } from './model/allocation.ts'
import { claimsOf, isLive as isLiveInModel } from './model/claim.ts'
import type { ModelEntry } from './model/entry.ts'
import type { ModelFleet } from './model/fleet.ts'
import { membersOf } from './model/group.ts'
import { isHeldOnly } from './model/held.ts'
import { freeOf, gpuRoom } from './model/room.ts'
import type { ModelClaim } from './model/state.ts'
import type { WorldState } from './world-state.ts'

/** Applies an entry of the log to the model, and checks the invariants afterwards. */
export function judgeEntry(world: WorldState, entry: ModelEntry): void {
  const model = world.model
  const room = (): number[] => model.hosts.flatMap((host) => [...CLASSES.map((name) => freeOf(model, host, name)), gpuRoom(model, host)])
  const before = room()
  const heldBefore = model.claims.filter(isHeldOnly)
  const verdicts = model.apply(entry)
  world.verdicts.set(entry.revision, verdicts)
  world.digests.set(entry.revision, digestOfModel(model))
  const findings = findingsOfModel(model)
  world.findings.set(entry.revision, findings)
  for (const code of codesOf(findings)) world.see(`finds ${code}`)
  for (const what of heldEvents(model, heldBefore)) world.see(what)
  for (const [i, change] of entry.changes.entries()) world.see(`${change.type} ${verdicts[i] ?? 'counts'}`)
  for (const [i, change] of entry.changes.entries())
    if (['claims', 'move', 'instances', 'attempt'].includes(change.type) && verdicts[i] !== undefined) world.counts.voids++
  // These types of changes can make free amounts negative without changing claims. For example, an operator can set a capacity that is less
  // than the claimed amount. No change of another type must make free amounts negative.
  const mayLower = ['report', 'replace', 'forget', 'usedFrom', 'hostAllocation', 'fleetAllocation', 'aggregate']
  if (!entry.changes.some(({ type }) => mayLower.includes(type)))
    for (const [i, free] of room().entries())
      if (free < Math.min(0, before[i] ?? 0)) world.fail(`I1: entry ${entry.revision} leaves ${free} of a class, ${before[i]} were there`)
  for (const { uuid, policy, max } of model.groups) {
    const members = membersOf(model, uuid)
    const hosts = members.map(({ host }) => host)
    const most = Math.max(0, ...hosts.map((host) => hosts.filter((other) => other === host).length))
    const moving = members.filter(({ source }) => source !== null).length
    if (policy === 'ANTI_AFFINITY' && most > (max ?? 1)) world.fail(`I6: ${most} members of ${uuid} on one host, ${max} may be`)
    if (policy === 'AFFINITY' && new Set(hosts).size > 1 + moving) world.fail(`I6: members of ${uuid} live apart: ${hosts.join(', ')}`)
  }
  for (const claim of model.claims)
    if (isLiveInModel(claim) && model.host(claim.host) === undefined) world.fail(`I7: claim ${claim.id} is on ${claim.host}, which left`)
  for (const claim of model.claims) {
    if (!isLiveInModel(claim) || claim.instance === null) continue
    const others = claimsOf(model, claim.instance, claim).filter(
      (other) => other !== claim && other.id !== claim.source && other.id !== claim.target,
    )
    if (others.length > 0) world.fail(`I17: instance ${claim.instance} has claims ${claim.id} and ${others.map(({ id }) => id).join(', ')}`)
  }
  for (const key of model.keys) {
    const claims = model.claims.filter(({ id }) => key.claims.includes(id))
    if (claims.length !== key.claims.length) world.fail(`I5: of ${key.claims.length} claims of key ${key.key} ${claims.length} are there`)
  }
}

/** What happened to the amounts that ended reservations hold. `before` are the claims that held such amounts before the entry. */
function heldEvents(model: ModelFleet, before: readonly ModelClaim[]): readonly string[] {
  const isNew = (claim: ModelClaim) => isHeldOnly(claim) && !before.includes(claim)
  return [
    ...(model.claims.some(isNew) ? ['an ended reservation stays held'] : []),
    ...(before.some((claim) => !isHeldOnly(claim)) ? ['the hold of an ended reservation ends'] : []),
  ]
}
