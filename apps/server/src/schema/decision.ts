import { type BatchOfMoves, type FilterCount, fallbackReasons, type SolverRecord, solutionStatuses } from '@gantt/scheduler-core'
import {
  causeOfRefusal,
  type DecisionPage,
  type DecisionView,
  type LostTry as LostTryShape,
  type StoredDecision,
} from '../services/decisions.ts'
import { sentenceOf } from '../services/outcome.ts'
import { solverSentence } from '../services/solver-text.ts'
import type { DecisionEvent as DecisionEventShape } from '../services/watch.ts'
import { builder } from './builder.ts'
import { connectionOf, pageArgs } from './connection.ts'
import type { Context } from './context.ts'
import { GapEvent } from './events.ts'
import { idOf } from './ids.ts'
import { ExplainLevel, InstanceDestinations } from './placement.ts'
import { PluginVersion } from './plugin.ts'
import { ReasonCount, RefusalCause } from './reasons.ts'
import { Decision, Explanation, Host, ProfileVersion } from './refs.ts'
import { RequestSpec } from './request-spec.ts'

export const DecisionOutcome = builder.enumType('DecisionOutcome', {
  description: 'How a decision ended.',
  values: ['PLACED', 'PARTIAL', 'NO_VALID_HOST', 'REJECTED', 'SIMULATED'] as const,
})

/** The request of a decision, which its record holds whole. */
const specOf = ({ requestSpecId: id, record: { request }, at }: StoredDecision) => ({
  id,
  version: request.version,
  document: request,
  createdAt: at,
})

const described = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, description]) => [name, { description }]))

const SolverStatus = builder.enumType('SolverStatus', {
  description: 'How a search for the best arrangement ended.',
  values: described(solutionStatuses),
})

export const SolverTaken = builder.enumType('SolverTaken', {
  description: 'Whose arrangement was taken.',
  values: { SOLVER: { description: "The solver's." }, FILTER: { description: "The filter scheduler's." } } as const,
})

export const SolverFallback = builder.enumType('SolverFallback', {
  description: "Why the filter scheduler's arrangement was taken.",
  values: described(fallbackReasons),
})

const SolverBatch = builder.objectRef<BatchOfMoves>('SolverBatch').implement({
  description: 'Moves that were solved together.',
  fields: (t) => ({
    moveCount: t.exposeInt('moves', { description: 'How many.' }),
    placedCount: t.exposeInt('placed', { description: 'Those that have a place in the arrangement.' }),
    filterPlacedCount: t.exposeInt('filterPlaced', {
      nullable: true,
      description: 'Those that the filter scheduler placed, one behind the other; null: not known.',
    }),
  }),
})

export const SolverOutcome = builder.objectRef<SolverRecord>('SolverOutcome').implement({
  description: 'How a decision of the scheduler SOLVER came about.',
  fields: (t) => ({
    status: t.field({ type: SolverStatus, description: 'How the search ended.', resolve: ({ solution }) => solution.status }),
    taken: t.expose('taken', { type: SolverTaken, description: 'Whose arrangement was taken.' }),
    why: t.expose('why', { type: SolverFallback, nullable: true, description: "Why the filter scheduler's; null: it is the solver's." }),
    text: t.string({ description: 'The same as a sentence.', resolve: solverSentence }),
    batch: t.field({
      type: SolverBatch,
      nullable: true,
      description:
        'Of an evacuation, the moves that were solved together: objective, bound, gap and size are those of all; null: one request.',
      resolve: ({ solution }) => solution.batch ?? null,
    }),
    objective: t.exposeFloat('objective', {
      nullable: true,
      description: "The worth of the solver's arrangement; null: it has none that holds.",
    }),
    filterObjective: t.exposeFloat('filterObjective', {
      nullable: true,
      description: "The worth of the filter scheduler's arrangement; null: it does not place all instances.",
    }),
    bound: t.float({ nullable: true, description: 'No arrangement is worth more.', resolve: ({ solution }) => solution.bound }),
    gap: t.float({
      nullable: true,
      description: '(bound - objective) / |objective|, as the solver left it.',
      resolve: ({ solution }) => solution.gap,
    }),
    nodes: t.int({ description: 'Branches that were looked at.', resolve: ({ solution }) => solution.nodes }),
    columns: t.int({ nullable: true, description: 'Size of the program.', resolve: ({ solution }) => solution.size?.columns ?? null }),
    rows: t.int({ nullable: true, description: 'Size of the program.', resolve: ({ solution }) => solution.size?.rows ?? null }),
    candidates: t.int({
      nullable: true,
      description: 'Hosts that were looked at.',
      resolve: ({ solution }) => solution.size?.candidates ?? null,
    }),
    passing: t.int({
      nullable: true,
      description: 'Hosts that passed for the first instance of some kind.',
      resolve: ({ solution }) => solution.size?.passing ?? null,
    }),
    detail: t.string({ nullable: true, description: 'What failed.', resolve: ({ solution }) => solution.detail }),
  }),
})

builder.node(Decision, {
  description: 'What was decided for a request, and everything that makes the decision again.',
  id: { resolve: ({ id }) => id, description: 'Global id.' },
  loadOne: (id, { decisions }) => decisions.find(id),
  fields: (t) => ({
    outcome: t.field({ type: DecisionOutcome, description: 'How it ended.', resolve: async (view) => (await view.load()).outcome }),
    at: t.field({ type: 'DateTime', description: 'Store time.', resolve: async (view) => (await view.load()).at }),
    account: t.string({ description: 'The service account that asked.', resolve: async (view) => (await view.load()).account }),
    instanceUuids: t.field({
      type: ['UUID'],
      description: 'The instances, where the caller named them.',
      resolve: async (view) => [...(await view.load()).record.request.instanceUuids],
    }),
    requestIds: t.stringList({
      description:
        'Ids of the requests that it answered, the first that asked first, then those that came again with its idempotency key: as the audit has them, a moment after the answer. None for what moves off a host.',
      resolve: async ({ id }, _args, { decisions }) => [...(await decisions.requestIds(id))],
    }),
    spec: t.field({ type: RequestSpec, description: 'What was asked.', resolve: async (view) => specOf(await view.load()) }),
    ignoredFields: t.stringList({
      nullable: true,
      description:
        'Paths of what was asked without effect, since nothing in the profile version that decided reads it, as this release knows; null when it does not know that version.',
      resolve: async (view, _args, { decisions }) => decisions.ignoredFields(await view.load()),
    }),
    profile: t.field({
      type: ProfileVersion,
      nullable: true,
      description: 'The profile version that decided; null when this replica does not know it.',
      resolve: async (view, _args, { profiles }) => profiles.version((await view.load()).record.profile),
    }),
    seed: t.string({ description: 'Seed of every random choice.', resolve: async (view) => (await view.load()).record.seed }),
    coreVersion: t.string({ description: 'Release of the code that decided.', resolve: async (view) => (await view.load()).record.core }),
    plugins: t.field({
      type: [PluginVersion],
      description: 'The plug-ins whose parts the profile names, in the versions that decided.',
      resolve: async (view) => [...((await view.load()).record.plugins ?? [])],
    }),
    fleetRevision: t.field({
      type: 'Revision',
      description: 'The state that it was decided on.',
      resolve: async (view) => (await view.load()).place.basis,
    }),
    attempt: t.int({
      description: 'How often the request was decided, this time included.',
      resolve: async (view) => (await view.load()).record.attempt,
    }),
    durationMs: t.float({
      nullable: true,
      description:
        'How long the replica that made it took to decide it, the last time: without waiting, and without what was asked outside of it before; null: not measured, as by older releases.',
      resolve: async (view) => durationOf(await view.load()),
    }),
    lostTries: t.field({
      type: [LostTry],
      description:
        'The times that it was decided before and did not count, oldest first, as the log proves them. A try whose entry the store refused before it was in the log is counted in attempt alone.',
      resolve: async (view, _args, { decisions }) => [...(await decisions.lostTries(await view.load()))],
    }),
    previous: t.field({
      type: Decision,
      nullable: true,
      description:
        'The decision that it tries again: the last in the hour before it that the same account asked for the same instance and intent (of a move, from the same claim); null where there is none, or the request names no instance.',
      resolve: async (view, _args, { decisions }) => decisions.previous(await view.load()),
    }),
    destinations: t.field({
      type: [InstanceDestinations],
      description: 'In the order of the instances; empty when none was placed.',
      resolve: async (view, _args, { decisions }) => decisions.destinationsOf(await view.load()),
    }),
    reasons: t.field({
      type: [ReasonCount],
      description:
        'Why hosts were refused, where an instance found none: each counted once; since feature level 10 in the order of the cause, with its code first.',
      resolve: async (view) => [...(await view.load()).reasons],
    }),
    cause: t.field({
      type: RefusalCause,
      nullable: true,
      description:
        'Why no host was found; null where some or all instances were placed. Of a refusal from before feature level 10, the reason of most of the last hosts left.',
      resolve: async (view) => causeOfRefusal(await view.load()) ?? null,
    }),
    funnel: t.field({
      type: [FunnelStep],
      description:
        'Hosts left after each filter, as recorded when it was decided: filters of which the request asked nothing are left out.',
      args: { instanceIndex: t.arg.int({ description: 'Which instance; if not given the one that found no host, else the first.' }) },
      resolve: async (view, { instanceIndex }, { decisions }) => [...decisions.instanceOf(await view.load(), instanceIndex).filters],
    }),
    hostCount: t.int({
      description: 'Hosts that the request let in at all, for the instance that found no host, else the first.',
      resolve: async (view, _args, { decisions }) => decisions.instanceOf(await view.load(), null).candidates,
    }),
    solver: t.field({
      type: SolverOutcome,
      nullable: true,
      description: 'How the solver fared; null where none was to be asked: another scheduler, or one instance that is not of a batch.',
      resolve: async (view) => (await view.load()).record.solver ?? null,
    }),
    explanation: t.field({
      type: Explanation,
      description: 'Everything about it, made again.',
      args: {
        detail: t.arg({
          type: ExplainLevel,
          description: 'Has no effect.',
          deprecationReason: 'What is selected is answered.',
        }),
        shortCircuit: t.arg.boolean({ defaultValue: false, description: 'As ExplainPlacementInput.shortCircuit.' }),
      },
      resolve: async (view, { shortCircuit }, { explain }) => explain.decision(await view.load(), shortCircuit ?? false),
    }),
  }),
})

const durationOf = ({ tookUs }: Pick<StoredDecision, 'tookUs'>): number | null => (tookUs == null ? null : tookUs / 1_000)

const LostTry = builder.objectRef<LostTryShape>('LostTry').implement({
  description: 'A time that a request was decided and did not count: others had written first.',
  fields: (t) => ({
    attempt: t.exposeInt('attempt', { description: 'How often the request had been decided, that time included.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Store time.' }),
    fleetRevision: t.field({ type: 'Revision', description: 'The state that it was decided on.', resolve: ({ basis }) => basis }),
    revision: t.expose('revision', { type: 'Revision', description: 'Where its proposal is in the log.' }),
    code: t.exposeString('code', { description: 'Why it did not count (docs/errors.md).' }),
    text: t.string({ description: 'The same as a sentence.', resolve: ({ code }) => sentenceOf(code) }),
    hostNames: t.stringList({ description: 'The hosts that it had chosen; it held none of them.', resolve: ({ hosts }) => [...hosts] }),
    hosts: t.field({
      type: [Host],
      description: 'Those of them that are there, as they are now.',
      resolve: (tried, _args, { hosts }) => tried.hosts.flatMap((name) => hosts.byText(name) ?? []),
    }),
    durationMs: t.float({ nullable: true, description: 'As Decision.durationMs.', resolve: durationOf }),
  }),
})

const FunnelStep = builder.objectRef<FilterCount>('FunnelStep').implement({
  description: 'One filter of a decision, as recorded.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'The filter.' }),
    entered: t.exposeInt('entered', { description: 'Hosts that were still in.' }),
    passed: t.exposeInt('passed', { description: 'Hosts left.' }),
    errors: t.int({ description: 'Hosts refused because the filter failed on them.', resolve: ({ errors }) => errors ?? 0 }),
  }),
})

const DecisionConnection = connectionOf<DecisionView, DecisionPage>('Decision', Decision)

const UnreadableDecision = builder.objectRef<DecisionPage['unreadable'][number]>('UnreadableDecision').implement({
  description: 'A decision of which only the columns can be read. Asking for it by its id ends with the code RECORD_UNREADABLE.',
  fields: (t) => ({
    id: t.globalID({ description: 'The global id of the decision.', resolve: ({ id }) => ({ type: 'Decision', id }) }),
    outcome: t.expose('outcome', {
      type: DecisionOutcome,
      nullable: true,
      description: 'How it ended; null where that is what cannot be read.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Store time.' }),
    account: t.exposeString('account', { description: 'The service account that asked.' }),
    code: t.string({ description: 'RECORD_UNREADABLE.', resolve: () => 'RECORD_UNREADABLE' }),
    message: t.exposeString('unreadable', { description: 'Why it cannot be read.' }),
  }),
})

builder.objectField(DecisionConnection, 'unreadable', (t) =>
  t.field({
    type: [UnreadableDecision],
    description:
      'Decisions of this page that cannot be read, newest first: they are counted in totalCount and pages, and are not among the nodes. A key bound to a project is not told of them.',
    resolve: ({ unreadable }) => [...unreadable],
  }),
)

const TextEquals = builder.inputType('EqualsComparator', {
  description: 'Compares a text.',
  fields: (t) => ({ eq: t.string({ required: true, description: 'Equal.' }) }),
})

const DecisionFilter = builder.inputType('DecisionFilter', {
  description: 'Which decisions; everything given must hold.',
  fields: (t) => ({
    outcome: t.field({ type: [DecisionOutcome], description: 'One of these.' }),
    host: t.field({ type: TextEquals, description: 'A host that was chosen.' }),
    instanceUuid: t.field({ type: 'UUID', description: 'An instance.' }),
    account: t.field({ type: TextEquals, description: 'The service account that asked.' }),
    requestSpecId: t.id({ description: 'Global id of the request, which is the same whenever the same is asked.' }),
  }),
})

const toFilter = (filter: typeof DecisionFilter.$inferInput | null | undefined) => ({
  ...(filter?.outcome ? { outcome: filter.outcome } : {}),
  ...(filter?.host ? { host: filter.host.eq } : {}),
  ...(filter?.instanceUuid ? { instanceUuid: filter.instanceUuid } : {}),
  ...(filter?.account ? { account: filter.account.eq } : {}),
  ...(filter?.requestSpecId ? { requestSpecId: idOf('RequestSpec', filter.requestSpecId, ['filter', 'requestSpecId']) } : {}),
})

const decisionsArgs = () =>
  builder.args((t) => ({
    filter: t.field({ type: DecisionFilter, description: 'Which decisions.' }),
    query: t.string({
      description: 'The same as a line of the filter grammar: outcome:NO_VALID_HOST flavor:m1.* last:1h (docs/query.md).',
    }),
  }))

builder.queryFields((t) => ({
  decision: t.field({
    type: Decision,
    nullable: true,
    authScopes: { scope: 'READ' },
    description: 'Null when there is none.',
    args: { id: t.arg.id({ required: true, description: 'Its global id.' }) },
    resolve: (_root, { id }, { decisions }) => decisions.find(idOf('Decision', id, ['id'])),
  }),
  decisions: t.field({
    type: DecisionConnection,
    authScopes: { scope: 'READ' },
    description: 'Decisions, newest first.',
    args: { ...pageArgs(), ...decisionsArgs() },
    resolve: (_root, { filter, ...args }, { decisions }) => decisions.list({ ...args, filter: toFilter(filter) }),
  }),
}))

builder.objectField(Host, 'recentDecisions', (t) =>
  t.field({
    type: DecisionConnection,
    description: 'Decisions that chose it, newest first.',
    args: pageArgs(20),
    resolve: ({ record }, page, { decisions }: Context) => decisions.list({ ...page, filter: { host: record.host } }),
  }),
)

const DecisionEvent = builder.objectRef<DecisionEventShape>('DecisionEvent').implement({
  description: 'A decision was made. A slow reader gets the latest, and how many it missed.',
  fields: (t) => ({
    revision: t.expose('revision', { type: 'Revision', description: 'What the replica had applied.' }),
    decision: t.expose('decision', {
      type: Decision,
      nullable: true,
      description: 'Null with a gap, and behind a burst whose last ones were left out.',
    }),
    suppressed: t.exposeInt('suppressed', { description: 'Decisions before this one that were left out.' }),
    gap: t.expose('gap', { type: GapEvent, nullable: true, description: 'Present when decisions were missed.' }),
  }),
})

builder.subscriptionField('decisions', (t) =>
  t.field({
    type: DecisionEvent,
    authScopes: { scope: 'READ' },
    description: 'Decisions as they are made.',
    args: {
      ...decisionsArgs(),
      after: t.arg({
        type: 'Revision',
        description: 'What was seen already: the stream begins with a gap then, since refusals are in no log, and so at no revision.',
      }),
      samplePerSecond: t.arg.int({ defaultValue: 20, description: 'At most this many, 1 to 1000.' }),
    },
    subscribe: (_root, { filter, query, after, samplePerSecond }, { watch, caller }) =>
      watch.decisions({
        filter: toFilter(filter),
        query,
        after,
        perSecond: samplePerSecond ?? 20,
        keyId: caller.keyId,
        mayGoOn: caller.isStillKnown,
      }),
    resolve: (event) => event,
  }),
)
