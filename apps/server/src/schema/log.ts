import type { LogView } from '../services/log.ts'
import { builder } from './builder.ts'

const FleetLog = builder.objectRef<LogView>('FleetLog').implement({
  description: 'The log of which every replica makes its fleet: how far it reaches back, and what it may grow to.',
  fields: (t) => ({
    firstRevision: t.expose('firstRevision', {
      type: 'Revision',
      description: 'The first revision that can be gone back to; 0 while the log is whole.',
    }),
    firstAt: t.expose('firstAt', { type: 'DateTime', nullable: true, description: 'Store time of the first entry that is kept.' }),
    bytes: t.exposeFloat('bytes', { description: 'What the kept entries take.' }),
    keptDays: t.exposeInt('keptDays', { description: 'Entries older than this are dropped (GANTT_LOG_DAYS).' }),
    keptBytes: t.exposeFloat('keptBytes', { description: 'Beyond this the oldest entries are dropped (GANTT_LOG_BYTES).' }),
    rowsSetAside: t.exposeInt('rowsSetAside', {
      description: 'Rows that the tables of decisions, claims and hosts go on without, because the database refuses what is in them.',
    }),
    tablesRevision: t.expose('tablesRevision', {
      type: 'Revision',
      description: 'The last revision of which the tables of decisions, claims and hosts have everything.',
    }),
  }),
})

builder.queryField('fleetLog', (t) =>
  t.field({
    type: FleetLog,
    authScopes: { scope: 'READ' },
    description: 'How far the log reaches back: what is older cannot be explained by replay any more.',
    resolve: (_root, _args, { log }) => log.view(),
  }),
)
