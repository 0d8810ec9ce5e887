import { mayDo } from '../auth/caller.ts'
import { type TimelineEntry, type TimelinePage, timelineKinds } from '../services/host-timeline.ts'
import { timelineText } from '../services/timeline-text.ts'
import { AuditEntry } from './audit.ts'
import { builder } from './builder.ts'
import { ClaimState } from './claim.ts'
import { connectionOf, pageArgs } from './connection.ts'
import { FieldChange } from './field-change.ts'
import { Decision, Host } from './refs.ts'

const HostTimelineKind = builder.enumType('HostTimelineKind', {
  description:
    'What can happen to a host. From the log, as tables keep it: FIRST_REPORT; INVENTORY, what it reports to have is another (use is not); STATUS, set by operators; LIVENESS; AGGREGATE_JOINED, AGGREGATE_LEFT, AGGREGATE_EDITED. From the claims on it: CLAIM_MADE, CLAIM_CONFIRMED, CLAIM_ENDED. From decisions: TRY_LOST, it was chosen and the proposal did not count.',
  values: timelineKinds,
})

const HostTimelineEntry = builder.objectRef<TimelineEntry>('HostTimelineEntry').implement({
  description: 'Something that happened to a host.',
  fields: (t) => ({
    kind: t.expose('kind', { type: HostTimelineKind, description: 'What.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Store time.' }),
    revision: t.expose('revision', {
      type: 'Revision',
      nullable: true,
      description:
        'The entry of the log; null where only the time is kept: of a claim that was confirmed, or ended, and changed after that.',
    }),
    text: t.string({ description: 'What, in a sentence.', resolve: timelineText }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why, as operators, those who listen for signs of life, or the holder of the claim said it.',
    }),
    changes: t.field({
      type: [FieldChange],
      description: 'What is different; of an inventory in the words of reports (docs/host-stats.md). At most 50.',
      resolve: ({ changes }) => [...changes],
    }),
    changesLeftOut: t.exposeInt('untold', { description: 'How many more there were.' }),
    aggregateUuid: t.expose('aggregate', { type: 'UUID', nullable: true, description: 'The aggregate that it is about; it may be gone.' }),
    aggregateName: t.exposeString('aggregateName', { nullable: true, description: 'Its name then.' }),
    claimId: t.expose('claim', { type: 'UUID', nullable: true, description: 'The claim that it is about.' }),
    instanceUuid: t.expose('instanceUuid', {
      type: 'UUID',
      nullable: true,
      description: 'Its instance; null where the caller named none.',
    }),
    endedAs: t.expose('endedAs', { type: ClaimState, nullable: true, description: 'As what the claim ended.' }),
    account: t.exposeString('account', { nullable: true, description: 'The service account that the claim belongs to.' }),
    decision: t.field({
      type: Decision,
      nullable: true,
      description: 'The decision that made the claim, or that was tried.',
      resolve: ({ decision }, _args, { decisions }) => (decision === null ? null : decisions.view(decision)),
    }),
    attempt: t.exposeInt('attempt', { nullable: true, description: 'Which try it was.' }),
    code: t.exposeString('code', { nullable: true, description: 'Why the try did not count (docs/errors.md).' }),
    edit: t.field({
      type: AuditEntry,
      nullable: true,
      description:
        'Who did it: the edit in the audit, within a minute, that fits in what it said. Null: no operator did, the audit has none, or the key is without OPERATE, which the audit needs.',
      resolve: async (entry, _args, { caller }) => (mayDo(caller, 'OPERATE') ? ((await entry.edit()) ?? null) : null),
    }),
  }),
})

const HostTimelineSpan = builder.objectRef<NonNullable<TimelinePage['since']>>('HostTimelineSpan').implement({
  description: 'From where on something is known.',
  fields: (t) => ({
    revision: t.expose('revision', { type: 'Revision', description: 'The last entry of the log that is not known.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Store time of the first that is.' }),
  }),
})

const HostTimelineConnection = connectionOf<TimelineEntry, TimelinePage>('HostTimelineEntry', HostTimelineEntry)

builder.objectField(HostTimelineConnection, 'since', (t) =>
  t.expose('since', {
    type: HostTimelineSpan,
    nullable: true,
    description:
      'Before it only claims and tries are known: a release that does not keep what happens to hosts was at work, or the tables were made anew. Null: everything since the first report is there.',
  }),
)

builder.objectField(Host, 'timeline', (t) =>
  t.field({
    type: HostTimelineConnection,
    description:
      'What happened to it, newest first, up to the moment that the host is of. From tables that follow the log and go further back than it (`fleetLog`) and questions with `at`; what they do not have is told in `since`. Claims: all that were ever made on it, as far as their last state tells. Tries name hosts and no nodes. A page is one question by index, whatever the fleet does.',
    args: {
      ...pageArgs(),
      kinds: t.arg({ type: [HostTimelineKind], description: 'Of these kinds; of all if not given.' }),
    },
    resolve: (host, args, { hostTimelines }) => hostTimelines.of(host, args),
  }),
)
