import type { ActivityStore } from '../db/tables/activity.ts'
import type { DecisionCountStore } from '../db/tables/decision-counts.ts'
import type { HostTimelineStore } from '../db/tables/host-timeline.ts'
import type { RolloutStore } from '../db/tables/rollouts.ts'
import type { LoadedPlugin } from '../plugin/open-plugins.ts'
import type { Documents } from '../plugin/outside/documents.ts'
import type { Outside } from '../plugin/outside/outside.ts'
import type { DecisionFeed } from '../replica/follow/decision-feed.ts'
import type { History } from '../replica/follow/history.ts'
import type { Replica } from '../replica/replica.ts'
import type { RolloutFindings } from '../replica/rollout/rollout-findings.ts'
import type { Shadow } from '../replica/rollout/shadow.ts'
import { pluginsOfOthers } from '../replica/watch/registry.ts'
import type { ReplicaStatus } from '../replica/watch/status.ts'
import type { AskSolver, Solve } from '../solver/ask-solver.ts'
import type { ApiKeyStore } from '../stores/api-keys.ts'
import type { LogReader } from '../sync/synchronizer.ts'
import { createAggregateReplay, type ReplayAggregateEdit } from './aggregate/aggregate-replay.ts'
import { createAggregateWarnings, type WarnOfAggregateEdit } from './aggregate/aggregate-warnings.ts'
import { type Aggregates, createAggregates } from './aggregate/aggregates.ts'
import type { Audit } from './audit/audit.ts'
import { type Claims, createClaims } from './claim/claims.ts'
import { type Activities, createActivities } from './decision/activity.ts'
import { type CompareDecisions, createCompareDecisions } from './decision/compare-decisions.ts'
import { createDecisionCounts, type DecisionCounts } from './decision/decision-counts.ts'
import { createDecisions, type Decisions, type Records } from './decision/decisions.ts'
import { createReportAges, type ReportAges } from './decision/report-ages.ts'
import { createVerifyDecision, type VerifyDecision } from './decision/verify-decision.ts'
import { createExplain, type Explain } from './explanation/explain.ts'
import { createTenantExplanations, type TenantExplanations } from './explanation/tenant-explanation.ts'
import { createFleetAllocations, type FleetAllocations } from './fleet/fleet-allocation.ts'
import { createFleetReader, type FleetReader } from './fleet/fleet-columns.ts'
import { createKeyLimits, type KeyLimits } from './fleet/key-limits.ts'
import type { LogKeeping } from './fleet/log.ts'
import { createGroups, type Groups } from './group/groups.ts'
import { createHostTimelines, type HostTimelines } from './host/host-timeline.ts'
import { createHosts, type Hosts } from './host/hosts.ts'
import { createLeaving, type Leaving } from './host/leaving.ts'
import { createLiveness, type Listening, type LivenessService } from './host/liveness.ts'
import { createKeys, type Keys } from './key/keys.ts'
import { createMoments, type Moments } from './moments/moments.ts'
import { createRelocation, type Relocation } from './move/relocation.ts'
import { createRequestReader } from './placement/asked-request.ts'
import { createPlacement, type Placement } from './placement/placement.ts'
import { type CompareProfiles, createCompareProfiles } from './profile/compare-profiles.ts'
import { createPlugins, type Plugins } from './profile/plugins.ts'
import { createProfiles, type Profiles } from './profile/profiles.ts'
import { createRollouts, type Rollouts } from './profile/rollouts.ts'
import { createUnusedParts, type FindUnusedParts } from './profile/unused-parts.ts'
import { createFindingRepairs, type FindingRepairs } from './replica/finding-repairs.ts'
import { createHealth, type Degraded, type Health } from './replica/health.ts'
import { createReplicas, type Replicas } from './replica/replicas.ts'
import type { Setting } from './replica/settings.ts'
import { createRequiredStats, type RequiredStats } from './stats/required-stats.ts'
import { createStats, type Stats } from './stats/stats.ts'
import { createWatch, type Watch } from './watch/watch.ts'
import { type Capacities, createCapacities } from './what-if/capacity.ts'
import { createHypotheticals } from './what-if/hypothetical.ts'
import { createSimulations, type Simulations } from './what-if/simulate.ts'
import { createRemedies, type Remedies } from './what-if/what-would-fit.ts'

/** The services of this process. Each serves one kind of object. */
export interface Services {
  readonly placement: Placement
  readonly relocation: Relocation
  readonly stats: Stats
  readonly claims: Claims
  readonly hosts: Hosts
  readonly leaving: Leaving
  readonly hostTimelines: HostTimelines
  readonly health: Health
  readonly liveness: LivenessService
  readonly aggregates: Aggregates
  readonly replayAggregateEdit: ReplayAggregateEdit
  readonly warnOfAggregateEdit: WarnOfAggregateEdit
  readonly groups: Groups
  readonly keyLimits: KeyLimits
  readonly fleetAllocations: FleetAllocations
  readonly decisions: Decisions
  readonly activities: Activities
  readonly decisionCounts: DecisionCounts
  readonly explain: Explain
  readonly compareDecisions: CompareDecisions
  readonly compareProfiles: CompareProfiles
  readonly findUnusedParts: FindUnusedParts
  readonly capacities: Capacities
  readonly verifyDecision: VerifyDecision
  readonly simulations: Simulations
  readonly remedies: Remedies
  readonly tenantExplanations: TenantExplanations
  readonly profiles: Profiles
  readonly rollouts: Rollouts
  readonly plugins: Plugins
  readonly requiredStats: RequiredStats
  readonly watch: Watch
  readonly fleet: FleetReader
  readonly log: LogKeeping
  readonly replicas: Replicas
  readonly findingRepairs: FindingRepairs
  readonly reportAges: ReportAges
  readonly keys: Keys
  readonly audit: Audit
  readonly moments: Moments
  /** The settings of this process. */
  readonly settings: readonly Setting[]
  /** The revision that this replica has applied. */
  revision(): number
}

export interface ServicesOptions extends Records {
  readonly activity: ActivityStore
  readonly timeline: HostTimelineStore
  readonly decisionCounts: DecisionCountStore
  readonly replica: Replica
  readonly history: History
  /** Calls external plug-ins before a decision. */
  readonly outside: Outside
  /** Checks the documents of plug-ins' namespaces. */
  readonly documents: Documents
  /** Solves requests under profiles with the scheduler `solver`, which arranges all instances of a request together. */
  readonly solve: Solve
  /** A separate solver for simulations. Otherwise real placements would wait for simulations. */
  readonly askSimulated: AskSolver
  readonly shadow: Shadow
  /** The stored findings of rollouts. `findings` stores those of this replica that are not stored yet. */
  readonly rollouts: RolloutStore
  readonly findings: Pick<RolloutFindings, 'flush'>
  readonly feed: DecisionFeed
  readonly log: LogKeeping
  /** The log from which a replica can be healed. */
  readonly past: LogReader
  readonly status: ReplicaStatus
  readonly keys: ApiKeyStore
  readonly audit: Audit
  readonly listening: Listening
  /** The problems with which this replica continues to work at present. */
  degraded(): readonly Degraded[]
  /** The plug-ins that this process has loaded. */
  readonly plugins: readonly LoadedPlugin[]
  readonly settings: readonly Setting[]
}

export function createServices({
  replica,
  history,
  outside,
  documents,
  solve,
  askSimulated,
  shadow,
  rollouts,
  findings,
  feed,
  log,
  past,
  status,
  keys,
  audit,
  listening,
  degraded,
  plugins,
  settings,
  activity,
  timeline,
  decisionCounts,
  ...records
}: ServicesOptions): Services {
  const decisions = createDecisions(replica, records)
  const placement = createPlacement(replica, decisions, outside)
  const liveness = createLiveness(replica, listening)
  const moments = createMoments(replica, history, past)
  const hypotheticals = createHypotheticals(replica, moments, { outside, decisions })
  const explain = createExplain(replica, history, decisions, outside)
  const readRequest = createRequestReader(decisions)
  return {
    placement,
    relocation: createRelocation(replica, decisions, placement, { outside, solve }),
    stats: hearingReports(createStats(replica, documents), liveness),
    claims: createClaims(replica),
    hosts: createHosts(replica),
    leaving: createLeaving(replica),
    hostTimelines: createHostTimelines({ replica, store: timeline, caughtUp: () => decisions.caughtUp() }),
    health: createHealth(replica, status.auditor, degraded),
    liveness,
    aggregates: createAggregates(replica),
    replayAggregateEdit: createAggregateReplay({ replica, store: records.decisions, decisions }),
    warnOfAggregateEdit: createAggregateWarnings({ replica, store: records.decisions, decisions }),
    groups: createGroups(replica),
    keyLimits: createKeyLimits(replica),
    fleetAllocations: createFleetAllocations(replica),
    decisions,
    activities: createActivities(replica, placement, activity, () => decisions.caughtUp()),
    decisionCounts: createDecisionCounts(replica, decisionCounts, () => decisions.caughtUp()),
    explain,
    compareDecisions: createCompareDecisions(replica, history, decisions),
    verifyDecision: createVerifyDecision(replica, history, decisions, records.decisions),
    compareProfiles: createCompareProfiles({
      replica,
      history,
      past,
      store: records.decisions,
      decisions,
      caughtUp: () => decisions.caughtUp(),
    }),
    findUnusedParts: createUnusedParts({ replica, history, past, store: records.decisions, caughtUp: () => decisions.caughtUp() }),
    tenantExplanations: createTenantExplanations(replica, explain),
    capacities: createCapacities(hypotheticals, readRequest),
    simulations: createSimulations(hypotheticals, readRequest, askSimulated),
    remedies: createRemedies(hypotheticals, readRequest, decisions),
    profiles: createProfiles(replica, shadow),
    rollouts: createRollouts(replica, rollouts, findings),
    plugins: createPlugins(plugins),
    requiredStats: createRequiredStats(replica, () => pluginsOfOthers(status.registry.last, replica.name)),
    watch: createWatch(replica, decisions, feed),
    fleet: createFleetReader(replica),
    log,
    replicas: createReplicas(replica, past, status),
    findingRepairs: createFindingRepairs({ replica, auditor: status.auditor, decisions, placement }),
    reportAges: createReportAges(replica, history),
    keys: createKeys(keys),
    audit,
    moments,
    settings,
    revision: () => replica.fleet.place.revision,
  }
}

/** Treats every report as a sign of life of its host, even if the report is refused. */
const hearingReports = (stats: Stats, liveness: LivenessService): Stats => ({
  async update(reports, limits) {
    const answer = await stats.update(reports, limits)
    // if storing the sign of life fails, the report must not fail; the host then becomes UP at its next sign of life
    await liveness.heartbeat(reports.map(({ name }) => name)).catch(() => undefined)
    return answer
  },
})
