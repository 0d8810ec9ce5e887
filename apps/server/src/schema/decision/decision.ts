import { type FilterCount, showUnseen } from '@gantt/scheduler-core'
import { sentenceOf } from '../../services/calls/outcome.ts'
import {
  causeOfRefusal,
  type DecisionPage,
  type DecisionView,
  type LostTry as LostTryShape,
  type StoredDecision,
} from '../../services/decision/decisions.ts'
import type { DecisionEvent as DecisionEventShape } from '../../services/watch/watch.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context.ts'
import { ExplainLevel, InstanceDestinations } from '../placement/placement.ts'
import { RequestSpec } from '../placement/request-spec.ts'
import { PluginVersion } from '../profile/plugin.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { GapEvent } from '../types/events.ts'
import { idOf } from '../types/ids.ts'
import { ReasonCount, RefusalCause } from '../types/reasons.ts'
import { Decision, Explanation, Host, ProfileVersion } from '../types/refs.ts'
import { SolverOutcome } from './solver.ts'

export const DecisionOutcome = builder.enumType('DecisionOutcome', {
  description: 'The outcome of a decision.',
  values: ['PLACED', 'PARTIAL', 'NO_VALID_HOST', 'REJECTED', 'SIMULATED'] as const,
})

/** The request of a decision, which its record contains completely. */
const specOf = ({ requestSpecId: id, record: { request }, at }: StoredDecision) => ({
  id,
  version: request.version,
  document: request,
  createdAt: at,
})

builder.node(Decision, {
  description: 'The decision for a request, with everything that is needed to replay it.',
  id: { resolve: ({ id }) => id, description: 'Global id of the object.' },
  loadOne: (id, { decisions }) => decisions.find(id),
  fields: (t) => ({
    outcome: t.field({
      type: DecisionOutcome,
      description: 'How the decision ended.',
      resolve: async (view) => (await view.load()).outcome,
    }),
    at: t.field({ type: 'DateTime', description: 'Store time of the decision.', resolve: async (view) => (await view.load()).at }),
    account: t.string({ description: 'The service account that asked.', resolve: async (view) => (await view.load()).account }),
    instanceUuids: t.field({
      type: ['UUID'],
      description: 'The instances, if the caller named them.',
      resolve: async (view) => [...(await view.load()).record.request.instanceUuids],
    }),
    requestIds: t.stringList({
      description:
        'The ids of the calls that it answered: the first call, then repetitions with its idempotency key, as in the audit, shortly after the answer. Empty for moves off a host.',
      resolve: async ({ id }, _args, { decisions }) => [...(await decisions.requestIds(id))],
    }),
    spec: t.field({ type: RequestSpec, description: 'The request that was asked.', resolve: async (view) => specOf(await view.load()) }),
    ignoredFields: t.stringList({
      nullable: true,
      description:
        'The paths of request fields without effect, because nothing in the profile version that decided reads them, by the rules of this release; null if it does not know that version.',
      resolve: async (view, _args, { decisions }) => decisions.ignoredFields(await view.load()),
    }),
    profile: t.field({
      type: ProfileVersion,
      nullable: true,
      description: 'The profile version that decided; null if this replica does not know it.',
      resolve: async (view, _args, { profiles }) => profiles.version((await view.load()).record.profile),
    }),
    seed: t.string({ description: 'The seed of every random choice.', resolve: async (view) => (await view.load()).record.seed }),
    coreVersion: t.string({
      description: 'The release of the code that decided.',
      resolve: async (view) => (await view.load()).record.core,
    }),
    plugins: t.field({
      type: [PluginVersion],
      description: 'The plug-ins whose parts the profile names, in the versions that decided.',
      resolve: async (view) => [...((await view.load()).record.plugins ?? [])],
    }),
    fleetRevision: t.field({
      type: 'Revision',
      description: 'The revision of the fleet that it was decided on.',
      resolve: async (view) => (await view.load()).place.basis,
    }),
    attempt: t.int({
      description: 'How many times the request was decided, including this time.',
      resolve: async (view) => (await view.load()).record.attempt,
    }),
    durationMs: t.float({
      nullable: true,
      description:
        'How long the replica took to decide it the last time, without waiting and without requests to outside parts before it; null if not measured, as by older releases.',
      resolve: async (view) => durationOf(await view.load()),
    }),
    lostTries: t.field({
      type: [LostTry],
      description:
        'The earlier attempts whose proposals were void, oldest first, as the log proves them. An attempt whose entry the store refused before it was in the log is counted in `attempt` only.',
      resolve: async (view, _args, { decisions }) => [...(await decisions.lostTries(await view.load()))],
    }),
    previous: t.field({
      type: Decision,
      nullable: true,
      description:
        'The decision that it retries: the last one in the hour before it with the same account, instance and intent (for a move, from the same claim); null if there is none, or the request names no instance.',
      resolve: async (view, _args, { decisions }) => decisions.previous(await view.load()),
    }),
    destinations: t.field({
      type: [InstanceDestinations],
      description: 'The destinations in the order of the instances; empty if none was placed.',
      resolve: async (view, _args, { decisions }) => decisions.destinationsOf(await view.load()),
    }),
    reasons: t.field({
      type: [ReasonCount],
      description:
        'Why hosts were refused if an instance was not placed: each reason once; since feature level 10 in the order of the cause, with its code first.',
      resolve: async (view) => [...(await view.load()).reasons],
    }),
    cause: t.field({
      type: RefusalCause,
      nullable: true,
      description:
        'Why no host was found; null if some or all instances were placed. For a refusal from before feature level 10, the reason of most of the hosts that were left last.',
      resolve: async (view) => causeOfRefusal(await view.load()) ?? null,
    }),
    funnel: t.field({
      type: [FunnelStep],
      description: 'The hosts left after each filter, as recorded at the decision; filters that the request does not use are left out.',
      args: {
        instanceIndex: t.arg.int({
          description: 'The index of the instance; by default the one that was not placed, otherwise the first.',
        }),
      },
      resolve: async (view, { instanceIndex }, { decisions }) => [...decisions.instanceOf(await view.load(), instanceIndex).filters],
    }),
    hostCount: t.int({
      description: 'The number of hosts that the request admits, for the instance that was not placed, otherwise the first.',
      resolve: async (view, _args, { decisions }) => decisions.instanceOf(await view.load(), null).candidates,
    }),
    solver: t.field({
      type: SolverOutcome,
      nullable: true,
      description: "The solver's result; null if none was used: another scheduler, or a single instance outside of a batch.",
      resolve: async (view) => (await view.load()).record.solver ?? null,
    }),
    explanation: t.field({
      type: Explanation,
      description: 'Its explanation, from a replay of the decision.',
      args: {
        detail: t.arg({
          type: ExplainLevel,
          description: 'Has no effect.',
          deprecationReason: 'Selected fields are answered.',
        }),
        shortCircuit: t.arg.boolean({ defaultValue: false, description: 'The same as ExplainPlacementInput.shortCircuit.' }),
      },
      resolve: async (view, { shortCircuit }, { explain }) => explain.decision(await view.load(), shortCircuit ?? false),
    }),
  }),
})

const durationOf = ({ tookUs }: Pick<StoredDecision, 'tookUs'>): number | null => (tookUs == null ? null : tookUs / 1_000)

const LostTry = builder.objectRef<LostTryShape>('LostTry').implement({
  description: 'An attempt to decide a request whose proposal was void because other entries were first.',
  fields: (t) => ({
    attempt: t.exposeInt('attempt', { description: 'How many times the request had been decided, including that time.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Store time of the try.' }),
    fleetRevision: t.field({
      type: 'Revision',
      description: 'The revision of the fleet that it was decided on.',
      resolve: ({ basis }) => basis,
    }),
    revision: t.expose('revision', { type: 'Revision', description: 'The log entry with its proposal.' }),
    code: t.exposeString('code', { description: 'The code of the reason why it was void (docs/errors.md).' }),
    text: t.string({ description: 'The same as a sentence.', resolve: ({ code }) => sentenceOf(code) }),
    hostNames: t.stringList({ description: 'The hosts that it had chosen; none of them was claimed.', resolve: ({ hosts }) => [...hosts] }),
    hosts: t.field({
      type: [Host],
      description: 'The chosen hosts that still exist, in their present state.',
      resolve: (tried, _args, { hosts }) => tried.hosts.flatMap((name) => hosts.byText(name) ?? []),
    }),
    durationMs: t.float({ nullable: true, description: 'Time spent on the try; see Decision.durationMs.', resolve: durationOf }),
  }),
})

const FunnelStep = builder.objectRef<FilterCount>('FunnelStep').implement({
  description: 'One filter of a decision, as recorded.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'Name of the filter.' }),
    entered: t.exposeInt('entered', { description: 'The number of hosts before the filter.' }),
    passed: t.exposeInt('passed', { description: 'Number of hosts that are left after the filter.' }),
    errors: t.int({
      description: 'The number of hosts that were refused because the filter failed on them.',
      resolve: ({ errors }) => errors ?? 0,
    }),
  }),
})

const DecisionConnection = connectionOf<DecisionView, DecisionPage>('Decision', Decision)

const UnreadableDecision = builder.objectRef<DecisionPage['unreadable'][number]>('UnreadableDecision').implement({
  description: 'A decision of which only the columns can be read. A query for its id fails with the code RECORD_UNREADABLE.',
  fields: (t) => ({
    id: t.globalID({ description: 'The global id of the decision.', resolve: ({ id }) => ({ type: 'Decision', id }) }),
    outcome: t.expose('outcome', {
      type: DecisionOutcome,
      nullable: true,
      description: 'The outcome; null if it cannot be read.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Store time of the decision.' }),
    account: t.exposeString('account', { description: 'The service account that asked.' }),
    code: t.string({ description: 'The code RECORD_UNREADABLE.', resolve: () => 'RECORD_UNREADABLE' }),
    message: t.string({ description: 'Why the decision cannot be read.', resolve: ({ unreadable }) => showUnseen(unreadable) }),
  }),
})

builder.objectField(DecisionConnection, 'unreadable', (t) =>
  t.field({
    type: [UnreadableDecision],
    description:
      'Decisions of this page that cannot be read, newest first: they are counted in totalCount and pages, but are not among the nodes. A key bound to a project does not see them.',
    resolve: ({ unreadable }) => [...unreadable],
  }),
)

const TextEquals = builder.inputType('EqualsComparator', {
  description: 'Compares a text.',
  fields: (t) => ({ eq: t.string({ required: true, description: 'The text equals this.' }) }),
})

const DecisionFilter = builder.inputType('DecisionFilter', {
  description: 'A filter of decisions; everything given must hold.',
  fields: (t) => ({
    outcome: t.field({ type: [DecisionOutcome], description: 'Decisions that ended with one of these.' }),
    host: t.field({ type: TextEquals, description: 'Only decisions that chose this host.' }),
    instanceUuid: t.field({ type: 'UUID', description: 'Decisions about this instance.' }),
    account: t.field({ type: TextEquals, description: 'The service account that asked.' }),
    requestSpecId: t.id({ description: 'The global id of the request; equal requests have the same id.' }),
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
    filter: t.field({ type: DecisionFilter, description: 'Only decisions that match this.' }),
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
    args: { id: t.arg.id({ required: true, description: 'Global id of the object.' }) },
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
    description: 'Decisions that chose this host, newest first.',
    args: pageArgs(20),
    resolve: ({ record }, page, { decisions }: Context) => decisions.list({ ...page, filter: { host: record.host } }),
  }),
)

const DecisionEvent = builder.objectRef<DecisionEventShape>('DecisionEvent').implement({
  description: 'A new decision. A slow reader gets the latest ones, and the number that it missed.',
  fields: (t) => ({
    revision: t.expose('revision', { type: 'Revision', description: 'The revision that the replica had applied.' }),
    decision: t.expose('decision', {
      type: Decision,
      nullable: true,
      description: 'The decision; null in a gap, and after a burst whose last decisions were left out.',
    }),
    suppressed: t.exposeInt('suppressed', { description: 'Decisions before this one that were left out.' }),
    gap: t.expose('gap', { type: GapEvent, nullable: true, description: 'Present when decisions were missed.' }),
  }),
})

builder.subscriptionField('decisions', (t) =>
  t.field({
    type: DecisionEvent,
    authScopes: { scope: 'READ' },
    description: 'Reports decisions as they are made.',
    args: {
      ...decisionsArgs(),
      after: t.arg({
        type: 'Revision',
        description:
          'The last revision that the reader has seen: the stream then begins with a gap, because refusals are not in the log and so have no revision.',
      }),
      samplePerSecond: t.arg.int({ defaultValue: 20, description: 'The maximum number of decisions per second, 1 to 1000.' }),
    },
    subscribe: (_root, { filter, query, after, samplePerSecond }, { watch, caller, over }) =>
      watch.decisions({
        filter: toFilter(filter),
        query,
        after,
        perSecond: samplePerSecond ?? 20,
        keyId: caller.keyId,
        mayGoOn: caller.isStillKnown,
        over,
      }),
    resolve: (event) => event,
  }),
)
