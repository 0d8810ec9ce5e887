import type { OwnClaim, StoredClaim } from '../records/claim.ts'
import type { HostIndex } from '../values/host-index.ts'
import { OWNER, type Owner } from '../values/owner.ts'

/** The claim that a checkpoint stores. All claims have their fields in one order, so that V8 uses one object shape for them. */
export const restoredClaim = (stored: StoredClaim, host: HostIndex, owner: Owner): OwnClaim => ({
  id: stored.id,
  instance: stored.instance,
  account: stored.account,
  project: stored.project ?? null,
  instanceAccount: stored.instanceAccount ?? null,
  key: stored.key,
  host,
  grants: stored.grants,
  group: stored.group,
  decision: stored.decision,
  fence: stored.fence,
  createdAt: stored.createdAt,
  state: stored.state,
  expiresAt: stored.expiresAt,
  confirmedAt: stored.confirmedAt,
  untilCounted: stored.untilCounted ?? null,
  heldUntil: stored.heldUntil ?? null,
  endedAt: stored.endedAt,
  reason: stored.reason,
  revision: stored.revision,
  source: stored.source ?? null,
  target: stored.target ?? null,
  extra: stored.extra ?? null,
  extraSince: stored.extraSince ?? null,
  unlistedAt: stored.unlistedAt ?? null,
  [OWNER]: owner,
})
