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
  description: 'How a decision ended.',
  values: ['PLACED', 'PARTIAL', 'NO_VALID_HOST', 'REJECTED', 'SIMULATED'] as const,
})

/** The request of a decision. The record of the decision contains the complete request. */
const specOf = ({ requestSpecId: id, record: { request }, at }: StoredDecision) => ({
  id,
  version: request.version,
  document: request,
  createdAt: at,
})

builder.node(Decision, {
  description: 'The decision on a request, with everything that is needed to replay it.',
  id: { resolve: ({ id }) => id, description: 'Global id of the object.' },
  loadOne: (id, { decisions }) => decisions.find(id),
  fields: (t) => ({
    outcome: t.field({
      type: DecisionOutcome,
      description: 'How the decision ended.',
      resolve: async (view) => (await view.load()).outcome,
    }),
    at: t.field({
      type: 'DateTime',
      description: "When the decision was made, by the database's clock.",
      resolve: async (view) => (await view.load()).at,
    }),
    account: t.string({ description: 'The service account that made the request.', resolve: async (view) => (await view.load()).account }),
    instanceUuids: t.field({
      type: ['UUID'],
      description: 'The UUIDs of the instances, if the caller named them.',
      resolve: async (view) => [...(await view.load()).record.request.instanceUuids],
    }),
    requestIds: t.stringList({
      description:
        'The ids of the calls that this decision answered: the first call, then repetitions with the same idempotency key. The audit uses the same ids. New ids appear shortly after the answer. Empty for the moves of an evacuation.',
      resolve: async ({ id }, _args, { decisions }) => [...(await decisions.requestIds(id))],
    }),
    spec: t.field({ type: RequestSpec, description: 'The request that was decided.', resolve: async (view) => specOf(await view.load()) }),
    ignoredFields: t.stringList({
      nullable: true,
      description:
        'The paths of request fields that have no effect, because nothing in the profile version that decided reads them, or because no recent document locates the volumes and ports that they name. They are determined by the rules and the documents of the present. Null if this replica does not know the profile version.',
      resolve: async (view, _args, { decisions }) => decisions.ignoredFields(await view.load()),
    }),
    unlocatedFields: t.stringList({
      nullable: true,
      description:
        'Those of `ignoredFields` that something in the profile version reads, and that have no effect because no recent document of another service locates the volumes and ports that they name, for example because the collector of a host is paused. Null if this replica does not know the profile version.',
      resolve: async (view, _args, { decisions }) => decisions.unlocatedFields(await view.load()),
    }),
    profile: t.field({
      type: ProfileVersion,
      nullable: true,
      description: 'The profile version that decided; null if this replica does not know the version.',
      resolve: async (view, _args, { profiles }) => profiles.version((await view.load()).record.profile),
    }),
    seed: t.string({
      description: 'The seed of every random choice in the decision.',
      resolve: async (view) => (await view.load()).record.seed,
    }),
    coreVersion: t.string({
      description: 'The release of the code that made the decision.',
      resolve: async (view) => (await view.load()).record.core,
    }),
    plugins: t.field({
      type: [PluginVersion],
      description: 'The plug-ins whose filters, weighers or schedulers the profile names, in the versions that decided.',
      resolve: async (view) => [...((await view.load()).record.plugins ?? [])],
    }),
    fleetRevision: t.field({
      type: 'Revision',
      description: 'The revision of the fleet on which the request was decided.',
      resolve: async (view) => (await view.load()).place.basis,
    }),
    attempt: t.int({
      description: 'How many times the request was decided, including this decision.',
      resolve: async (view) => (await view.load()).record.attempt,
    }),
    durationMs: t.float({
      nullable: true,
      description:
        'How long the replica took to decide the request the last time, in milliseconds. Does not include the time for which the request waited, the requests to extenders before the decision, and the search for the cause of a refusal. Null if the duration was not measured, as in older releases.',
      resolve: async (view) => durationOf(await view.load()),
    }),
    lostTries: t.field({
      type: [LostTry],
      description:
        'The earlier attempts to decide the request, whose proposals had no effect because they conflicted with earlier entries of the log; oldest first. An attempt that the store refused before it reached the log is counted only in `attempt`.',
      resolve: async (view, _args, { decisions }) => [...(await decisions.lostTries(await view.load()))],
    }),
    previous: t.field({
      type: Decision,
      nullable: true,
      description:
        'The decision that this decision retries: the last one in the preceding hour with the same account, instance and intent. For a move, both decisions must move the same claim. Null if there is no such decision, or if the request does not name an instance.',
      resolve: async (view, _args, { decisions }) => decisions.previous(await view.load()),
    }),
    destinations: t.field({
      type: [InstanceDestinations],
      description: 'The chosen hosts in the order of the instances; empty if no instance was placed.',
      resolve: async (view, _args, { decisions }) => decisions.destinationsOf(await view.load()),
    }),
    reasons: t.field({
      type: [ReasonCount],
      description:
        'Why hosts were refused, if an instance was not placed. Each reason is listed once. Since feature level 10, the reasons have the order of `cause`, and the code of `cause` comes first.',
      resolve: async (view) => [...(await view.load()).reasons],
    }),
    cause: t.field({
      type: RefusalCause,
      nullable: true,
      description:
        'Why no host was found for an instance; null if any instance was placed. For refusals that were recorded below feature level 10, the cause is the most frequent reason of the last filter that refused hosts.',
      resolve: async (view) => causeOfRefusal(await view.load()) ?? null,
    }),
    funnel: t.field({
      type: [FunnelStep],
      description:
        'How many hosts were left after each filter, as recorded when the decision was made. Filters that the request does not use are left out.',
      args: {
        instanceIndex: t.arg.int({
          description:
            'The index of the instance in the request. By default the instance that was not placed; if all were placed, the first instance.',
        }),
      },
      resolve: async (view, { instanceIndex }, { decisions }) => [...decisions.instanceOf(await view.load(), instanceIndex).filters],
    }),
    hostCount: t.int({
      description: 'How many hosts the request admits for the instance that was not placed; if all were placed, for the first instance.',
      resolve: async (view, _args, { decisions }) => decisions.instanceOf(await view.load(), null).candidates,
    }),
    solver: t.field({
      type: SolverOutcome,
      nullable: true,
      description:
        "The solver's result. Null if no solver was used, because of another scheduler or because the request has a single instance outside of a batch.",
      resolve: async (view) => (await view.load()).record.solver ?? null,
    }),
    explanation: t.field({
      type: Explanation,
      description: 'The explanation of the decision, computed by a replay of the decision.',
      args: {
        detail: t.arg({
          type: ExplainLevel,
          description: 'Has no effect.',
          deprecationReason: 'Selected fields are answered.',
        }),
        shortCircuit: t.arg.boolean({
          defaultValue: false,
          description: 'True: filters after the first refusal of a host are not evaluated, as with `ExplainPlacementInput.shortCircuit`.',
        }),
      },
      resolve: async (view, { shortCircuit }, { explain }) => explain.decision(await view.load(), shortCircuit ?? false),
    }),
  }),
})

const durationOf = ({ tookUs }: Pick<StoredDecision, 'tookUs'>): number | null => (tookUs == null ? null : tookUs / 1_000)

const LostTry = builder.objectRef<LostTryShape>('LostTry').implement({
  description:
    'An attempt to decide a request. Its proposal had no effect, because it conflicted with other entries that reached the log first.',
  fields: (t) => ({
    attempt: t.exposeInt('attempt', { description: 'How many times the request had been decided, including this attempt.' }),
    at: t.expose('at', { type: 'DateTime', description: "When the attempt was made, by the database's clock." }),
    fleetRevision: t.field({
      type: 'Revision',
      description: 'The revision of the fleet on which the request was decided in this attempt.',
      resolve: ({ basis }) => basis,
    }),
    revision: t.expose('revision', {
      type: 'Revision',
      description: 'The revision of the log entry that contains the conflicting proposal.',
    }),
    code: t.exposeString('code', { description: 'The code of the reason why the proposal had no effect (docs/errors.md).' }),
    text: t.string({ description: 'The lost attempt, described in a sentence.', resolve: ({ code }) => sentenceOf(code) }),
    hostNames: t.stringList({
      description: 'The names of the hosts that the attempt chose. Nothing was claimed on them.',
      resolve: ({ hosts }) => [...hosts],
    }),
    hosts: t.field({
      type: [Host],
      description: 'The hosts that the attempt chose and that still exist, in their present state.',
      resolve: (tried, _args, { hosts }) => tried.hosts.flatMap((name) => hosts.byText(name) ?? []),
    }),
    durationMs: t.float({
      nullable: true,
      description: 'How long the attempt took, in milliseconds; see `Decision.durationMs`.',
      resolve: durationOf,
    }),
  }),
})

const FunnelStep = builder.objectRef<FilterCount>('FunnelStep').implement({
  description: 'One filter of a decision, with the recorded counts of hosts.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'The name of the filter.' }),
    entered: t.exposeInt('entered', { description: 'How many hosts reached the filter.' }),
    passed: t.exposeInt('passed', { description: 'How many hosts passed the filter.' }),
    errors: t.int({
      description: 'How many hosts were refused because the filter failed on them.',
      resolve: ({ errors }) => errors ?? 0,
    }),
  }),
})

const DecisionConnection = connectionOf<DecisionView, DecisionPage>('Decision', Decision)

const UnreadableDecision = builder.objectRef<DecisionPage['unreadable'][number]>('UnreadableDecision').implement({
  description:
    'A decision whose stored record cannot be read; only the searchable columns can. A query for its id fails with the code RECORD_UNREADABLE.',
  fields: (t) => ({
    id: t.globalID({ description: 'The global id of the decision.', resolve: ({ id }) => ({ type: 'Decision', id }) }),
    outcome: t.expose('outcome', {
      type: DecisionOutcome,
      nullable: true,
      description: 'The outcome of the decision; null if the outcome cannot be read either.',
    }),
    at: t.expose('at', { type: 'DateTime', description: "When the decision was made, by the database's clock." }),
    account: t.exposeString('account', { description: 'The service account that made the request.' }),
    code: t.string({ description: 'The code of the error, which is always RECORD_UNREADABLE.', resolve: () => 'RECORD_UNREADABLE' }),
    message: t.string({ description: 'Why the decision cannot be read.', resolve: ({ unreadable }) => showUnseen(unreadable) }),
  }),
})

builder.objectField(DecisionConnection, 'unreadable', (t) =>
  t.field({
    type: [UnreadableDecision],
    description:
      'Decisions of this page that cannot be read, newest first. They are counted in `totalCount` and in the page size, but are not among the nodes. A key bound to a project does not get them.',
    resolve: ({ unreadable }) => [...unreadable],
  }),
)

const TextEquals = builder.inputType('EqualsComparator', {
  description: 'A condition on a text.',
  fields: (t) => ({ eq: t.string({ required: true, description: 'The text must equal this value.' }) }),
})

const DecisionFilter = builder.inputType('DecisionFilter', {
  description: 'A filter for decisions. A decision must meet all given conditions.',
  fields: (t) => ({
    outcome: t.field({ type: [DecisionOutcome], description: 'Only decisions with one of these outcomes.' }),
    host: t.field({ type: TextEquals, description: 'Only decisions that chose this host.' }),
    instanceUuid: t.field({ type: 'UUID', description: 'Only decisions about this instance.' }),
    account: t.field({ type: TextEquals, description: 'Only decisions on requests that this service account made.' }),
    requestSpecId: t.id({ description: 'Only decisions on the request with this global id. Equal requests have the same id.' }),
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
    filter: t.field({ type: DecisionFilter, description: 'Only decisions that match this filter.' }),
    query: t.string({
      description: 'A filter in the filter grammar, such as `outcome:NO_VALID_HOST flavor:m1.* last:1h` (docs/query.md).',
    }),
  }))

builder.queryFields((t) => ({
  decision: t.field({
    type: Decision,
    nullable: true,
    authScopes: { scope: 'READ' },
    description: 'A decision; null if no decision has this id.',
    args: { id: t.arg.id({ required: true, description: 'Global id of the object.' }) },
    resolve: (_root, { id }, { decisions }) => decisions.find(idOf('Decision', id, ['id'])),
  }),
  decisions: t.field({
    type: DecisionConnection,
    authScopes: { scope: 'READ' },
    description: 'All decisions, newest first.',
    args: { ...pageArgs(), ...decisionsArgs() },
    resolve: (_root, { filter, ...args }, { decisions }) => decisions.list({ ...args, filter: toFilter(filter) }),
  }),
}))

builder.objectField(Host, 'recentDecisions', (t) =>
  t.field({
    type: DecisionConnection,
    description: 'The decisions that chose this host, newest first.',
    args: pageArgs(20),
    resolve: ({ record }, page, { decisions }: Context) => decisions.list({ ...page, filter: { host: record.host } }),
  }),
)

const DecisionEvent = builder.objectRef<DecisionEventShape>('DecisionEvent').implement({
  description: 'A new decision. If a reader is too slow, the stream sends only the latest decisions and how many were left out.',
  fields: (t) => ({
    revision: t.expose('revision', { type: 'Revision', description: 'The revision that the replica had applied when it sent the event.' }),
    decision: t.expose('decision', {
      type: Decision,
      nullable: true,
      description: 'The decision. Null if the event only reports a gap, or only how many decisions were left out at the end of a burst.',
    }),
    suppressed: t.exposeInt('suppressed', { description: 'How many decisions were left out before this event.' }),
    gap: t.expose('gap', { type: GapEvent, nullable: true, description: 'Present if the reader missed decisions.' }),
  }),
})

builder.subscriptionField('decisions', (t) =>
  t.field({
    type: DecisionEvent,
    authScopes: { scope: 'READ' },
    description: 'Streams decisions as they are made.',
    args: {
      ...decisionsArgs(),
      after: t.arg({
        type: 'Revision',
        description:
          'The last revision that the reader has seen. The stream then begins with a gap: refusals are not in the log, and therefore the service cannot know which refusals the reader has missed.',
      }),
      samplePerSecond: t.arg.int({ defaultValue: 20, description: 'At most this many decisions are sent per second, 1 to 1000.' }),
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
