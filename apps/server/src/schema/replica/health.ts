import type { Degraded as DegradedShape, HealthView } from '../../services/replica/health.ts'
import { builder } from '../builder.ts'

const HealthMode = builder.enumType('HealthMode', {
  description:
    'What a replica can do. NORMAL: everything. STORE_AWAY: the store of the log is unreachable; reads are answered from memory with their age, and claims are refused with UNAVAILABLE and retryAfterMs. READ_ONLY: the replica cannot continue with the log, for the reason in `Health.code`; it answers reads and refuses writes. CLOSING: the replica is being stopped.',
  values: ['NORMAL', 'STORE_AWAY', 'READ_ONLY', 'CLOSING'] as const,
})

const Degraded = builder.objectRef<DegradedShape>('Degraded').implement({
  description: 'A function that does not work although the replica continues to work.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'A code that docs/errors.md explains.' }),
    since: t.expose('since', {
      type: 'DateTime',
      description: "When the function stopped working, by the clock of the replica's machine.",
    }),
    message: t.exposeString('message', {
      description: 'Which calls continue to work, and which calls or data wait until the function works again.',
    }),
  }),
})

const Health = builder.objectRef<HealthView>('Health').implement({
  description: 'The health of the answering replica.',
  fields: (t) => ({
    replica: t.exposeString('replica', { description: 'The name of the replica, made of its machine, process and start.' }),
    release: t.exposeString('release', { description: 'The release of the service whose packages the replica runs.' }),
    version: t.exposeString('version', {
      description: 'The version of the rules by which the replica decides. It is not the version of the release.',
    }),
    mode: t.expose('mode', { type: HealthMode, description: 'What the replica can do now.' }),
    code: t.exposeString('code', {
      nullable: true,
      description: 'The code of the reason why the replica is READ_ONLY (docs/errors.md); null in other modes.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why the mode is not NORMAL; null if it is NORMAL.' }),
    degraded: t.expose('degraded', {
      type: [Degraded],
      description: 'The functions that do not work although the replica works; normally empty.',
    }),
    revision: t.expose('revision', { type: 'Revision', description: 'The revision that the replica has applied.' }),
    stateAge: t.expose('ageMs', {
      type: 'Duration',
      description: "How long ago the replica's state was last known to be as new as the store's.",
    }),
    violations: t.exposeInt('violations', { description: "How many violations the replica's auditor finds in its state; normally 0." }),
    warnings: t.exposeInt('warnings', {
      description: "How many findings of the replica's auditor are reports of hosts that contradict the claims.",
    }),
    cleanSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when the auditor finds no violation; the same as `Auditor.cleanSince`.',
      resolve: ({ clean }) => clean?.since ?? null,
    }),
    cleanRounds: t.field({
      type: 'SafeInt',
      description: 'How many rounds without a violation ended since `cleanSince`; the same as `Auditor.cleanRounds`.',
      resolve: ({ clean }) => clean?.rounds ?? 0,
    }),
    cleanLooks: t.field({
      type: 'SafeInt',
      description: 'How many objects were checked since `cleanSince`; the same as `Auditor.cleanLooks`.',
      resolve: ({ clean }) => clean?.looks ?? 0,
    }),
    checkedAge: t.expose('checkedAgeMs', {
      type: 'Duration',
      nullable: true,
      description: "How long ago the replica's auditor last completed a check of the whole state; null before the first check ends.",
    }),
    featureLevel: t.exposeInt('featureLevel', {
      description: 'The feature level of the fleet. The log may contain changes up to this level.',
    }),
    engine: t.exposeString('engine', { description: 'The engine that stores the log: postgres or nats (GANTT_SYNC).' }),
    sharedFlush: t.exposeBoolean('sharedFlush', {
      description:
        'True if log entries are ordered before they are flushed to disk, so that one flush serves all waiting calls (GANTT_SHARED_FLUSH).',
    }),
    flushMs: t.exposeFloat('flushMs', {
      nullable: true,
      description: 'How long a flush to disk took when this replica started, in milliseconds; null if it was not measured.',
    }),
  }),
})

builder.queryField('health', (t) =>
  t.field({
    type: Health,
    authScopes: { scope: 'READ' },
    description: 'The health of the answering replica. It is read from memory only, so it is available even if all other queries fail.',
    resolve: (_root, _args, { health }) => health.view(),
  }),
)
