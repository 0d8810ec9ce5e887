import type { LogView } from '../../services/fleet/log.ts'
import { builder } from '../builder.ts'

const FleetLog = builder.objectRef<LogView>('FleetLog').implement({
  description: 'The log from which every replica makes its fleet: its first revision, and the limits of its size.',
  fields: (t) => ({
    firstRevision: t.expose('firstRevision', {
      type: 'Revision',
      description: 'The first revision that can be read; 0 if the log is complete.',
    }),
    firstAt: t.expose('firstAt', { type: 'DateTime', nullable: true, description: 'The store time of the first kept entry.' }),
    bytes: t.exposeFloat('bytes', { description: 'The size of the kept entries.' }),
    keptDays: t.exposeInt('keptDays', { description: 'Entries older than this are dropped (GANTT_LOG_DAYS).' }),
    keptBytes: t.exposeFloat('keptBytes', { description: 'Beyond this the oldest entries are dropped (GANTT_LOG_BYTES).' }),
    rowsSetAside: t.exposeInt('rowsSetAside', {
      description: 'The number of rows that the tables of decisions, claims and hosts lack, because the database refuses their content.',
    }),
    tablesRevision: t.expose('tablesRevision', {
      type: 'Revision',
      description: 'The last revision that the tables of decisions, claims and hosts contain completely.',
    }),
  }),
})

builder.queryField('fleetLog', (t) =>
  t.field({
    type: FleetLog,
    authScopes: { scope: 'READ' },
    description: 'The range of the log: older decisions can no longer be explained by replay.',
    resolve: (_root, _args, { log }) => log.view(),
  }),
)
