import type { HostTable } from '../hosts/hosts.ts'
import { type ClaimPart, type Proposal, projectOf } from '../records/change.ts'
import type { Claim, OwnClaim } from '../records/claim.ts'
import type { HostIndex } from '../values/host-index.ts'
import { STRICT_CLAIMS } from '../values/levels.ts'
import { OWNER, type Owner } from '../values/owner.ts'
import { growsInPlace, surplusOf } from './in-place.ts'
import { scopeOf } from './instances.ts'

/** Where and when a claim is made. `source` is the claim that a move replaces. */
interface Origin {
  readonly host: HostIndex
  readonly fence: number
  readonly revision: number
  readonly now: number
  readonly source: Claim | null
}

/** The claim that a part of a proposal makes, for the table with the token `owner`. */
export const newClaim = (
  hosts: HostTable,
  change: Proposal,
  { claim: id, instance, grants }: ClaimPart,
  { host, fence, revision, now, source }: Origin,
  owner: Owner,
): OwnClaim => ({
  id,
  instance,
  account: change.account,
  ...scopeOfNew(hosts, change, source),
  key: change.key,
  host,
  grants,
  group: change.group?.uuid ?? null,
  decision: change.decision.id,
  fence,
  createdAt: now,
  ...firstStateOf(change, now),
  ...{ untilCounted: change.untilCounted ?? null, heldUntil: null, endedAt: null, reason: null },
  revision,
  source: source?.id ?? null,
  target: null,
  extra: source !== null && growsInPlace(hosts, source, host, grants) ? surplusOf(grants, source.grants) : null,
  extraSince: null,
  unlistedAt: null,
  [OWNER]: owner,
})

/** The scope of a new claim's instance. It is stored since feature level 8. A move has the scope of its source claim. */
function scopeOfNew(hosts: HostTable, change: Proposal, source: Claim | null): Pick<Claim, 'project' | 'instanceAccount'> {
  if (hosts.featureLevel < STRICT_CLAIMS) return { project: null, instanceAccount: null }
  if (source === null) return { project: projectOf(change), instanceAccount: null }
  const { account, project } = scopeOf(source)
  return { project, instanceAccount: account === change.account ? null : account }
}

/** The first state of a claim. If its host already lists the instance, the claim is materialised at once. */
function firstStateOf(change: Proposal, now: number): Pick<Claim, 'state' | 'expiresAt' | 'confirmedAt'> {
  if (change.type === 'instances' && change.isListed === true) return { state: 'MATERIALISED', expiresAt: null, confirmedAt: now }
  return change.mode === 'RESERVE'
    ? { state: 'RESERVED', expiresAt: now + change.ttlMs, confirmedAt: null }
    : { state: 'CONFIRMED', expiresAt: null, confirmedAt: now }
}
