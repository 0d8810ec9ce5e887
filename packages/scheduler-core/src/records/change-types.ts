import type { Change } from './change.ts'

/** Every type of change that this release can apply. */
export const knownTypes: ReadonlySet<string> = new Set<Change['type']>([
  'claims',
  'move',
  'instances',
  'attempt',
  'key-limits',
  'confirm',
  'extend',
  'release',
  'revoke',
  'expire',
  'abandon',
  'report',
  'namespace',
  'status',
  'liveness',
  'usedFrom',
  'hostAllocation',
  'fleetAllocation',
  'forget',
  'readmit',
  'replace',
  'group',
  'membership',
  'aggregate',
  'profile',
  'activate',
  'rollout',
  'feature',
])

/** The changes that change only claims, and amounts of hosts that follow from claims. Moves and memberships are left out. */
export const claimChanges: ReadonlySet<string> = new Set<Change['type']>([
  'claims',
  'instances',
  'attempt',
  'key-limits',
  'confirm',
  'extend',
  'release',
  'revoke',
  'expire',
  'abandon',
])
