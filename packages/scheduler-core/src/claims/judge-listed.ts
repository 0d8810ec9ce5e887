import { at } from '../hosts/columns.ts'
import type { HostTable, OwnHostRecord } from '../hosts/hosts.ts'
import { plainMemoryLeft } from '../kinds/classes/room.ts'
import { isPlain, kinds } from '../kinds/index.ts'
import type { ClaimPart, InstancesProposed } from '../records/change.ts'
import { isLive } from '../records/claim.ts'
import { LISTED_CLAIMS } from '../values/levels.ts'
import { dropListed, holdListed } from './held-amounts.ts'
import { isOverdue } from './instances.ts'
import { judgeProposal, touchHosts, type Void } from './judge.ts'
import type { JudgedFleet } from './judged-fleet.ts'

/**
 * Makes a claim for an instance that its host lists and that has no live claim (feature level LISTED_CLAIMS). The host's report already
 * includes the use of the instance. The claim is therefore materialised at once, and needs free capacity only for the amount that exceeds
 * this use. This file must not change, because every replica of every release must judge identically.
 */
export function judgeListed(fleet: JudgedFleet, basis: number, change: InstancesProposed, fence: number): Void {
  const { ledger, hosts, place, now } = fleet
  const refusal = judgeProposal(fleet, basis, change, ledger.endedKeyCount >= ledger.keyLimits.cap) ?? refusesListed(fleet, change.parts)
  if (refusal !== undefined) return refusal
  const [part] = change.parts
  const record = part && hosts.find(part)
  if (part === undefined || record === undefined) return 'claim.no_room'
  // The instance already runs on this host, even if the rule of its group forbids this host. The instance can join a group only by a later
  // change.
  if (change.group !== null) return 'claim.group_mismatch'
  for (const claim of ledger.claimsFor(part.instance ?? '')) if (isLive(claim)) ledger.end(claim, 'EXPIRED', null, place.revision, now)
  ledger.liftEnded(hosts.own(record.index), part.instance).remove()
  holdListed(hosts, part)
  touchHosts(fleet, change)
  ledger.open(change, fence, place.revision, now)
  return undefined
}

/** Returns the code of the refusal if no claim can be made for a listed instance. Otherwise returns undefined. Changes nothing. */
export function refusesListed(fleet: Pick<JudgedFleet, 'hosts' | 'ledger' | 'now' | 'featureLevel'>, parts: readonly ClaimPart[]): Void {
  const { hosts, ledger, now, featureLevel } = fleet
  const [part, ...others] = parts
  const record = part && hosts.find(part)
  if (part === undefined || others.length > 0 || featureLevel < LISTED_CLAIMS) return 'claim.not_listed'
  if (record === undefined || part.instance === null || !hosts.isStillListed(record, part.instance)) return 'claim.not_listed'
  // a live claim of any account forbids a new claim, because the host runs the instance only once
  if (ledger.claimsFor(part.instance).some((claim) => !isOverdue(claim, now))) return 'claim.instance_taken'
  if (!isPlain(part.grants)) return 'claim.no_room'
  const own = hosts.own(record.index)
  const ended = ledger.liftEnded(own, part.instance)
  const obstacle = hasListedRoom(hosts, own, part) ? undefined : 'claim.no_room'
  ended.restore()
  return obstacle
}

/**
 * Returns true if the amounts of the claim are at most the free capacity plus the reported use that belongs to no claim. Amounts in pools
 * need free capacity in full, because no report shows the use of a pool.
 */
function hasListedRoom(hosts: HostTable, record: OwnHostRecord, part: ClaimPart): boolean {
  const { grants } = part
  if (grants.pools !== undefined && !kinds.pools.fits(hosts, record.index, grants.pools)) return false
  const before = leftOf(hosts, record, part)
  holdListed(hosts, part)
  const after = leftOf(hosts, record, part)
  dropListed(hosts, part)
  return after.every((left, i) => left >= Math.min(0, before[i] as number))
}

const leftOf = (hosts: HostTable, { index }: OwnHostRecord, { grants }: ClaimPart): number[] => [
  ...Object.keys(grants.classes ?? {}).map((name) => at(hosts.classColumns(name).free, index)),
  plainMemoryLeft(hosts, index),
]
