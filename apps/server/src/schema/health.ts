import type { Degraded as DegradedShape, HealthView } from '../services/health.ts'
import { builder } from './builder.ts'

const HealthMode = builder.enumType('HealthMode', {
  description:
    'NORMAL; STORE_AWAY: reads answer from memory with their age, claims are refused with UNAVAILABLE and retryAfterMs; READ_ONLY: this replica met a log that it must not go on from; CLOSING: it is being stopped.',
  values: ['NORMAL', 'STORE_AWAY', 'READ_ONLY', 'CLOSING'] as const,
})

const Degraded = builder.objectRef<DegradedShape>('Degraded').implement({
  description: 'Something that is missing without keeping the replica from its work.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'A code of docs/errors.md.' }),
    since: t.expose('since', { type: 'DateTime', description: 'Since when, by the clock of this machine.' }),
    message: t.exposeString('message', { description: 'What goes on, and what waits.' }),
  }),
})

const Health = builder.objectRef<HealthView>('Health').implement({
  description: 'What the replica that answers can do now.',
  fields: (t) => ({
    replica: t.exposeString('replica', { description: 'Its name: machine, process and start.' }),
    version: t.exposeString('version', { description: 'Release of the core.' }),
    mode: t.expose('mode', { type: HealthMode, description: 'What it can do.' }),
    code: t.exposeString('code', { nullable: true, description: 'Of what it is that it is READ_ONLY: a code of docs/errors.md.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it is not NORMAL.' }),
    degraded: t.expose('degraded', { type: [Degraded], description: 'What is missing while it does its work; empty is how it must be.' }),
    revision: t.expose('revision', { type: 'Revision', description: 'What it has applied of the log.' }),
    stateAge: t.expose('ageMs', { type: 'Duration', description: 'How long ago its state was last known to be as new as the store’s.' }),
    violations: t.exposeInt('violations', { description: 'What its auditor finds in its state that cannot be; 0 is how it must be.' }),
    warnings: t.exposeInt('warnings', { description: 'What its auditor finds in reports of hosts that contradicts the claims.' }),
    cleanSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'As Auditor.cleanSince.',
      resolve: ({ clean }) => clean?.since ?? null,
    }),
    cleanRounds: t.field({ type: 'SafeInt', description: 'As Auditor.cleanRounds.', resolve: ({ clean }) => clean?.rounds ?? 0 }),
    cleanLooks: t.field({ type: 'SafeInt', description: 'As Auditor.cleanLooks.', resolve: ({ clean }) => clean?.looks ?? 0 }),
    checkedAge: t.expose('checkedAgeMs', {
      type: 'Duration',
      nullable: true,
      description: 'How long ago its auditor had looked at everything; null before the first round is over.',
    }),
    featureLevel: t.exposeInt('featureLevel', { description: 'Changes up to this level may be in the log.' }),
    engine: t.exposeString('engine', { description: 'What keeps the log: postgres or nats (GANTT_SYNC).' }),
    sharedFlush: t.exposeBoolean('sharedFlush', {
      description: 'Whether the order of the log is released before the disk, and one flush serves all who wait (GANTT_SHARED_FLUSH).',
    }),
    flushMs: t.exposeFloat('flushMs', {
      nullable: true,
      description: 'How long a flush took when this replica started, milliseconds; null when it was not measured.',
    }),
  }),
})

builder.queryField('health', (t) =>
  t.field({
    type: Health,
    authScopes: { scope: 'READ' },
    description: 'What the replica that answers can do now. It reads memory only, so it answers when nothing else does.',
    resolve: (_root, _args, { health }) => health.view(),
  }),
)
