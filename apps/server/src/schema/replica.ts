import { type Liveness, promiseOf } from '@gantt/scheduler-core'
import type { AuditorView, Difference, HealDone, HealRefused, ReplicaView, StandingFinding } from '../services/replicas.ts'
import { builder } from './builder.ts'
import { resultUnion, UserError } from './errors.ts'

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

const AuditFinding = builder.objectRef<StandingFinding>('AuditFinding').implement({
  description: 'Something in a replica’s state that cannot be.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'What it is; docs/errors.md has a cure for each.' }),
    promise: t.string({ description: 'The promise of docs/promises.md that it breaks.', resolve: ({ code }) => promiseOf[code] }),
    subject: t.exposeString('subject', { description: 'What was looked at: host, claim, reservation, key, group, aggregate, part.' }),
    name: t.exposeString('name', { description: 'Which.' }),
    host: t.exposeString('host', { nullable: true, description: 'Name of the host, where one is concerned.' }),
    claim: t.exposeString('claim', { nullable: true, description: 'Id of the claim, where one is concerned.' }),
    field: t.exposeString('field', { description: 'Which column, index or member.' }),
    expected: t.exposeString('expected', { description: 'What it should be.' }),
    actual: t.exposeString('actual', { description: 'What it is.' }),
    since: t.expose('since', { type: 'DateTime', description: 'Store time at which it was found first.' }),
  }),
})

const Auditor = builder.objectRef<AuditorView>('Auditor').implement({
  description: 'What looking through the whole state of the replica that answers has shown; it never stops looking.',
  fields: (t) => ({
    violations: t.exposeInt('violations', { description: 'How many findings stand; 0 is how it must be.' }),
    findings: t.field({ type: [AuditFinding], description: 'The first hundred of them.', resolve: ({ findings }) => [...findings] }),
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
