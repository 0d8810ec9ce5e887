import { type AuditCode, promiseOf, type Severity, severityOf } from '@gantt/scheduler-core'
import type { FindingRepairs, OfferedOption, RepairDone, RepairRefused } from '../../services/replica/finding-repairs.ts'
import type { AuditorView, Difference, HealDone, HealRefused, PresentFinding, ReplicaView } from '../../services/replica/replicas.ts'
import { builder } from '../builder.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { NotFound, resultUnion, UserError, ValidationError } from '../types/errors.ts'

const StateHash = builder.objectRef<NonNullable<ReplicaView['stateHash']>>('StateHash').implement({
  description: "The digest of a replica's whole state at one revision of the log. At the same revision, all replicas have the same digest.",
  fields: (t) => ({
    revision: t.expose('revision', { type: 'Revision', description: 'The revision of the state.' }),
    hash: t.exposeString('digest', { description: 'The digest, 16 hexadecimal digits.' }),
  }),
})

export const Replica = builder.objectRef<ReplicaView>('Replica').implement({
  description:
    'A process of the service that follows the log. The answering replica is shown in its present state, other replicas as they last reported themselves.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the replica, made of its machine, process and start.' }),
    url: t.exposeString('url', { nullable: true, description: 'The URL at which the replica answers; null until it listens.' }),
    version: t.exposeString('version', { description: 'The version of the rules for decisions. It is not the version of the release.' }),
    featureLevel: t.exposeInt('featureLevel', { description: 'The highest feature level that the replica can read.' }),
    mode: t.exposeString('mode', { description: 'STARTING, or one of the modes in HealthMode: NORMAL, STORE_AWAY, READ_ONLY, CLOSING.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why the mode is not NORMAL; null if it is NORMAL.' }),
    live: t.exposeBoolean('isLive', { description: 'True after a sign of life in the last ten seconds, unless the replica was stopped.' }),
    answers: t.exposeBoolean('isSelf', { description: 'True if this replica answers this query.' }),
    revision: t.expose('revision', { type: 'Revision', description: 'The revision that the replica has applied.' }),
    lagEvents: t.exposeInt('lagChanges', { description: 'How many log changes the replica had not applied at its last sign of life.' }),
    lag: t.expose('lagMs', { type: 'Duration', description: 'The age of the oldest change in `lagEvents` at the last sign of life.' }),
    lagHistory: t.field({
      type: ['Duration'],
      nullable: { list: false, items: true },
      description: 'The largest lag in each ten seconds of the last ten minutes, oldest first; null where no lag was observed.',
      resolve: ({ lagHistoryMs }) => [...lagHistoryMs],
    }),
    violations: t.exposeInt('violations', { description: "How many violations the replica's auditor finds in its state; normally 0." }),
    checkedAt: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description: "When the replica's auditor last completed a check of the whole state, by the database's clock.",
    }),
    stateHash: t.expose('stateHash', { type: StateHash, nullable: true, description: "The latest digest of the replica's state." }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: "The replica's first sign of life, by the database's clock." }),
    lastSeenAt: t.expose('seenAt', { type: 'DateTime', description: "The last sign of life (one every 2 s), by the database's clock." }),
    stoppedAt: t.expose('stoppedAt', {
      type: 'DateTime',
      nullable: true,
      description: "When the replica was shut down in an orderly way, by the database's clock; null if it was not.",
    }),
  }),
})

const FindingSeverity = builder.enumType('FindingSeverity', {
  description: 'The severity of a finding.',
  values: {
    VIOLATION: { description: 'A promise of this service is broken.' },
    WARNING: { description: 'The reports of hosts contradict the claims.' },
    NOTICE: { description: 'A state that may be intended, but that this service did not cause and cannot confirm.' },
  } as const satisfies Readonly<Record<Severity, unknown>>,
})

const FindingRepairOption = builder.objectRef<OfferedOption>('FindingRepairOption').implement({
  description: 'One way to repair a finding.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the option. Pass it as `choose` to `findingRepair`.' }),
    text: t.exposeString('text', { description: 'What the repair does.' }),
    asksSize: t.exposeBoolean('asksSize', { description: 'True if `size` must be given with this option.' }),
    asksOwner: t.exposeBoolean('asksOwner', { description: 'True if `project` and `account` may be given with this option.' }),
  }),
})

const InstanceSizeInput = builder.inputType('InstanceSizeInput', {
  description: 'The resources that an instance uses on its host.',
  fields: (t) => ({
    vcpus: t.int({ required: true, description: 'Virtual CPUs of the instance.' }),
    memoryMib: t.int({ required: true, description: 'Memory of the instance, in MiB.' }),
    diskGib: t.int({ required: true, defaultValue: 0, description: 'Disk space of the instance, in GiB.' }),
  }),
})

const FindingRepair = builder.objectRef<ReturnType<FindingRepairs['of']>>('FindingRepair').implement({
  description: 'How a finding can be repaired.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'What the repair does, in sentences.' }),
    automatic: t.boolean({
      description:
        'True if `findingRepair` can repair the finding; its dry run shows the effect first. False if an operator has to do what `text` says.',
      resolve: ({ options }) => options.length > 0,
    }),
    options: t.field({
      type: [FindingRepairOption],
      description:
        'The first possible repairs, at most twenty. `text` says whether there can be others, whose names are accepted as well. If there are several, pass the name of one as `choose`.',
      resolve: ({ options }) => [...options],
    }),
  }),
})

const AuditFinding = builder.objectRef<PresentFinding>('AuditFinding').implement({
  description:
    'An inconsistency that the auditor found: an impossible state of a replica, or a report of a host that contradicts the claims.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the finding. It is the same on every replica as long as the finding exists.' }),
    severity: t.expose('severity', { type: FindingSeverity, description: 'How severe the finding is.' }),
    repair: t.field({
      type: FindingRepair,
      description: 'How the finding can be repaired.',
      resolve: (finding, _args, { findingRepairs }) => findingRepairs.of(finding),
    }),
    code: t.exposeString('code', { description: 'The code of the finding. docs/errors.md has a remedy for each code.' }),
    promise: t.string({
      description: 'The promise in docs/promises.md that the finding violates.',
      resolve: ({ code }) => promiseOf[code],
    }),
    subject: t.exposeString('subject', {
      description: 'The kind of object with the problem: host, claim, reservation, instance, key, group, aggregate, or part of the state.',
    }),
    name: t.exposeString('name', { description: 'The name of the object that the finding is about.' }),
    host: t.exposeString('host', { nullable: true, description: 'The name of the host that the finding is about; null if there is none.' }),
    hostName: t.string({
      nullable: true,
      description: 'The present name of the host, without the name of its node; null if the finding is not about a known host.',
      resolve: ({ host }, _args, { hosts }) => (host === null ? null : (hosts.byText(host)?.record.host ?? null)),
    }),
    node: t.string({
      nullable: true,
      description: "The name of the host's node.",
      resolve: ({ host }, _args, { hosts }) => (host === null ? null : (hosts.byText(host)?.record.node ?? null)),
    }),
    claim: t.exposeString('claim', {
      nullable: true,
      description: 'The id of the claim that the finding is about; null if there is none.',
    }),
    field: t.exposeString('field', { description: 'The column, index or member with the wrong value.' }),
    expected: t.exposeString('expected', { description: 'The expected value.' }),
    actual: t.exposeString('actual', { description: 'The value that was found.' }),
    since: t.expose('since', { type: 'DateTime', description: "When the finding was first reported, by the database's clock." }),
  }),
})

const AuditFindingConnection = connectionOf('AuditFinding', AuditFinding)

const FindingCount = builder.objectRef<readonly [AuditCode, number]>('FindingCount').implement({
  description: 'How many findings have the same code.',
  fields: (t) => ({
    code: t.string({ description: 'The code of the findings.', resolve: ([code]) => code }),
    severity: t.field({ type: FindingSeverity, description: 'How severe the findings are.', resolve: ([code]) => severityOf(code) }),
    count: t.int({ description: 'How many findings have the code.', resolve: ([, count]) => count }),
  }),
})

const Auditor = builder.objectRef<AuditorView>('Auditor').implement({
  description: "The results of the auditor of the answering replica, which continuously checks the replica's whole state.",
  fields: (t) => ({
    violations: t.exposeInt('violations', { description: 'How many findings violate a promise of this service; normally 0.' }),
    warnings: t.exposeInt('warnings', { description: 'How many findings are reports of hosts that contradict the claims.' }),
    notices: t.exposeInt('notices', { description: 'How many findings are only notices.' }),
    findings: t.field({
      type: [AuditFinding],
      description:
        'At most a hundred findings of all severities, with a fair share for each code, so that rare codes are included. Violations come first, then warnings and notices by importance: an instance on two hosts comes before a host that lists no instances. `allFindings` has all findings.',
      resolve: ({ findings }) => [...findings],
    }),
    allFindings: t.field({
      type: AuditFindingConnection,
      description: 'All findings, sorted as in `findings`: by severity, then by code and id.',
      args: {
        ...pageArgs(),
        codes: t.arg.stringList({ description: 'Only findings with these codes; by default findings with any code.' }),
      },
      resolve: (_auditor, args, { replicas }) => replicas.findings(args),
    }),
    counts: t.field({
      type: [FindingCount],
      description: 'How many findings each code has, most frequent code first.',
      resolve: ({ counts }) => [...counts].sort(([, a], [, b]) => b - a),
    }),
    cleanSince: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        "When the first of the latest consecutive rounds without a violation began, by the database's clock. Null while there is a violation, and before the first round ends.",
      resolve: ({ clean }) => clean?.since ?? null,
    }),
    cleanRounds: t.field({
      type: 'SafeInt',
      description: 'How many complete rounds without a violation ended since `cleanSince`.',
      resolve: ({ clean }) => clean?.rounds ?? 0,
    }),
    cleanLooks: t.field({
      type: 'SafeInt',
      description: 'How many objects were checked in the rounds since `cleanSince`. An object is counted each time that it is checked.',
      resolve: ({ clean }) => clean?.looks ?? 0,
    }),
    checkedAt: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description: "When the last complete check of the state ended, by the database's clock; null before the first check ends.",
    }),
    age: t.expose('ageMs', { type: 'Duration', nullable: true, description: 'How long ago the last complete check of the state ended.' }),
    rounds: t.expose('rounds', { type: 'SafeInt', description: 'How many complete rounds the auditor made since the replica started.' }),
    round: t.expose('roundMs', { type: 'Duration', nullable: true, description: 'How long the last complete round took.' }),
    looked: t.exposeInt('looked', { description: 'How many hosts, claims, keys and other objects were checked in the last round.' }),
    comparisons: t.expose('compared', {
      type: 'SafeInt',
      description: "How many times a digest of this replica's state was compared with the digest of another replica.",
    }),
    agreedAt: t.expose('agreedAt', {
      type: 'DateTime',
      nullable: true,
      description: "When the digest of this replica's state was last equal to that of another replica, by the database's clock.",
    }),
  }),
})

builder.queryFields((t) => ({
  replicas: t.field({
    type: [Replica],
    authScopes: { scope: 'READ' },
    description: 'The replicas that were seen in the last day, in the order in which they started. Answered from memory.',
    resolve: (_root, _args, { replicas }) => replicas.list(),
  }),
  auditor: t.field({
    type: Auditor,
    authScopes: { scope: 'READ' },
    description: 'The results of the auditor, which continuously checks the state of the answering replica.',
    resolve: (_root, _args, { replicas }) => replicas.auditor(),
  }),
}))

const StateDifference = builder.objectRef<Difference>('StateDifference').implement({
  description: "A difference between a replica's state and the state that follows from the log.",
  fields: (t) => ({
    subject: t.exposeString('subject', {
      description: 'The kind of object that differs: fleet, host, claim, key, group, aggregate or profile.',
    }),
    name: t.exposeString('name', { description: 'The name of the object that differs.' }),
    field: t.exposeString('field', { description: 'The name of the differing field; empty if only one of the two states has the object.' }),
    before: t.exposeString('before', { nullable: true, description: "The replica's value, as shortened JSON; null if there is none." }),
    after: t.exposeString('after', { nullable: true, description: 'The value that follows from the log, as JSON; null if there is none.' }),
  }),
})

const ReplicaHealPayload = builder.objectRef<HealDone>('ReplicaHealPayload').implement({
  description: 'The state of the replica that follows from the log, compared with the state that the replica had.',
  fields: (t) => ({
    replica: t.exposeID('replica', { description: 'The id of the replica that was healed.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that the state was not replaced.' }),
    fromRevision: t.expose('from', {
      type: 'Revision',
      description: 'The revision of the checkpoint from which the state was built; 0: from the whole log.',
    }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'The revision at which the two states were compared.' }),
    differenceCount: t.exposeInt('count', { description: "How many differences the replica's state had from the log's." }),
    differences: t.field({
      type: [StateDifference],
      description: 'The differences between the state of the replica and the state built from the log, at most a hundred.',
      resolve: ({ differences }) => [...differences],
    }),
  }),
})

const HealRefusedError = builder.objectRef<HealRefused>('ReplicaHealRefused').implement({
  description: 'The replica cannot be healed by this call. Nothing was changed.',
  interfaces: [UserError],
})

builder.mutationField('replicaHeal', (t) =>
  t.field({
    type: resultUnion('ReplicaHealResult', 'Outcomes of replicaHeal.', [ReplicaHealPayload, HealRefusedError], {
      done: 'ReplicaHealPayload',
      'heal-refused': 'ReplicaHealRefused',
    }),
    authScopes: { scope: 'ADMIN' },
    description:
      'Builds the state of the answering replica again from a checkpoint and the log, returns the differences, and replaces the state. The log is not changed. The replica answers other calls meanwhile.',
    args: {
      replica: t.arg.id({ description: 'The id of the replica to heal. The call is refused if another replica answers it.' }),
      fromRevision: t.arg({
        type: 'Revision',
        description: 'Start from the newest checkpoint at or before this revision. Use it if a later checkpoint may itself be wrong.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: the call returns the differences and changes nothing.' }),
    },
    resolve: (_root, { replica, fromRevision, dryRun }, { replicas }) =>
      replicas.heal({
        replica: replica === null || replica === undefined ? null : String(replica),
        from: fromRevision ?? null,
        dryRun: dryRun ?? false,
      }),
  }),
)

const FindingRepairPayload = builder.objectRef<RepairDone>('FindingRepairPayload').implement({
  description: 'The effect of repairing a finding.',
  fields: (t) => ({
    finding: t.expose('finding', { type: AuditFinding, description: 'The finding. The auditor checks it again in its next round.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    fleetRevision: t.expose('revision', {
      type: 'Revision',
      description: 'The revision of the repair. For a dry run, the revision on which the repair was tried.',
    }),
    differenceCount: t.exposeInt('count', { description: 'How many differences exist between the states before and after the repair.' }),
    differences: t.field({
      type: [StateDifference],
      description: 'The differences between the states before and after the repair, at most a hundred.',
      resolve: ({ differences }) => [...differences],
    }),
  }),
})

const RepairRefusedError = builder.objectRef<RepairRefused>('FindingRepairRefused').implement({
  description:
    'This call cannot repair the finding, or the finding no longer exists. Nothing was changed. The message describes what to do.',
  interfaces: [UserError],
})

builder.mutationField('findingRepair', (t) =>
  t.field({
    type: resultUnion(
      'FindingRepairResult',
      'Outcomes of findingRepair.',
      [FindingRepairPayload, RepairRefusedError, NotFound, ValidationError],
      { done: 'FindingRepairPayload', 'repair-refused': 'FindingRepairRefused' },
    ),
    authScopes: { scope: 'OPERATE' },
    description:
      "Repairs a finding of the answering replica's auditor whose `AuditFinding.repair` is automatic. A dry run shows the differences first. Replacing or forgetting a host (host.same_machine) requires a key with ADMIN, as hostReplace and hostForget do.",
    args: {
      id: t.arg.id({ required: true, description: 'Id of the finding.' }),
      reason: t.arg.string({ required: true, description: 'Why the finding is repaired, 1 to 1000 characters, for later readers.' }),
      choose: t.arg.string({ description: 'The name of the repair in `AuditFinding.repair.options`; required if there are several.' }),
      size: t.arg({
        type: InstanceSizeInput,
        description:
          "The size of the claimed instance. By default the usage in its host's report that no claim explains, if there is only one such instance.",
      }),
      project: t.arg.string({
        description:
          'The project of the claimed instance. By default the claim has no project, and then does not prevent calls of other accounts from placing the instance again.',
      }),
      account: t.arg.string({
        description:
          "The account that owns the claimed instance; by default the caller's account. Naming another account requires a key with ADMIN.",
      }),
      dryRun: t.arg.boolean({ required: true, description: 'True: the call returns the effect on the state and changes nothing.' }),
    },
    resolve: (_root, { id, reason, choose, size, project, account, dryRun }, { findingRepairs, caller }) =>
      findingRepairs.repair(
        {
          ...{ id: String(id), reason, choose: choose ?? null, size: size ?? null, dryRun },
          ...{ project: project ?? null, account: account ?? null },
        },
        caller,
      ),
  }),
)
