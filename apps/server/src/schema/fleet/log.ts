import type { LogView } from '../../services/fleet/log.ts'
import { builder } from '../builder.ts'

const FleetLog = builder.objectRef<LogView>('FleetLog').implement({
  description: 'The log from which every replica builds its fleet: the first retained revision, and the limits on age and size.',
  fields: (t) => ({
    firstRevision: t.expose('firstRevision', {
      type: 'Revision',
      description: 'The first revision that can be read; 0 if the log is complete.',
    }),
    firstAt: t.expose('firstAt', {
      type: 'DateTime',
      nullable: true,
      description: "The time of the first retained entry, by the database's clock.",
    }),
    bytes: t.exposeFloat('bytes', { description: 'The size of the retained entries, in bytes.' }),
    keptDays: t.exposeInt('keptDays', { description: 'Entries older than this many days are dropped (GANTT_LOG_DAYS).' }),
    keptBytes: t.exposeFloat('keptBytes', {
      description: 'The maximum size of the log in bytes (GANTT_LOG_BYTES). When the log is larger, the oldest entries are dropped.',
    }),
    rowsSetAside: t.exposeInt('rowsSetAside', {
      description: 'How many rows are missing in the tables of decisions, claims and hosts because the database refuses their content.',
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
    description: 'The retained range of the log. Decisions older than this range cannot be explained by a replay.',
    resolve: (_root, _args, { log }) => log.view(),
  }),
)
