import type { ActivityStore } from '../db/activity.ts'
import type { DecisionCountStore } from '../db/decision-counts.ts'
import type { HostTimelineStore } from '../db/host-timeline.ts'
import type { RolloutStore } from '../db/rollouts.ts'
import type { LoadedPlugin } from '../plugin/open-plugins.ts'
import type { Documents } from '../plugin/outside/documents.ts'
import type { Outside } from '../plugin/outside/outside.ts'
import type { History } from '../replica/history.ts'
import type { Replica } from '../replica/replica.ts'
import type { RolloutFindings } from '../replica/rollout-findings.ts'
import type { Shadow } from '../replica/shadow.ts'
import type { Standing } from '../replica/standing.ts'
import type { AskSolver, Solve } from '../solver/ask-solver.ts'
import type { ApiKeyStore } from '../stores/api-keys.ts'
import type { LogReader } from '../sync/synchronizer.ts'
import { type Activities, createActivities } from './activity.ts'
import { createAggregateReplay, type ReplayAggregateEdit } from './aggregate-replay.ts'
import { createAggregateWarnings, type WarnOfAggregateEdit } from './aggregate-warnings.ts'
import { type Aggregates, createAggregates } from './aggregates.ts'
import { createRequestReader } from './asked-request.ts'
import type { Audit } from './audit.ts'
import { type Capacities, createCapacities } from './capacity.ts'
import { type Claims, createClaims } from './claims.ts'
import { type CompareDecisions, createCompareDecisions } from './compare-decisions.ts'
import { type CompareProfiles, createCompareProfiles } from './compare-profiles.ts'
import { createDecisionCounts, type DecisionCounts } from './decision-counts.ts'
import { createDecisions, type Decisions, type Records } from './decisions.ts'
import { createExplain, type Explain } from './explain.ts'
import { createFindingRepairs, type FindingRepairs } from './finding-repairs.ts'
import { createFleetAllocations, type FleetAllocations } from './fleet-allocation.ts'
import { createFleetReader, type FleetReader } from './fleet-columns.ts'
import { createGroups, type Groups } from './groups.ts'
import { createHealth, type Degraded, type Health } from './health.ts'
import { createHostTimelines, type HostTimelines } from './host-timeline.ts'
import { createHosts, type Hosts } from './hosts.ts'
import { createHypotheticals } from './hypothetical.ts'
import { createKeyLimits, type KeyLimits } from './key-limits.ts'
import { createKeys, type Keys } from './keys.ts'
import { createLeaving, type Leaving } from './leaving.ts'
import { createLiveness, type Listening, type LivenessService } from './liveness.ts'
import type { LogKeeping } from './log.ts'
import { createMoments, type Moments } from './moments.ts'
import { createPlacement, type Placement } from './placement.ts'
import { createPlugins, type Plugins } from './plugins.ts'
import { createProfiles, type Profiles } from './profiles.ts'
import { createRelocation, type Relocation } from './relocation.ts'
import { createReplicas, type Replicas } from './replicas.ts'
import { createReportAges, type ReportAges } from './report-ages.ts'
import { createRequiredStats, type RequiredStats } from './required-stats.ts'
import { createRollouts, type Rollouts } from './rollouts.ts'
import type { Setting } from './settings.ts'
import { createSimulations, type Simulations } from './simulate.ts'
import { createStats, type Stats } from './stats.ts'
import { createTenantExplanations, type TenantExplanations } from './tenant-explanation.ts'
import { createUnusedParts, type FindUnusedParts } from './unused-parts.ts'
import { createVerifyDecision, type VerifyDecision } from './verify-decision.ts'
import { createWatch, type DecisionFeed, type Watch } from './watch.ts'
import { createRemedies, type Remedies } from './what-would-fit.ts'

/** Everything that can be asked of this process, one noun each. */
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
  /** What this process is set to. */
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
  /** Whom to ask before something is decided. */
  readonly outside: Outside
  /** Who checks documents of the namespaces of plug-ins. */
  readonly documents: Documents
  /** Who solves what is to be arranged together. */
  readonly solve: Solve
  /** Who is asked about what is only simulated: nobody who is to be placed waits for it. */
  readonly askSimulated: AskSolver
  readonly shadow: Shadow
  /** What shadows found, and what this one's did that is not there yet. */
  readonly rollouts: RolloutStore
  readonly findings: Pick<RolloutFindings, 'flush'>
  readonly feed: DecisionFeed
  readonly log: LogKeeping
  /** The log to heal from. */
  readonly past: LogReader
  readonly standing: Standing
  readonly keys: ApiKeyStore
  readonly audit: Audit
  readonly listening: Listening
  /** What is missing now. */
  degraded(): readonly Degraded[]
  /** What this process has loaded. */
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
  standing,
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
    health: createHealth(replica, standing.auditor, degraded),
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
    requiredStats: createRequiredStats(replica),
    watch: createWatch(replica, decisions, feed),
    fleet: createFleetReader(replica),
    log,
    replicas: createReplicas(replica, past, standing),
    findingRepairs: createFindingRepairs({ replica, auditor: standing.auditor, decisions, placement }),
    reportAges: createReportAges(replica, history),
    keys: createKeys(keys),
    audit,
    moments,
    settings,
    revision: () => replica.fleet.place.revision,
  }
}

/** A host that reports is alive, whatever became of the report. */
const hearingReports = (stats: Stats, liveness: LivenessService): Stats => ({
  async update(reports, limits) {
    const answer = await stats.update(reports, limits)
    // the report stands in any case; a host that could not be said to be UP now is at its next sign of life
    await liveness.heartbeat(reports.map(({ name }) => name)).catch(() => undefined)
    return answer
  },
})
