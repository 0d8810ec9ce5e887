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
    'The kinds of events of a host. From the log, as kept in tables: FIRST_REPORT; INVENTORY, its reported inventory changed (use does not count); STATUS, set by operators; LIVENESS; AGGREGATE_JOINED, AGGREGATE_LEFT, AGGREGATE_EDITED. From its claims: CLAIM_MADE, CLAIM_CONFIRMED, CLAIM_ENDED. From decisions: TRY_LOST, it was chosen and the proposal was void.',
  values: timelineKinds,
})

const HostTimelineEntry = builder.objectRef<TimelineEntry>('HostTimelineEntry').implement({
  description: 'An event of a host.',
  fields: (t) => ({
    kind: t.expose('kind', { type: HostTimelineKind, description: 'What kind of event it is.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Store time of the event.' }),
    revision: t.expose('revision', {
      type: 'Revision',
      nullable: true,
      description:
        'The revision of the log entry; null if only the time is kept: for a claim that changed again after it was confirmed or ended.',
    }),
    text: t.string({ description: 'The event, in a sentence.', resolve: timelineText }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The reason, in the words of the operator, the liveness source, or the holder of the claim.',
    }),
    changes: t.field({
      type: [FieldChange],
      description: 'The changes; those of an inventory in the words of reports (docs/host-stats.md). At most 50.',
      resolve: ({ changes }) => [...changes],
    }),
    changesLeftOut: t.exposeInt('untold', { description: 'The number of further changes.' }),
    aggregateUuid: t.expose('aggregate', { type: 'UUID', nullable: true, description: 'The aggregate; it may no longer exist.' }),
    aggregateName: t.exposeString('aggregateName', { nullable: true, description: 'Name that the aggregate had then.' }),
    claimId: t.expose('claim', { type: 'UUID', nullable: true, description: 'The claim of the event.' }),
    instanceUuid: t.expose('instanceUuid', {
      type: 'UUID',
      nullable: true,
      description: 'The instance of the claim; null if the caller named none.',
    }),
    endedAs: t.expose('endedAs', { type: ClaimState, nullable: true, description: 'The final state of the claim.' }),
    account: t.exposeString('account', { nullable: true, description: 'The service account that owns the claim.' }),
    decision: t.field({
      type: Decision,
      nullable: true,
      description: 'The decision that created the claim, or whose attempt was lost.',
      resolve: ({ decision }, _args, { decisions }) => (decision === null ? null : decisions.view(decision)),
    }),
    attempt: t.exposeInt('attempt', { nullable: true, description: 'The number of the attempt.' }),
    code: t.exposeString('code', { nullable: true, description: 'The code of the reason why the attempt was void (docs/errors.md).' }),
    edit: t.field({
      type: AuditEntry,
      nullable: true,
      description:
        'The author: the matching edit in the audit, within a minute. Null: no operator made the change, the audit has no such edit, or the key lacks OPERATE, which the audit needs.',
      resolve: async (entry, _args, { caller }) => (mayDo(caller, 'OPERATE') ? ((await entry.edit()) ?? null) : null),
    }),
  }),
})

const HostTimelineSpan = builder.objectRef<NonNullable<TimelinePage['since']>>('HostTimelineSpan').implement({
  description: 'The start of the known history.',
  fields: (t) => ({
    revision: t.expose('revision', { type: 'Revision', description: 'The last entry of the log that is not known.' }),
    at: t.expose('at', { type: 'DateTime', description: 'The store time of the first entry that is known.' }),
  }),
})

const HostTimelineConnection = connectionOf<TimelineEntry, TimelinePage>('HostTimelineEntry', HostTimelineEntry)

builder.objectField(HostTimelineConnection, 'since', (t) =>
  t.expose('since', {
    type: HostTimelineSpan,
    nullable: true,
    description:
      'Before it only claims and attempts are known: an older release that does not keep events of hosts was running, or the tables were created again. Null: everything since the first report is known.',
  }),
)

builder.objectField(Host, 'timeline', (t) =>
  t.field({
    type: HostTimelineConnection,
    description:
      'The events of the host, newest first, up to the moment of the question. From tables that follow the log and go further back than it (`fleetLog`) and than questions with `at`; `since` says from when on they are complete. Claims: all that were ever made on it, by their last state. Attempts name hosts without nodes. Each page is one query by index, regardless of other changes.',
    args: {
      ...pageArgs(),
      kinds: t.arg({ type: [HostTimelineKind], description: 'Only events of these kinds; all by default.' }),
    },
    resolve: (host, args, { hostTimelines }) => hostTimelines.of(host, args),
  }),
)
