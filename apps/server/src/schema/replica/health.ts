import type { Degraded as DegradedShape, HealthView } from '../../services/replica/health.ts'
import { builder } from '../builder.ts'

const HealthMode = builder.enumType('HealthMode', {
  description:
    'NORMAL; STORE_AWAY: reads answer from memory with their age, claims are refused with UNAVAILABLE and retryAfterMs; READ_ONLY: this replica found a log from which it must not continue; CLOSING: it is being stopped.',
  values: ['NORMAL', 'STORE_AWAY', 'READ_ONLY', 'CLOSING'] as const,
})

const Degraded = builder.objectRef<DegradedShape>('Degraded').implement({
  description: "Something that is missing without stopping the replica's work.",
  fields: (t) => ({
    code: t.exposeString('code', { description: 'A code of docs/errors.md.' }),
    since: t.expose('since', { type: 'DateTime', description: 'Since when it is missing, by the clock of this machine.' }),
    message: t.exposeString('message', { description: 'A text that says what continues and what waits.' }),
  }),
})

const Health = builder.objectRef<HealthView>('Health').implement({
  description: 'The health of the answering replica.',
  fields: (t) => ({
    replica: t.exposeString('replica', { description: 'Its name: machine, process and start.' }),
    release: t.exposeString('release', { description: 'The release of the service, of which it runs the packages.' }),
    version: t.exposeString('version', { description: 'Version of the rules by which it decides, not of its release.' }),
    mode: t.expose('mode', { type: HealthMode, description: 'What the replica can do now.' }),
    code: t.exposeString('code', { nullable: true, description: 'The code of the reason why it is READ_ONLY (docs/errors.md).' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it is not NORMAL.' }),
    degraded: t.expose('degraded', { type: [Degraded], description: 'What is missing while the replica works; normally empty.' }),
    revision: t.expose('revision', { type: 'Revision', description: 'The revision that it has applied.' }),
    stateAge: t.expose('ageMs', { type: 'Duration', description: 'How long ago its state was last known to be as new as the store’s.' }),
    violations: t.exposeInt('violations', { description: 'The number of violations that its auditor finds in its state; normally 0.' }),
    warnings: t.exposeInt('warnings', {
      description: "The number of hosts' reports that contradict the claims, as its auditor finds them.",
    }),
    cleanSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The same as Auditor.cleanSince.',
      resolve: ({ clean }) => clean?.since ?? null,
    }),
    cleanRounds: t.field({ type: 'SafeInt', description: 'The same as Auditor.cleanRounds.', resolve: ({ clean }) => clean?.rounds ?? 0 }),
    cleanLooks: t.field({ type: 'SafeInt', description: 'The same as Auditor.cleanLooks.', resolve: ({ clean }) => clean?.looks ?? 0 }),
    checkedAge: t.expose('checkedAgeMs', {
      type: 'Duration',
      nullable: true,
      description: 'How long ago its auditor had checked everything; null before the first round ends.',
    }),
    featureLevel: t.exposeInt('featureLevel', { description: 'Changes up to this feature level may be in the log.' }),
    engine: t.exposeString('engine', { description: 'The engine that keeps the log: postgres or nats (GANTT_SYNC).' }),
    sharedFlush: t.exposeBoolean('sharedFlush', {
      description: 'Whether entries are ordered before they are on disk, so that one flush serves all waiting calls (GANTT_SHARED_FLUSH).',
    }),
    flushMs: t.exposeFloat('flushMs', {
      nullable: true,
      description: 'The duration of a flush when this replica started, milliseconds; null if it was not measured.',
    }),
  }),
})

builder.queryField('health', (t) =>
  t.field({
    type: Health,
    authScopes: { scope: 'READ' },
    description: 'The health of the answering replica. It reads memory only, so it answers when nothing else does.',
    resolve: (_root, _args, { health }) => health.view(),
  }),
)
