import { type AuditCode, type Liveness, promiseOf, type Severity, severityOf } from '@gantt/scheduler-core'
import type { FindingRepairs, OfferedOption, RepairDone, RepairRefused } from '../../services/replica/finding-repairs.ts'
import type { AuditorView, Difference, HealDone, HealRefused, PresentFinding, ReplicaView } from '../../services/replica/replicas.ts'
import { builder } from '../builder.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { NotFound, resultUnion, UserError, ValidationError } from '../types/errors.ts'

const StateHash = builder.objectRef<NonNullable<ReplicaView['stateHash']>>('StateHash').implement({
  description: 'The digest of a replica’s whole state at one revision of the log: equal on all replicas.',
  fields: (t) => ({
    revision: t.expose('revision', { type: 'Revision', description: 'The revision of the state.' }),
    hash: t.exposeString('digest', { description: '16 hexadecimal digits.' }),
  }),
})

const HostStates = builder.objectRef<Readonly<Record<Liveness, number>>>('HostStates').implement({
  description: 'The number of hosts in each state.',
  fields: (t) => ({
    up: t.exposeInt('UP', { description: 'The number of hosts that are UP.' }),
    suspect: t.exposeInt('SUSPECT', { description: 'The number of hosts that are SUSPECT.' }),
    down: t.exposeInt('DOWN', { description: 'The number of hosts that are DOWN.' }),
  }),
})

const Replica = builder.objectRef<ReplicaView>('Replica').implement({
  description:
    'A process that follows the log. The answering replica is shown in its present state; others as they last reported themselves.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its name: machine, process and start.' }),
    url: t.exposeString('url', { nullable: true, description: 'The URL at which it answers; null until it listens.' }),
    version: t.exposeString('version', { description: 'Version of the rules by which it decides, not of its release.' }),
    featureLevel: t.exposeInt('featureLevel', { description: 'The highest feature level that it reads.' }),
    mode: t.exposeString('mode', { description: 'STARTING, or a mode of health: NORMAL, STORE_AWAY, READ_ONLY, CLOSING.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it is not NORMAL.' }),
    live: t.exposeBoolean('isLive', { description: 'Whether it gave a sign in the last ten seconds and was not stopped.' }),
    answers: t.exposeBoolean('isSelf', { description: 'Whether it is the replica that answers this query.' }),
    revision: t.expose('revision', { type: 'Revision', description: 'The revision that it has applied.' }),
    lagEvents: t.exposeInt('lagChanges', { description: 'The number of changes in the log that it had not applied at its last sign.' }),
    lag: t.expose('lagMs', { type: 'Duration', description: 'How long the first of these changes had been in the log at that time.' }),
    lagHistory: t.field({
      type: ['Duration'],
      nullable: { list: false, items: true },
      description:
        'The largest lag in each ten seconds of the last ten minutes, oldest first, as the answering replica read it; null if it read none.',
      resolve: ({ lagHistoryMs }) => [...lagHistoryMs],
    }),
    decisionsPerSecond: t.float({
      nullable: true,
      description:
        'The number of its decisions in the last minute, including refusals and advice. Null, like the figures below, if it does not follow the log yet, or its release does not report it.',
      resolve: ({ vitals }) => vitals?.decisionsPerSecond ?? null,
    }),
    proposals: t.int({
      nullable: true,
      description: 'The number of its proposals whose outcome it learned in the last minute; each proposal is for one request.',
      resolve: ({ vitals }) => vitals?.proposals ?? null,
    }),
    conflicts: t.int({
      nullable: true,
      description: 'The number of these proposals that were void: the requests were decided again or given up.',
      resolve: ({ vitals }) => vitals?.conflicts ?? null,
    }),
    conflictRate: t.float({
      nullable: true,
      description: 'The share of void proposals, 0 to 1; null also if there were none.',
      resolve: ({ vitals }) => (vitals === null || vitals.proposals === 0 ? null : vitals.conflicts / vitals.proposals),
    }),
    memoryBytes: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'The resident memory of its process (RSS).',
      resolve: ({ vitals }) => vitals?.memoryBytes ?? null,
    }),
    hosts: t.field({
      type: HostStates,
      nullable: true,
      description: 'The hosts, as the replica sees them.',
      resolve: ({ vitals }) => vitals?.hosts ?? null,
    }),
    violations: t.exposeInt('violations', { description: 'The number of violations that its auditor finds; normally 0.' }),
    checkedAt: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The store time at which its auditor last completed a check of everything.',
    }),
    stateHash: t.expose('stateHash', {
      type: StateHash,
      nullable: true,
      description: 'The digest at the last revision that was current long enough.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'The store time of its first sign.' }),
    lastSeenAt: t.expose('seenAt', { type: 'DateTime', description: 'The store time of its last sign; it gives one every two seconds.' }),
    stoppedAt: t.expose('stoppedAt', { type: 'DateTime', nullable: true, description: 'The store time at which it was stopped in order.' }),
  }),
})

const FindingSeverity = builder.enumType('FindingSeverity', {
  description: 'The severity of a finding.',
  values: {
    VIOLATION: { description: 'A promise of this service is broken.' },
    WARNING: { description: 'Reports of hosts contradict the claims.' },
    NOTICE: { description: 'Something that may be intended, but is not known to this service.' },
  } as const satisfies Readonly<Record<Severity, unknown>>,
})

const FindingRepairOption = builder.objectRef<OfferedOption>('FindingRepairOption').implement({
  description: 'One way to repair a finding.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Pass it as `choose` of findingRepair.' }),
    text: t.exposeString('text', { description: 'Description of what the repair does.' }),
    asksSize: t.exposeBoolean('asksSize', { description: 'Whether `size` has to be given with it.' }),
    asksOwner: t.exposeBoolean('asksOwner', { description: 'Whether `project` and `account` may be given with it.' }),
  }),
})

const InstanceSizeInput = builder.inputType('InstanceSizeInput', {
  description: 'The resources that an instance takes of its host.',
  fields: (t) => ({
    vcpus: t.int({ required: true, description: 'Virtual CPUs of the instance.' }),
    memoryMib: t.int({ required: true, description: 'Memory of the instance, in MiB.' }),
    diskGib: t.int({ required: true, defaultValue: 0, description: 'Disk space of the instance, in GiB.' }),
  }),
})

const FindingRepair = builder.objectRef<ReturnType<FindingRepairs['of']>>('FindingRepair').implement({
  description: 'The repair of a finding.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'What the repair does, as a sentence.' }),
    automatic: t.boolean({
      description: 'Whether findingRepair can do it; its dryRun shows the effect first. False: an operator has to do what the text says.',
      resolve: ({ options }) => options.length > 0,
    }),
    options: t.field({
      type: [FindingRepairOption],
      description: 'The possible repairs, the first twenty. If there are several, `choose` names one.',
      resolve: ({ options }) => [...options],
    }),
  }),
})

const AuditFinding = builder.objectRef<PresentFinding>('AuditFinding').implement({
  description: 'An impossible state of a replica, or reports of hosts that contradict the claims.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id, which is the same on every replica as long as the finding exists.' }),
    severity: t.expose('severity', { type: FindingSeverity, description: 'How severe the finding is.' }),
    repair: t.field({
      type: FindingRepair,
      description: 'The repair that mends it.',
      resolve: (finding, _args, { findingRepairs }) => findingRepairs.of(finding),
    }),
    code: t.exposeString('code', { description: 'The code of the finding; docs/errors.md has a remedy for each.' }),
    promise: t.string({ description: 'The promise in docs/promises.md that it violates.', resolve: ({ code }) => promiseOf[code] }),
    subject: t.exposeString('subject', {
      description: 'The kind of object: host, claim, reservation, instance, key, group, aggregate, part.',
    }),
    name: t.exposeString('name', { description: 'Name of the thing that the finding is about.' }),
    host: t.exposeString('host', { nullable: true, description: 'The name of the host, if there is one.' }),
    hostName: t.string({
      nullable: true,
      description: "The present name of the host without its node's, if the finding is about a known host.",
      resolve: ({ host }, _args, { hosts }) => (host === null ? null : (hosts.byText(host)?.record.host ?? null)),
    }),
    node: t.string({
      nullable: true,
      description: "Name of the host's node.",
      resolve: ({ host }, _args, { hosts }) => (host === null ? null : (hosts.byText(host)?.record.node ?? null)),
    }),
    claim: t.exposeString('claim', { nullable: true, description: 'The id of the claim, if there is one.' }),
    field: t.exposeString('field', { description: 'The column, index or member.' }),
    expected: t.exposeString('expected', { description: 'The expected value.' }),
    actual: t.exposeString('actual', { description: 'The value that was found.' }),
    since: t.expose('since', { type: 'DateTime', description: 'The store time at which it was first found.' }),
  }),
})

const AuditFindingConnection = connectionOf('AuditFinding', AuditFinding)

const FindingCount = builder.objectRef<readonly [AuditCode, number]>('FindingCount').implement({
  description: 'The number of findings with one code.',
  fields: (t) => ({
    code: t.string({ description: 'Code of the findings.', resolve: ([code]) => code }),
    severity: t.field({ type: FindingSeverity, description: 'How severe the findings are.', resolve: ([code]) => severityOf(code) }),
    count: t.int({ description: 'Number of findings with the code.', resolve: ([, count]) => count }),
  }),
})

const Auditor = builder.objectRef<AuditorView>('Auditor').implement({
  description: "The results of the continuous check of the answering replica's whole state.",
  fields: (t) => ({
    violations: t.exposeInt('violations', { description: 'The number of findings that violate a promise of this service; normally 0.' }),
    warnings: t.exposeInt('warnings', { description: 'The number of findings that reports of hosts contradict the claims.' }),
    notices: t.exposeInt('notices', { description: 'The number of findings that are only notices.' }),
    findings: t.field({
      type: [AuditFinding],
      description:
        'A hundred findings of all severities, with a fair share for each code, so that rare ones are included. Violations come first, then contradictions by their importance: an instance on two hosts before a host that lists nothing. `allFindings` has the others.',
      resolve: ({ findings }) => [...findings],
    }),
    allFindings: t.field({
      type: AuditFindingConnection,
      description: 'All findings, in the order of `findings`: by severity, then by code and id.',
      args: {
        ...pageArgs(),
        codes: t.arg.stringList({ description: 'Only findings with these codes; all by default.' }),
      },
      resolve: (_auditor, args, { replicas }) => replicas.findings(args),
    }),
    counts: t.field({
      type: [FindingCount],
      description: 'The number of findings by code, the most frequent first.',
      resolve: ({ counts }) => [...counts].sort(([, a], [, b]) => b - a),
    }),
    cleanSince: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'The store time at which the first of the consecutive rounds without a violation began; null while there is a violation, and before the first round ends.',
      resolve: ({ clean }) => clean?.since ?? null,
    }),
    cleanRounds: t.field({ type: 'SafeInt', description: 'The number of these rounds.', resolve: ({ clean }) => clean?.rounds ?? 0 }),
    cleanLooks: t.field({
      type: 'SafeInt',
      description: 'The number of checks in these rounds; an object is counted each time that it is checked.',
      resolve: ({ clean }) => clean?.looks ?? 0,
    }),
    checkedAt: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The store time at which the last complete round ended; null before the first ends.',
    }),
    age: t.expose('ageMs', { type: 'Duration', nullable: true, description: 'How long ago that was.' }),
    rounds: t.expose('rounds', { type: 'SafeInt', description: 'The number of complete rounds since its start.' }),
    round: t.expose('roundMs', { type: 'Duration', nullable: true, description: 'The duration of the last round.' }),
    looked: t.exposeInt('looked', { description: 'The number of hosts, claims, keys and other objects that it checked.' }),
    comparisons: t.expose('compared', {
      type: 'SafeInt',
      description: 'The number of digests that were compared with those of other replicas.',
    }),
    agreedAt: t.expose('agreedAt', { type: 'DateTime', nullable: true, description: 'The store time of the last equal digest.' }),
  }),
})

builder.queryFields((t) => ({
  replicas: t.field({
    type: [Replica],
    authScopes: { scope: 'READ' },
    description: 'The replicas that gave a sign in the last day, in the order of their start. Answered from memory.',
    resolve: (_root, _args, { replicas }) => replicas.list(),
  }),
  auditor: t.field({
    type: Auditor,
    authScopes: { scope: 'READ' },
    description: 'Whether the state of the answering replica is sound.',
    resolve: (_root, _args, { replicas }) => replicas.auditor(),
  }),
}))

const StateDifference = builder.objectRef<Difference>('StateDifference').implement({
  description: 'A difference between a replica’s state and the state that the log implies.',
  fields: (t) => ({
    subject: t.exposeString('subject', { description: 'fleet, host, claim, key, group, aggregate or profile.' }),
    name: t.exposeString('name', { description: 'Name of the part of the state that differs.' }),
    field: t.exposeString('field', { description: 'The member that differs; empty if only one of the two states has the object.' }),
    before: t.exposeString('before', { nullable: true, description: "The replica's value, as JSON, shortened; null if there is none." }),
    after: t.exposeString('after', { nullable: true, description: 'The value by the log.' }),
  }),
})

const ReplicaHealPayload = builder.objectRef<HealDone>('ReplicaHealPayload').implement({
  description: 'The state was built again from the log and compared.',
  fields: (t) => ({
    replica: t.exposeID('replica', { description: 'Id of the replica that was healed.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that the state is unchanged.' }),
    fromRevision: t.expose('from', { type: 'Revision', description: 'The checkpoint that it was built from; 0: the whole log.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'The revision of both states at the end.' }),
    differenceCount: t.exposeInt('count', { description: 'The number of differences.' }),
    differences: t.field({
      type: [StateDifference],
      description: 'The first hundred differences.',
      resolve: ({ differences }) => [...differences],
    }),
  }),
})

const HealRefusedError = builder.objectRef<HealRefused>('ReplicaHealRefused').implement({
  description: 'The repair is not possible here or now; nothing was changed.',
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
      'Builds the state of the answering replica again from a checkpoint and the log, returns the differences, and replaces the state. The log is not changed; calls are answered meanwhile.',
    args: {
      replica: t.arg.id({ description: 'The replica; the call is refused if another one answers.' }),
      fromRevision: t.arg({
        type: 'Revision',
        description: 'Start from the newest checkpoint at or before this revision, in case a checkpoint itself is wrong.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: returns the differences, and changes nothing.' }),
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
  description: 'The effect of the repair of a finding.',
  fields: (t) => ({
    finding: t.expose('finding', { type: AuditFinding, description: 'The finding; the auditor checks again in its next round.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    fleetRevision: t.expose('revision', {
      type: 'Revision',
      description: 'The revision of the change; for a dry run, the state that it was tried on.',
    }),
    differenceCount: t.exposeInt('count', { description: 'The number of differences.' }),
    differences: t.field({
      type: [StateDifference],
      description: 'The first hundred differences between the states before and after the repair.',
      resolve: ({ differences }) => [...differences],
    }),
  }),
})

const RepairRefusedError = builder.objectRef<RepairRefused>('FindingRepairRefused').implement({
  description: 'The finding cannot be repaired by this call, or no longer exists; nothing was changed, and the message says what to do.',
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
      'Repairs what the auditor of the replica that answers has found, where AuditFinding.repair is automatic. A dry run shows the difference first. To replace or forget a host (host.same_machine) takes a key with ADMIN, as hostReplace and hostForget do.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the finding.' }),
      reason: t.arg.string({ required: true, description: 'The reason, 1 to 1000 characters, for later readers.' }),
      choose: t.arg.string({ description: 'The name of the option (AuditFinding.repair.options); required if there are several.' }),
      size: t.arg({
        type: InstanceSizeInput,
        description:
          'The size of a claimed instance; by default the use in its host’s report that no claim explains, if it is the only such instance.',
      }),
      project: t.arg.string({
        description:
          'The project of a claimed instance. By default the claim has no project, and does not prevent a call of another account from placing the instance again.',
      }),
      account: t.arg.string({
        description: "The account that owns the claimed instance; by default the caller's. Another one requires a key with ADMIN.",
      }),
      dryRun: t.arg.boolean({ required: true, description: 'True: returns the effect on the state, and changes nothing.' }),
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
