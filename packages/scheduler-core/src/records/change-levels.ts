import { type StatsVersion, statsVersionOf } from '../report/stats-versions.ts'
import type { PublishedSpec, SpecVersion } from '../request/versions.ts'
import { DISK_POOL_KEY } from '../values/aggregate-keys.ts'
import { ALLOCATION_RULES, COUNTED_RESERVATIONS, HOSTS_LEAVE, LISTED_CLAIMS, STRICT_CLAIMS } from '../values/levels.ts'
import { type Change, isProposal } from './change.ts'
import { levelOfNamespace } from './namespace-names.ts'
import { profileLevel } from './profile.ts'

/** The lowest feature level at which a type of change can be written. Types that are not in the list need level 1. */
const levels: Partial<Record<Change['type'], number>> = {
  move: 2,
  revoke: 2,
  liveness: 2,
  group: 2,
  membership: 2,
  rollout: 4,
  usedFrom: STRICT_CLAIMS,
  hostAllocation: ALLOCATION_RULES,
  fleetAllocation: ALLOCATION_RULES,
  instances: 8,
  attempt: 8,
  'key-limits': 8,
  forget: HOSTS_LEAVE,
  readmit: HOSTS_LEAVE,
  replace: HOSTS_LEAVE,
}

/** The lowest feature level at which a version of requests can be written. */
const specLevels: Readonly<Record<SpecVersion, number>> = { '1.0': 1, '1.1': 3, '1.2': 5, '1.3': 10 }

/** The lowest feature level at which a version of reports can be written. */
const statsLevels: Readonly<Record<StatsVersion, number>> = { '1.0': 1, '1.1': 3, '1.2': 5, '1.3': 9, '1.4': 10 }

/** The lowest feature level at which the change can be written. Every replica must be able to read this level. */
export const levelOf = (change: Change): number => Math.max(levels[change.type] ?? 1, levelOfContent(change))

/** Properties of a call that determine at which feature level it can be decided. */
export interface CallTraits {
  readonly isMove: boolean
  /** True if the record of the decision will contain answers of filters or weighers outside of the process. */
  readonly isAnswered: boolean
}

/** The lowest feature level at which a request can be decided. */
export const levelOfRequest = (request: PublishedSpec, { isMove, isAnswered }: CallTraits): number =>
  Math.max(isAnswered ? 7 : isMove ? 2 : 1, specLevels[request.version])

function levelOfContent(change: Change): number {
  if (isProposal(change)) {
    if (change.untilCounted === true) return COUNTED_RESERVATIONS
    if (change.type === 'instances' && change.isListed === true) return LISTED_CLAIMS
    const takesOfPools = change.parts.some(({ grants }) => grants.pools !== undefined)
    return Math.max(specLevels[change.decision.request.version], change.decision.outside !== undefined ? 7 : takesOfPools ? 6 : 1)
  }
  if (change.type === 'aggregate')
    return Math.max(change.next?.metadata[DISK_POOL_KEY] === undefined ? 1 : 6, change.by === undefined ? 1 : ALLOCATION_RULES)
  if (change.type === 'report' && change.full !== undefined) return statsLevels[statsVersionOf(change.full)]
  if (change.type === 'profile') return profileLevel(change.profile)
  if (change.type === 'namespace') return levelOfNamespace(change.namespace)
  return 1
}
