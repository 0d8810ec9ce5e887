import { type AuditCode, type Liveness, promiseOf, type Severity, severityOf } from '@gantt/scheduler-core'
import type { FindingRepairs, RepairDone, RepairRefused, ToldOption } from '../services/finding-repairs.ts'
import type { AuditorView, Difference, HealDone, HealRefused, ReplicaView, StandingFinding } from '../services/replicas.ts'
import { builder } from './builder.ts'
import { connectionOf, pageArgs } from './connection.ts'
import { NotFound, resultUnion, UserError, ValidationError } from './errors.ts'

const StateHash = builder.objectRef<NonNullable<ReplicaView['stateHash']>>('StateHash').implement({
  description: 'The digest of a replica’s whole state at one place of the log: equal on all replicas.',
  fields: (t) => ({
    revision: t.expose('revision', { type: 'Revision', description: 'Where it was taken.' }),
    hash: t.exposeString('digest', { description: '16 hexadecimal digits.' }),
  }),
})

const HostStates = builder.objectRef<Readonly<Record<Liveness, number>>>('HostStates').implement({
  description: 'How many hosts are in each state.',
  fields: (t) => ({
    up: t.exposeInt('UP', { description: 'Hosts that are heard.' }),
    suspect: t.exposeInt('SUSPECT', { description: 'Hosts that are silent.' }),
    down: t.exposeInt('DOWN', { description: 'Hosts that are down.' }),
  }),
})

const Replica = builder.objectRef<ReplicaView>('Replica').implement({
  description: 'A process that follows the log. The one that answers is as it is now; the others are as they said of themselves last.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its name: machine, process and start.' }),
    url: t.exposeString('url', { nullable: true, description: 'Where it answers; null until it listens.' }),
    version: t.exposeString('version', { description: 'Release of the core.' }),
    featureLevel: t.exposeInt('featureLevel', { description: 'The highest feature level that it reads.' }),
    mode: t.exposeString('mode', { description: 'STARTING, or a mode of health: NORMAL, STORE_AWAY, READ_ONLY, CLOSING.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it is not NORMAL.' }),
    live: t.exposeBoolean('isLive', { description: 'It gave a sign in the last ten seconds and was not stopped.' }),
    answers: t.exposeBoolean('isSelf', { description: 'It is the one that answers this.' }),
    revision: t.expose('revision', { type: 'Revision', description: 'What it has applied of the log.' }),
    lagEvents: t.exposeInt('lagChanges', { description: 'Changes in the log that it had not applied at its last sign.' }),
    lag: t.expose('lagMs', { type: 'Duration', description: 'How long the first of them had been in the log then.' }),
    lagHistory: t.field({
      type: ['Duration'],
      nullable: { list: false, items: true },
      description:
        'The longest lag of each ten seconds of the last ten minutes, the oldest first, as the replica that answers read it; null where it read none.',
      resolve: ({ lagHistoryMs }) => [...lagHistoryMs],
    }),
    decisionsPerSecond: t.float({
      nullable: true,
      description:
        'What it decided in the last minute, refusals and advice included. Null, as the figures below: it does not follow the log yet, or its release does not tell.',
      resolve: ({ vitals }) => vitals?.decisionsPerSecond ?? null,
    }),
    proposals: t.int({
      nullable: true,
      description: 'Proposals of its own of which it learned in the last minute what became of them; each is the room of one request.',
      resolve: ({ vitals }) => vitals?.proposals ?? null,
    }),
    conflicts: t.int({
      nullable: true,
      description: 'How many of them came to nothing: the log refused them, and they were decided again or given up.',
      resolve: ({ vitals }) => vitals?.conflicts ?? null,
    }),
    conflictRate: t.float({
      nullable: true,
      description: 'The share of the proposals that came to nothing, 0 to 1; null, too, where there were none.',
      resolve: ({ vitals }) => (vitals === null || vitals.proposals === 0 ? null : vitals.conflicts / vitals.proposals),
    }),
    memoryBytes: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'What its process holds of the memory of its machine (RSS).',
      resolve: ({ vitals }) => vitals?.memoryBytes ?? null,
    }),
    hosts: t.field({
      type: HostStates,
      nullable: true,
      description: 'The hosts as it sees them.',
      resolve: ({ vitals }) => vitals?.hosts ?? null,
    }),
    violations: t.exposeInt('violations', { description: 'What its auditor finds that cannot be; 0 is how it must be.' }),
    checkedAt: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Store time at which its auditor had looked at everything last.',
    }),
    stateHash: t.expose('stateHash', { type: StateHash, nullable: true, description: 'Where the log stood still long enough last.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Store time of its first sign.' }),
    lastSeenAt: t.expose('seenAt', { type: 'DateTime', description: 'Store time of its last sign; one comes every two seconds.' }),
    stoppedAt: t.expose('stoppedAt', { type: 'DateTime', nullable: true, description: 'Store time at which it ended in order.' }),
  }),
})

const FindingSeverity = builder.enumType('FindingSeverity', {
  description: 'How much a finding says.',
  values: {
    VIOLATION: { description: 'A promise of this service is broken.' },
    WARNING: { description: 'Hosts report what contradicts the claims.' },
    NOTICE: { description: 'Something that may be as it should, and that this service does not know of.' },
  } as const satisfies Readonly<Record<Severity, unknown>>,
})

const FindingRepairOption = builder.objectRef<ToldOption>('FindingRepairOption').implement({
  description: 'One way to repair a finding.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Give it as `choose` of findingRepair.' }),
    text: t.exposeString('text', { description: 'What it does.' }),
    asksSize: t.exposeBoolean('asksSize', { description: 'Whether `size` has to be given with it.' }),
    asksOwner: t.exposeBoolean('asksOwner', { description: 'Whether `project` and `account` may be given with it.' }),
  }),
})

const InstanceSizeInput = builder.inputType('InstanceSizeInput', {
  description: 'What an instance takes of its host.',
  fields: (t) => ({
    vcpus: t.int({ required: true, description: 'CPUs.' }),
    memoryMib: t.int({ required: true, description: 'Memory, MiB.' }),
    diskGib: t.int({ required: true, defaultValue: 0, description: 'Disk, GiB.' }),
  }),
})

const FindingRepair = builder.objectRef<ReturnType<FindingRepairs['of']>>('FindingRepair').implement({
  description: 'What mends a finding.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'What there is to do.' }),
    automatic: t.boolean({
      description:
        'Whether findingRepair does it; its dryRun shows the difference first. False: somebody has to look, and do what the text says.',
      resolve: ({ options }) => options.length > 0,
    }),
    options: t.field({
      type: [FindingRepairOption],
      description: 'The ways in which it does it, the first twenty. Where there are several, `choose` names one.',
      resolve: ({ options }) => [...options],
    }),
  }),
})

const AuditFinding = builder.objectRef<StandingFinding>('AuditFinding').implement({
  description: 'Something in a replica’s state that cannot be, or in which hosts report what contradicts the claims.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The same on every replica, as long as it is there.' }),
    severity: t.expose('severity', { type: FindingSeverity, description: 'How much it says.' }),
    repair: t.field({
      type: FindingRepair,
      description: 'What mends it.',
      resolve: (finding, _args, { findingRepairs }) => findingRepairs.of(finding),
    }),
    code: t.exposeString('code', { description: 'What it is; docs/errors.md has a cure for each.' }),
    promise: t.string({ description: 'The promise of docs/promises.md that it is about.', resolve: ({ code }) => promiseOf[code] }),
    subject: t.exposeString('subject', {
      description: 'What was looked at: host, claim, reservation, instance, key, group, aggregate, part.',
    }),
    name: t.exposeString('name', { description: 'Which.' }),
    host: t.exposeString('host', { nullable: true, description: 'Name of the host, where one is concerned.' }),
    hostName: t.string({
      nullable: true,
      description: "Name of the host without its node's, as it is now, where one is concerned that is known.",
      resolve: ({ host }, _args, { hosts }) => (host === null ? null : (hosts.byText(host)?.record.host ?? null)),
    }),
    node: t.string({
      nullable: true,
      description: "Its node's name.",
      resolve: ({ host }, _args, { hosts }) => (host === null ? null : (hosts.byText(host)?.record.node ?? null)),
    }),
    claim: t.exposeString('claim', { nullable: true, description: 'Id of the claim, where one is concerned.' }),
    field: t.exposeString('field', { description: 'Which column, index or member.' }),
    expected: t.exposeString('expected', { description: 'What it should be.' }),
    actual: t.exposeString('actual', { description: 'What it is.' }),
    since: t.expose('since', { type: 'DateTime', description: 'Store time at which it was found first.' }),
  }),
})

const AuditFindingConnection = connectionOf('AuditFinding', AuditFinding)

const FindingCount = builder.objectRef<readonly [AuditCode, number]>('FindingCount').implement({
  description: 'How many findings there are of one code.',
  fields: (t) => ({
    code: t.string({ description: 'The code.', resolve: ([code]) => code }),
    severity: t.field({ type: FindingSeverity, description: 'How much it says.', resolve: ([code]) => severityOf(code) }),
    count: t.int({ description: 'How many.', resolve: ([, count]) => count }),
  }),
})

const Auditor = builder.objectRef<AuditorView>('Auditor').implement({
  description: 'What looking through the whole state of the replica that answers has shown; it never stops looking.',
  fields: (t) => ({
    violations: t.exposeInt('violations', { description: 'How many findings break a promise of this service; 0 is how it must be.' }),
    warnings: t.exposeInt('warnings', { description: 'How many say that hosts report what contradicts the claims.' }),
    notices: t.exposeInt('notices', { description: 'How many are only to be known.' }),
    findings: t.field({
      type: [AuditFinding],
      description:
        'A hundred of all three, of each code a fair share, so that rare ones are seen. What breaks a promise comes first, then contradictions by what they mean: an instance on two hosts before a host that lists nothing. `allFindings` has the others.',
      resolve: ({ findings }) => [...findings],
    }),
    allFindings: t.field({
      type: AuditFindingConnection,
      description: 'All of them, in the order of `findings`: those of most weight first, and those of one code by their ids.',
      args: {
        ...pageArgs(),
        codes: t.arg.stringList({ description: 'Only findings of these codes; of all if not given.' }),
      },
      resolve: (_auditor, args, { replicas }) => replicas.findings(args),
    }),
    counts: t.field({
      type: [FindingCount],
      description: 'All of them by code, the most first.',
      resolve: ({ counts }) => [...counts].sort(([, a], [, b]) => b - a),
    }),
    cleanSince: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'Store time at which the first of the rounds without a violation began that lead up to now; null while there is one, and before the first round is over.',
      resolve: ({ clean }) => clean?.since ?? null,
    }),
    cleanRounds: t.field({ type: 'SafeInt', description: 'How many rounds these are.', resolve: ({ clean }) => clean?.rounds ?? 0 }),
    cleanLooks: t.field({
      type: 'SafeInt',
      description: 'How many things were looked at in them, each as often as it was.',
      resolve: ({ clean }) => clean?.looks ?? 0,
    }),
    checkedAt: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Store time at which everything had been looked at last; null before the first round is over.',
    }),
    age: t.expose('ageMs', { type: 'Duration', nullable: true, description: 'How long ago that was.' }),
    rounds: t.expose('rounds', { type: 'SafeInt', description: 'How often it looked at everything since its start.' }),
    round: t.expose('roundMs', { type: 'Duration', nullable: true, description: 'How long that round took.' }),
    looked: t.exposeInt('looked', { description: 'Hosts, claims, keys and the like that it looked at.' }),
    comparisons: t.expose('compared', { type: 'SafeInt', description: 'Digests that were compared with those of other replicas.' }),
    agreedAt: t.expose('agreedAt', { type: 'DateTime', nullable: true, description: 'Store time at which one was equal last.' }),
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
    description: 'Whether the state of the replica that answers is sound.',
    resolve: (_root, _args, { replicas }) => replicas.auditor(),
  }),
}))

const StateDifference = builder.objectRef<Difference>('StateDifference').implement({
  description: 'Something in which a replica’s state differed from what the log says.',
  fields: (t) => ({
    subject: t.exposeString('subject', { description: 'fleet, host, claim, key, group, aggregate or profile.' }),
    name: t.exposeString('name', { description: 'Which.' }),
    field: t.exposeString('field', { description: 'Which member; empty where only one of the two states has the thing.' }),
    before: t.exposeString('before', { nullable: true, description: 'What the replica had, as JSON, shortened; null: nothing.' }),
    after: t.exposeString('after', { nullable: true, description: 'What the log says.' }),
  }),
})

const ReplicaHealPayload = builder.objectRef<HealDone>('ReplicaHealPayload').implement({
  description: 'The state was made anew from the log and compared.',
  fields: (t) => ({
    replica: t.exposeID('replica', { description: 'Which replica.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True when the state was left as it was.' }),
    fromRevision: t.expose('from', { type: 'Revision', description: 'The checkpoint that it was made from; 0: the whole log.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Where both states stood at the end.' }),
    differenceCount: t.exposeInt('count', { description: 'How many differences there are.' }),
    differences: t.field({
      type: [StateDifference],
      description: 'The first hundred of them.',
      resolve: ({ differences }) => [...differences],
    }),
  }),
})

const HealRefusedError = builder.objectRef<HealRefused>('ReplicaHealRefused').implement({
  description: 'It cannot be done here or now; nothing was changed.',
  interfaces: [UserError],
})

builder.mutationField('replicaHeal', (t) =>
  t.field({
    type: resultUnion('ReplicaHealResult', 'Ends of replicaHeal.', [ReplicaHealPayload, HealRefusedError], {
      done: 'ReplicaHealPayload',
      'heal-refused': 'ReplicaHealRefused',
    }),
    authScopes: { scope: 'ADMIN' },
    description:
      'Makes the state of the replica that answers anew from a checkpoint and the log, tells how the two differ, and takes the new one over. The log is not changed; calls are answered meanwhile.',
    args: {
      replica: t.arg.id({ description: 'The replica that is meant; refused when another one answers.' }),
      fromRevision: t.arg({
        type: 'Revision',
        description: 'Begin at the newest checkpoint at or before this revision: where a checkpoint itself may be at fault.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: only tell how they differ.' }),
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
  description: 'What the repair of a finding changed, or would change.',
  fields: (t) => ({
    finding: t.expose('finding', { type: AuditFinding, description: 'The finding; the auditor looks again within its next round.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True when nothing was changed.' }),
    fleetRevision: t.expose('revision', {
      type: 'Revision',
      description: 'Where the change is in the log; of a dry run, the state that it was tried on.',
    }),
    differenceCount: t.exposeInt('count', { description: 'How many differences there are.' }),
    differences: t.field({
      type: [StateDifference],
      description: 'The first hundred of them: before, and after the repair.',
      resolve: ({ differences }) => [...differences],
    }),
  }),
})

const RepairRefusedError = builder.objectRef<RepairRefused>('FindingRepairRefused').implement({
  description: 'It cannot be repaired from here, or is so no more; nothing was changed, and the message says what to do.',
  interfaces: [UserError],
})

builder.mutationField('findingRepair', (t) =>
  t.field({
    type: resultUnion(
      'FindingRepairResult',
      'Ends of findingRepair.',
      [FindingRepairPayload, RepairRefusedError, NotFound, ValidationError],
      { done: 'FindingRepairPayload', 'repair-refused': 'FindingRepairRefused' },
    ),
    authScopes: { scope: 'OPERATE' },
    description:
      'Repairs what the auditor of the replica that answers has found, where AuditFinding.repair is automatic. A dry run shows the difference first. To replace or forget a host (host.same_machine) takes a key with ADMIN, as hostReplace and hostForget do.',
    args: {
      id: t.arg.id({ required: true, description: 'Of the finding.' }),
      reason: t.arg.string({ required: true, description: 'Why, 1 to 1000 characters, for those who ask later.' }),
      choose: t.arg.string({ description: 'Name of the option (AuditFinding.repair.options); needed where there are several.' }),
      size: t.arg({
        type: InstanceSizeInput,
        description:
          'Of the instance, where one is claimed; left out: what its host’s report leaves for it, where it runs no other without a claim.',
      }),
      project: t.arg.string({
        description:
          'Of the instance, where one is claimed. Left out: the claim is of no project, and does not keep a call of another account from placing the instance once more.',
      }),
      account: t.arg.string({
        description:
          'Whose the instance is, where one is claimed; the account of the caller, if left out. Another one takes a key with ADMIN.',
      }),
      dryRun: t.arg.boolean({ required: true, description: 'True: only say how the state would differ.' }),
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
