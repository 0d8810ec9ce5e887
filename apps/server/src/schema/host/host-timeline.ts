import { mayDo } from '../../auth/caller.ts'
import { type TimelineEntry, type TimelinePage, timelineKinds } from '../../services/host/host-timeline.ts'
import { timelineText } from '../../services/host/timeline-text.ts'
import { AuditEntry } from '../audit/audit.ts'
import { builder } from '../builder.ts'
import { ClaimState } from '../claim/claim.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { FieldChange } from '../types/field-change.ts'
import { Decision, Host } from '../types/refs.ts'

const HostTimelineKind = builder.enumType('HostTimelineKind', {
  description:
    'The kinds of host events. FIRST_REPORT: the host reported for the first time. INVENTORY: its reported inventory changed; usage is ignored. STATUS: operators set its status. LIVENESS: its liveness changed. AGGREGATE_JOINED, AGGREGATE_LEFT, AGGREGATE_EDITED: its aggregates changed. FORGOTTEN, READMITTED, REPLACED: it left the fleet, was accepted again, or got another name. CLAIM_MADE, CLAIM_CONFIRMED, CLAIM_ENDED: a claim on it changed. TRY_LOST: it was chosen for a request, but the proposal had no effect because it conflicted with an earlier entry of the log.',
  values: timelineKinds,
})

const HostTimelineEntry = builder.objectRef<TimelineEntry>('HostTimelineEntry').implement({
  description: 'An event of a host.',
  fields: (t) => ({
    kind: t.expose('kind', { type: HostTimelineKind, description: 'The kind of the event.' }),
    at: t.expose('at', { type: 'DateTime', description: "When the event happened, by the database's clock." }),
    revision: t.expose('revision', {
      type: 'Revision',
      nullable: true,
      description:
        'The revision of the log entry. Null if only the time is stored, as for a claim that changed again after it was confirmed or ended.',
    }),
    text: t.string({ description: 'The event, described in a sentence.', resolve: timelineText }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The reason that was given by the operator, the liveness source, or the holder of the claim.',
    }),
    changes: t.field({
      type: [FieldChange],
      description: 'The changed fields, at most 50. Fields of an inventory have the names that reports use (docs/host-stats.md).',
      resolve: ({ changes }) => [...changes],
    }),
    changesLeftOut: t.exposeInt('untold', { description: 'How many further fields changed that `changes` does not list.' }),
    aggregateUuid: t.expose('aggregate', {
      type: 'UUID',
      nullable: true,
      description: 'The UUID of the aggregate, which may no longer exist.',
    }),
    aggregateName: t.exposeString('aggregateName', {
      nullable: true,
      description: 'The name that the aggregate had at the time of the event.',
    }),
    claimId: t.expose('claim', { type: 'UUID', nullable: true, description: 'The id of the claim that the event is about.' }),
    instanceUuid: t.expose('instanceUuid', {
      type: 'UUID',
      nullable: true,
      description: "The UUID of the claim's instance; null if the caller did not name it.",
    }),
    endedAs: t.expose('endedAs', { type: ClaimState, nullable: true, description: 'The final state of the claim.' }),
    account: t.exposeString('account', {
      nullable: true,
      description: 'The service account that owns the claim; null for events without a claim.',
    }),
    decision: t.field({
      type: Decision,
      nullable: true,
      description: 'The decision that created the claim. For an attempt that did not take effect: the decision that made the attempt.',
      resolve: ({ decision }, _args, { decisions }) => (decision === null ? null : decisions.view(decision)),
    }),
    attempt: t.exposeInt('attempt', {
      nullable: true,
      description: 'The number of the lost attempt to place the request; 1 is the first attempt.',
    }),
    code: t.exposeString('code', {
      nullable: true,
      description: 'The code of the reason why the proposal of the attempt had no effect (docs/errors.md).',
    }),
    edit: t.field({
      type: AuditEntry,
      nullable: true,
      description:
        "The audit record of the edit that caused the event, found in the audit within a minute of the event. Null if no operator caused the event, if the audit has no such record, or if the caller's key lacks the scope OPERATE, which reading the audit requires.",
      resolve: async (entry, _args, { caller }) => (mayDo(caller, 'OPERATE') ? ((await entry.edit()) ?? null) : null),
    }),
  }),
})

const HostTimelineSpan = builder.objectRef<NonNullable<TimelinePage['since']>>('HostTimelineSpan').implement({
  description: 'The start of the complete history of a host.',
  fields: (t) => ({
    revision: t.expose('revision', { type: 'Revision', description: 'The revision of the last log entry before the complete history.' }),
    at: t.expose('at', { type: 'DateTime', description: "The time of the first known entry, by the database's clock." }),
  }),
})

const HostTimelineConnection = connectionOf<TimelineEntry, TimelinePage>('HostTimelineEntry', HostTimelineEntry)

builder.objectField(HostTimelineConnection, 'since', (t) =>
  t.expose('since', {
    type: HostTimelineSpan,
    nullable: true,
    description:
      'The start of the complete history. Before it, only claims and lost attempts are known, because an older release was running that does not store host events, or because the tables were created again. Null if everything since the first report is known.',
  }),
)

builder.objectField(Host, 'timeline', (t) =>
  t.field({
    type: HostTimelineConnection,
    description:
      'The events of the host, newest first, up to now or to the moment of the query (`at`). They are read from tables, which contain events from before the start of the log (`fleetLog`) and therefore from before the earliest `at`. All events after `since` of the connection are listed. Every claim that was ever made on the host is listed with its last state. Lost attempts are listed for every node of the host, because their records do not contain the node.',
    args: {
      ...pageArgs(),
      kinds: t.arg({ type: [HostTimelineKind], description: 'Only events of these kinds; by default events of any kind.' }),
    },
    resolve: (host, args, { hostTimelines }) => hostTimelines.of(host, args),
  }),
)
