export * from './audit/index.ts'
export { filters, weighers } from './bundled.ts'
export type { Admission } from './cause/admission.ts'
export { type Cause, causeInSteps, causeOf } from './cause/cause.ts'
export { causeText } from './cause/cause-text.ts'
export type { HostRefusal, NearestHost, Refusals } from './cause/refusal.ts'
export { shortfallsOf, shortfallsText } from './cause/shortfalls.ts'
export { reasonCodes } from './cause/words.ts'
export { EndedChunk } from './claims/ended/ended-chunk.ts'
export type { StoredEndedKeys } from './claims/ended/ended-keys.ts'
export { DEFAULT_KEY_LIMITS, KEY_AFTERLIFE_MS, type KeyLimits } from './claims/idempotency-keys.ts'
export { type InstanceScope, isOverdue, isSameScope, type LiveClaim, liveClaimsOf, scopeOf } from './claims/instances.ts'
export { KEY_CAP, type Void } from './claims/judge.ts'
export { refusesListed } from './claims/judge-listed.ts'
export type { Ledger } from './claims/ledger.ts'
export * from './compare/index.ts'
export { isSameJson } from './compare/same-json.ts'
export type { PluginScheduler } from './contracts/compiled-profile.ts'
export type { Filter, FilterOptions, Verdict } from './contracts/filter.ts'
export type { Lease, LeaseProvider, Leases } from './contracts/lease-provider.ts'
export type { PluginNamespace } from './contracts/namespace.ts'
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
} from './contracts/part-kinds.ts'
export { PLUGIN_CONTRACT, type Plugin } from './contracts/plugin.ts'
export { noPlugins, type Plugins, pluginsOf } from './contracts/plugins.ts'
export { hostLeft, type Recorded, repeatedRequest, requestOfOne } from './contracts/repeated.ts'
export { restated } from './contracts/restated.ts'
export type { Scheduler, Selection, SelectOptions } from './contracts/scheduler.ts'
export { columnScore, type Multipliers, noPreference, type ScoreOf, type Weigher, type WeigherOptions } from './contracts/weigher.ts'
export { otherCode } from './decision/other-code.ts'
export { type KeptDecision, packDecision, type StoredFields, unpackDecision } from './decision/packed.ts'
export { asksOf, type LookedAway, MAX_ASKED, questionsOf, unansweredOf } from './decision/questions.ts'
export {
  decidedText,
  type FirstDifference,
  firstDifference,
  inputsText,
  matrixTexts,
  RECEIPT_FORMAT,
  type ReceiptPosition,
  type ReceiptRow,
  type ReplayedVerdicts,
  rowText,
} from './decision/receipt.ts'
export {
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
export { distanceOf } from './examine/distance.ts'
export { type Check, type Examination, examine, type HostChecks, prepareChecks, refusalsInSteps, refusalsOf } from './examine/examine.ts'
export { nearMissesIn } from './examine/near-misses.ts'
export { NO_REASON, type VerdictMatrix, verdictMatrix, verdictMatrixInSteps, withoutGone } from './examine/verdict-matrix.ts'
export { fitFilters } from './filters/index.ts'
export type { Aggregate, Aggregates } from './fleet/aggregates.ts'
export {
  CHECKPOINT_FORMAT,
  type Checkpoint,
  type CheckpointHead,
  captureFleet,
  checkpointOf,
  FleetBuilder,
  rebuildFleet,
  restoreFleet,
  type StoredHost,
} from './fleet/checkpoint.ts'
export { copyFleet, copyFleetAt, giveUpFleet } from './fleet/copy.ts'
export { Fleet, type FleetReader, PLACE_WINDOW, UnknownEntryError } from './fleet/fleet.ts'
export { claimsKeeping, nameAfter, refusesReplace } from './fleet/leave.ts'
export { type Overlay, openOverlay } from './fleet/overlay.ts'
export {
  allNamesIn,
  hostsOfManyNames,
  isNamedIn,
  type NamedHost,
  namesOf as hostNamesOf,
  nodesMeant,
  nodesNamed,
  presentHosts,
  presentName,
  replacementOf,
  withPresentNames,
} from './fleet/present-names.ts'
export { materialising } from './fleet/report.ts'
export { type HostWarning, WarningCounter, warningsOf, warningText } from './fleet/warnings.ts'
export {
  type Allocated,
  type AllocationSource,
  aggregateRatioKeys,
  allocationSources,
  isRatio,
  isReserved,
  isReservedInUse,
  ratioIn,
  ratioOf,
  reservedOf,
} from './hosts/allocation.ts'
export { classRow, classValue } from './hosts/classes/sparse-columns.ts'
export { at, type ClassColumns, type HostColumns } from './hosts/columns.ts'
export { type Group, type Groups, membersKeep } from './hosts/groups.ts'
export { hostAddress, hostOfKey } from './hosts/host-address.ts'
export { COMPUTE, DEFAULT_ZONE, type HostRecord, type HostTable, hostKey, type Reporter } from './hosts/hosts.ts'
export { holdsInstance } from './hosts/instances.ts'
export { covers, fleetKeys, isExact, type MetadataRead, type MetadataReads, metadataReadsOf } from './hosts/metadata-reads.ts'
export { type FormerName, type Gone, nameAt } from './hosts/names.ts'
export {
  classExcessOf,
  freedClassesOf,
  MAX_CLASSES,
  MAX_OWN_CLASSES,
  MAX_OWN_IN_RESERVE,
  newClassesOf,
  ownClassesOf,
  RESERVED_CLASSES,
} from './kinds/classes/class-limit.ts'
export { type FragmentationOptions, logisticPoints } from './kinds/gpu/fragmentation.ts'
export { allKinds, asksPlain, kinds } from './kinds/index.ts'
export { sharedCpusLeft } from './kinds/numa/numa.ts'
export { type PciPool, pciPoolsOf } from './kinds/pci/pool.ts'
export { type CollectorCount, type CollectorCounts, countCollectors } from './namespace/facts/collector-counts.ts'
export {
  type CollectorStatus,
  type CollectorsOfHost,
  collectorErrors,
  collectorStates,
  collectorsOf,
  unsentBy,
} from './namespace/facts/collectors.ts'
export { isOverruled } from './namespace/facts/taken.ts'
export {
  isFleetWide,
  isOwnNamespace,
  isRegistered,
  type Namespace,
  type NamespaceName,
  namespaceNamed,
  namespaces,
  ownNamespaces,
  registeredNamespaces,
} from './namespace/index.ts'
export { type AskedAndAnswered, answersFor, hasAnswers, withAnswers } from './outside/answered.ts'
export { weighedName } from './outside/answered-parts.ts'
export { BadAnswerError, checkAnswers, failedAnswer } from './outside/check-answers.ts'
export type { Question } from './outside/question.ts'
export type { ShownHost, ShownRequest } from './outside/shown.ts'
export { anywhere, requestKey } from './outside/shown.ts'
export { forgetSearches } from './pipeline/best-hosts/class-cache.ts'
export { compileProfile, lacksOf, nameableParts, parseProfile } from './pipeline/compile.ts'
export type { ShadowStep } from './pipeline/filtering/shadow-filters.ts'
export { type ExaminedStep, type Findings, NOT_PRESENT, PASSES_ALL } from './pipeline/findings.ts'
export { type MetadataReader, metadataReaders, nearMisses, partsNaming } from './pipeline/metadata-readers.ts'
export { asksAges, ownThingsOf } from './pipeline/namespaces/affinities.ts'
export { renewalAge } from './pipeline/namespaces/renewal.ts'
export { type Need, type RequiredField, type RequiredNamespace, requiredStats, servedProfiles } from './pipeline/required-stats.ts'
export { ignoredFields, unlocatedFields, unreadKeys } from './pipeline/unread.ts'
export { contributionAt, multiplierAt } from './pipeline/weighing/run-weighers.ts'
export { checkPlugin, joinPlugins } from './plugin/check-plugin.ts'
export { DEFAULT_PROFILE, type Profiles } from './profiles/profiles.ts'
export {
  type AllocationAmounts,
  type FleetAllocation,
  type FleetAmounts,
  NO_ALLOCATION,
  type SetBy,
} from './records/allocation-settings.ts'
export { countRuns, fromRuns, type OutsideAnswer, type Runs, toRuns } from './records/answer.ts'
export type { BoundKey } from './records/bound-key.ts'
export * from './records/change.ts'
export { type UsedFrom, usedFromValues } from './records/change.ts'
export * from './records/change-levels.ts'
export { type Claim, type ClaimState, claimStates, isLive, lapsesAt, type StoredClaim } from './records/claim.ts'
export {
  isInShare,
  type ProfileCourse,
  type ProfileState,
  profileState,
  type Rollout,
  type RolloutMode,
  rolloutModes,
  WHOLE_SHARE,
} from './records/course.ts'
export type {
  DecisionRecord,
  Destination,
  FilterCount,
  InstanceRecord,
  RankedHost,
  SelectedDestination,
} from './records/decision.ts'
export type { KindName } from './records/grants.ts'
export * from './records/place.ts'
export type { PluginRef } from './records/plugin-ref.ts'
export {
  isOwnScheduler,
  ownSchedulers,
  type PlacementRules,
  type Profile,
  type ProfileInput,
  placementSchema,
  profileRef,
  profileSchema,
  usualPlacement,
} from './records/profile.ts'
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
} from './records/solution.ts'
export { DEFAULT_SOLVER_OPTIONS, type SolverOptions } from './records/solver-options.ts'
export { isUnset as isRatioUnset } from './report/nova-ratios.ts'
export {
  type HostStats,
  type HostStatsInput,
  mergeDelta,
  parseHostStats,
  parseStatsDelta,
  type StatsDelta,
  statsDeltaV1,
} from './report/stats.ts'
export { type Reads, readsOf } from './report/stats-fields.ts'
export {
  CURRENT_STATS_VERSION,
  currentStats,
  type PublishedStats,
  publishedStats,
  type StatsVersion,
  statsIn,
  statsSchemas,
  statsVersions,
} from './report/stats-versions.ts'
export type { HostStatsV1_0 } from './report/versions/v1-0.ts'
export { omittableFields } from './report/versions/v1-2.ts'
export { contradictionsOf, tooSmallForImage } from './request/contradictions.ts'
export { areStoredUuids, forInstances, withOwnTexts } from './request/for-instances.ts'
export { type Intent, intents, mustLeave } from './request/intent.ts'
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
export { holdsArrangement } from './schedulers/solver/check.ts'
export type { Row } from './schedulers/solver/draft.ts'
export { type FormulatedMoves, type FormulateMovesOptions, formulateMoves, holdsMoves, type Move } from './schedulers/solver/moves.ts'
export { type Formulated, type FormulateOptions, formulate, type Program } from './schedulers/solver/program.ts'
export { asksSolver } from './schedulers/solver-scheduler.ts'
export { wayOut, wayOutInSteps } from './schedulers/way-out.ts'
export { amountText, counted } from './text/amount-text.ts'
export { type Code, codes } from './text/codes.ts'
export { type ClaimsSource, type Fact, type ReportSource, type Source, type SourceKind, shortfallOf, type Term } from './text/evidence.ts'
export { nearSpellings } from './text/near-spelling.ts'
export { findUnplain, isPlain, PLAIN_RULE, showUnseen } from './text/plain-text.ts'
export type { PreparedFilter } from './text/prepared-filter.ts'
export { type Parsed, type Problem, problemAt, quote } from './text/problem.ts'
export type { Reason, ReasonCount } from './text/reason.ts'
export { reasonText } from './text/reason-text.ts'
export { demandsOfFilter, type TenantDemand, tenantDemandOf, tenantDemands } from './text/tenant-codes.ts'
export { ZONE_KEY } from './values/aggregate-keys.ts'
export { byCodeUnit, canonicalJson } from './values/canonical-json.ts'
export type { HostIndex } from './values/host-index.ts'
export type { HostName } from './values/host-name.ts'
export { isJsonObject, type JsonObject, type JsonValue } from './values/json.ts'
export {
  ADDED_IN_PLACE,
  ALLOCATION_RULES,
  COUNTED_RESERVATIONS,
  ENDED_AS_HELD,
  HELD_RESERVATIONS,
  HOSTS_LEAVE,
  KEPT_CAUSES,
  KEPT_DEVICES,
  LISTED_CLAIMS,
  OWN_AFFINITY,
  OWNERS_ATTEMPTS,
  STRICT_CLAIMS,
} from './values/levels.ts'
export { createRandom, hash32, type Random } from './values/random.ts'
export { atOnce, inSlices, SLICE, type Steps, sortInSteps } from './values/steps.ts'
export { isStorable, shorten, toStorable } from './values/storable.ts'
export { CORE_VERSION } from './values/version.ts'
export * from './what-if/index.ts'
export { type HostChange, type HostFields, hostChangesBetween, hostFieldsOf } from './why/host-changes.ts'
export { type HostStep, type HostStepKind, hostStepKinds, hostStepsOf, LISTED_CHANGES } from './why/host-steps.ts'
export { MAX_MULTIPLIER } from './why/totals.ts'
export { type Flip, type Flips, openWeightLab, type WeightLab, type Without, winningMultipliersInSteps } from './why/weight-lab.ts'
