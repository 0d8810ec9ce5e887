export { amountText, counted } from './amount-text.ts'
export * from './audit/index.ts'
export { byCodeUnit, canonicalJson } from './canonical-json.ts'
export type { Admission } from './cause/admission.ts'
export { type Cause, causeInSteps, causeOf } from './cause/cause.ts'
export { causeText } from './cause/cause-text.ts'
export { nearMissesIn } from './cause/near-misses.ts'
export type { HostRefusal, NearestHost, Refusals } from './cause/refusal.ts'
export { shortfallsOf, shortfallsText } from './cause/shortfalls.ts'
export { reasonCodes } from './cause/words.ts'
export type { BoundKey } from './claims/bound-key.ts'
export { type Claim, type ClaimState, claimStates, isLive, type StoredClaim } from './claims/claim.ts'
export { EndedChunk } from './claims/ended-chunk.ts'
export { type InstanceScope, isOverdue, isSameScope, type LiveClaim, liveClaimsOf, scopeOf } from './claims/instances.ts'
export { KEY_CAP, type Void } from './claims/judge.ts'
export { DEFAULT_KEY_LIMITS, KEY_AFTERLIFE_MS, type KeyLimits, type Ledger } from './claims/ledger.ts'
export { type Code, codes } from './codes.ts'
export * from './compare/index.ts'
export type {
  DecisionRecord,
  Destination,
  FilterCount,
  InstanceRecord,
  RankedHost,
  SelectedDestination,
} from './decision/decision.ts'
export { otherCode } from './decision/other-code.ts'
export { type Beside, type KeptDecision, packDecision, unpackDecision } from './decision/packed.ts'
export { reasonText } from './decision/reason-text.ts'
export {
  decidedText,
  type FirstDifference,
  firstDifference,
  inputsText,
  matrixTexts,
  RECEIPT_FORMAT,
  type ReceiptPlace,
  type ReceiptRow,
  type ReplayedVerdicts,
  rowText,
} from './decision/receipt.ts'
export {
  checkAgain,
  checkAgainInSteps,
  examineAgain,
  examineAgainInSteps,
  examineEach,
  proposalsBefore,
  replay,
  replayInSteps,
  replayOtherwise,
  replayOtherwiseInSteps,
  wayOutAgain,
  withProposals,
} from './decision/replay.ts'
export { isUnsolved } from './decision/unsolved.ts'
export { type ClaimsSource, type Fact, type ReportSource, type Source, type SourceKind, shortfallOf, type Term } from './evidence.ts'
export type { Filter, FilterOptions, Verdict } from './filters/filter.ts'
export { filters, fitFilters } from './filters/index.ts'
export { ZONE_KEY } from './fleet/aggregate-keys.ts'
export type { Aggregate, Aggregates } from './fleet/aggregates.ts'
export {
  type Allocated,
  type AllocationSource,
  aggregateRatioKeys,
  allocationSources,
  isRatio,
  isReserved,
  ratioIn,
  ratioOf,
  reservedOf,
} from './fleet/allocation.ts'
export { type FleetAllocation, NO_ALLOCATION, type SetBy } from './fleet/allocation-settings.ts'
export * from './fleet/change.ts'
export { type AllocationAmounts, type UsedFrom, usedFromValues } from './fleet/change.ts'
export {
  CHECKPOINT_FORMAT,
  type Checkpoint,
  captureFleet,
  checkpointOf,
  rebuildFleet,
  restoreFleet,
  type StoredHost,
} from './fleet/checkpoint.ts'
export { at, type ClassColumns, type HostColumns } from './fleet/columns.ts'
export { copyFleet } from './fleet/copy.ts'
export { Fleet, type FleetReader, PLACE_WINDOW, UnknownEntryError } from './fleet/fleet.ts'
export { type Group, type Groups, membersKeep } from './fleet/groups.ts'
export type { HostName } from './fleet/host-name.ts'
export { COMPUTE, DEFAULT_ZONE, type HostRecord, type HostTable, hostKey, hostOfKey, type Reporter } from './fleet/hosts.ts'
export { holdsInstance } from './fleet/instances.ts'
export { claimsKeeping, nameAfter, refusesReplace } from './fleet/leave.ts'
export { ALLOCATION_RULES, HOSTS_LEAVE, KEPT_CAUSES, KEPT_DEVICES, OWN_AFFINITY, OWNERS_ATTEMPTS, STRICT_CLAIMS } from './fleet/levels.ts'
export { covers, fleetKeys, isExact, type MetadataRead, type MetadataReads, metadataReadsOf } from './fleet/metadata-reads.ts'
export { type FormerName, type Gone, nameAt } from './fleet/names.ts'
export { type Overlay, openOverlay } from './fleet/overlay.ts'
export {
  allNamesIn,
  heirOf,
  hostsOfManyNames,
  isNamedIn,
  type NamedHost,
  namesOf as hostNamesOf,
  nodesMeant,
  nodesNamed,
  presentHosts,
  presentName,
  withPresentNames,
} from './fleet/present-names.ts'
export { type HostStats, type HostStatsInput, mergeDelta, parseHostStats, parseStatsDelta, type StatsDelta } from './fleet/stats.ts'
export { type Reads, readsOf } from './fleet/stats-fields.ts'
export type { HostStatsV1_0 } from './fleet/stats-versions/v1-0.ts'
export { omittableFields } from './fleet/stats-versions/v1-2.ts'
export {
  CURRENT_STATS_VERSION,
  currentStats,
  type PublishedStats,
  publishedStats,
  type StatsVersion,
  statsIn,
  statsSchemas,
  statsVersions,
} from './fleet/stats-versions.ts'
export { atOnce, inSlices, SLICE, type Steps, sortInSteps } from './fleet/steps.ts'
export { countWarnings, type HostWarning, warningsOf, warningText } from './fleet/warnings.ts'
export type { HostIndex } from './host-index.ts'
export { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
export { type FragmentationOptions, logisticPoints } from './kinds/gpu/fragmentation.ts'
export type { KindName } from './kinds/grants.ts'
export { allKinds, asksPlain, kinds } from './kinds/index.ts'
export { sharedCpusLeft } from './kinds/numa/numa.ts'
export { type PciPool, pciPoolsOf } from './kinds/pci/pool.ts'
export { asksAges, ownThingsOf } from './namespace/affinities.ts'
export {
  isOwnNamespace,
  isRegistered,
  type Namespace,
  type NamespaceName,
  namespaceNamed,
  namespaces,
  ownNamespaces,
  registeredNamespaces,
} from './namespace/index.ts'
export { renewalAge } from './namespace/renewal.ts'
export { nearSpellings } from './near-spelling.ts'
export { countRuns, fromRuns, type OutsideAnswer, type Runs, toRuns } from './outside/answer.ts'
export { type AskedAndAnswered, answersFor, hasAnswers, withAnswers } from './outside/answered.ts'
export { weighedName } from './outside/answered-parts.ts'
export { BadAnswerError, checkAnswers, failedAnswer } from './outside/check-answers.ts'
export type { Question } from './outside/question.ts'
export { asksOf, type LookedAway, MOST_ASKED, questionsOf, unansweredOf } from './outside/questions.ts'
export type { ShownHost, ShownRequest } from './outside/shown.ts'
export { anywhere, requestKey } from './outside/shown.ts'
export { compileProfile, lacksOf, nameableParts, parseProfile } from './pipeline/compile.ts'
export type { PluginScheduler } from './pipeline/compiled-profile.ts'
export { distanceOf } from './pipeline/distance.ts'
export { type Check, type Examination, examine, type HostChecks, prepareChecks, refusalsInSteps, refusalsOf } from './pipeline/examine.ts'
export { type ExaminedStep, type Findings, NOT_THERE, PASSES_ALL } from './pipeline/findings.ts'
export { contributionAt, multiplierAt } from './pipeline/run-weighers.ts'
export { examineShadows, type ShadowStep } from './pipeline/shadow-filters.ts'
export { ignoredFields, unreadKeys } from './pipeline/unread.ts'
export { NO_REASON, type VerdictMatrix, verdictMatrix, verdictMatrixInSteps, withoutGone } from './pipeline/verdict-matrix.ts'
export { findUnplain, isPlain, PLAIN_RULE, showUnseen } from './plain-text.ts'
export { checkPlugin, joinPlugins } from './plugin/check-plugin.ts'
export type { Lease, LeaseProvider, Leases } from './plugin/lease-provider.ts'
export type { PluginNamespace } from './plugin/namespace.ts'
export {
  jsonSchemaOf,
  ofEachKind,
  type PartKind,
  type PartList,
  type PartLists,
  type Parts,
  partKinds,
  partLists,
  partsIn,
} from './plugin/part-kinds.ts'
export { PLUGIN_CONTRACT, type Plugin } from './plugin/plugin.ts'
export type { PluginRef } from './plugin/plugin-ref.ts'
export { noPlugins, type Plugins, pluginsOf } from './plugin/plugins.ts'
export type { PreparedFilter } from './prepared-filter.ts'
export { type Parsed, type Problem, problemAt, quote } from './problem.ts'
export {
  isInShare,
  type ProfileCourse,
  type ProfileState,
  profileState,
  type Rollout,
  type RolloutMode,
  rolloutModes,
  WHOLE_SHARE,
} from './profiles/course.ts'
export { type MetadataReader, metadataReaders, nearMisses, partsNaming } from './profiles/metadata-readers.ts'
export { isOwnScheduler, type PlacementRules, type Profile, type ProfileInput, profileRef, usualPlacement } from './profiles/profile.ts'
export { DEFAULT_PROFILE, type Profiles } from './profiles/profiles.ts'
export { type Need, type RequiredField, type RequiredNamespace, requiredStats, servedProfiles } from './profiles/required-stats.ts'
export { createRandom, hash32, type Random } from './random.ts'
export type { Reason, ReasonCount } from './reason.ts'
export { contradictionsOf, tooSmallForImage } from './request/contradictions.ts'
export { type Intent, intents } from './request/intent.ts'
export { limits } from './request/limits.ts'
export { type Members, membersAt, membersOf, requestAt } from './request/members.ts'
export { parseAs, parseRequestSpec } from './request/parse.ts'
export { type Demand, demandOf, type RequestSpec, type RequestSpecInput } from './request/request-spec.ts'
export {
  CURRENT_SPEC_VERSION,
  currentSpec,
  type PublishedSpec,
  publishedSpec,
  type SpecVersion,
  specIn,
  specSchemas,
  specVersions,
} from './request/versions.ts'
export { type Decided, type DecideInput, decide, decideInSteps, liftSource } from './schedulers/decide.ts'
export { groupOf } from './schedulers/filter-scheduler.ts'
export type { Scheduler, Selection, SelectOptions } from './schedulers/scheduler.ts'
export { holdsArrangement } from './schedulers/solver/check.ts'
export type { Row } from './schedulers/solver/draft.ts'
export { type FormulatedMoves, type FormulateMovesOptions, formulateMoves, holdsMoves, type Move } from './schedulers/solver/moves.ts'
export { DEFAULT_SOLVER_OPTIONS, type SolverOptions } from './schedulers/solver/options.ts'
export { type Formulated, type FormulateOptions, formulate, type Program } from './schedulers/solver/program.ts'
export {
  type BatchOfMoves,
  type FallbackReason,
  fallbackReasons,
  isFilterBetter,
  noSolution,
  type Solution,
  type SolutionStatus,
  type SolverRecord,
  solutionStatuses,
} from './schedulers/solver/solution.ts'
export { asksSolver } from './schedulers/solver-scheduler.ts'
export { wayOut, wayOutInSteps } from './schedulers/way-out.ts'
export { isStorable, shorten, toStorable } from './storable.ts'
export { demandsOfFilter, type TenantDemand, tenantDemandOf, tenantDemands } from './tenant-codes.ts'
export { CORE_VERSION } from './version.ts'
export { weighers } from './weighers/index.ts'
export type { Multipliers, Weigher, WeigherOptions } from './weighers/weigher.ts'
export * from './what-if/index.ts'
export { type HostChange, type HostFields, hostChangesBetween, hostFieldsOf } from './why/host-changes.ts'
export { type HostStep, type HostStepKind, hostStepKinds, hostStepsOf, TOLD_CHANGES } from './why/host-steps.ts'
export { MOST_MULTIPLIER } from './why/totals.ts'
export { type Flip, type Flips, openWeightLab, type WeightLab, type Without, winningMultipliersInSteps } from './why/weight-lab.ts'
