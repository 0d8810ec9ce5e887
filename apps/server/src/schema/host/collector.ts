import { collectorErrors, collectorStates } from '@gantt/scheduler-core'
import type { CollectorView } from '../../services/host/host-collectors.ts'
import { builder } from '../builder.ts'

const CollectorState = builder.enumType('CollectorState', {
  description:
    'The state of a collector. WAITING: it has not been run yet. SENDING: its last document was accepted. SLOWED: no profile in use reads its namespace, so it is run at a longer interval. PAUSED: it is not run, for the same reason, so its namespace is not sent. FAILING: its last run failed, or the service refused its document; the last good document stays.',
  values: collectorStates,
})

const CollectorErrorCode = builder.enumType('CollectorErrorCode', {
  description:
    'How a run of a collector failed. START: it could not be started. TIME_LIMIT, MEMORY_LIMIT, OUTPUT_LIMIT: it exceeded a limit and was ended. CRASHED: it ended with an error. MALFORMED: its output is not a document. FOREIGN: it wants to report another namespace or another host. REFUSED: the service refused its document, for example because it does not match the schema.',
  values: collectorErrors,
})

const CollectorError = builder.objectRef<NonNullable<CollectorView['error']>>('CollectorError').implement({
  description: 'The last error of a collector.',
  fields: (t) => ({
    code: t.expose('code', { type: CollectorErrorCode, description: 'The kind of the error.' }),
    message: t.exposeString('text', { description: 'What went wrong in the collector, as a sentence.' }),
    at: t.field({
      type: 'DateTime',
      description: 'When the error first occurred, by the clock of the host.',
      resolve: ({ at }) => Date.parse(at),
    }),
  }),
})

export const HostCollector = builder.objectRef<CollectorView>('HostCollector').implement({
  description: "A program with which the host's agent collects the documents of one namespace.",
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the collector in the settings of the agent.' }),
    namespace: t.exposeString('namespace', { description: 'The namespace whose documents the collector produces.' }),
    state: t.expose('state', { type: CollectorState, description: 'The state of the collector.' }),
    since: t.field({
      type: 'DateTime',
      description: 'Since when it is in this state, by the clock of the host.',
      resolve: ({ since }) => Date.parse(since),
    }),
    intervalSeconds: t.exposeInt('intervalSeconds', {
      nullable: true,
      description: 'The present time between two runs; null if it is not run.',
    }),
    error: t.expose('error', {
      type: CollectorError,
      nullable: true,
      description: 'The last error; null if a later run succeeded, or none failed.',
    }),
    lastGoodAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        "When its last good document was collected, by the clock of the host; if the agent was started anew since, when the service stored that document, by the database's clock. Null while it sends documents, and if there was none. `HostNamespace.ageSeconds` is the age of the document that the service has.",
      resolve: ({ lastGoodAt }) => (lastGoodAt === null ? null : Date.parse(lastGoodAt)),
    }),
    reportedAt: t.expose('reportedAt', { type: 'DateTime', description: "When the agent reported this state, by the database's clock." }),
    outdated: t.exposeBoolean('isOutdated', {
      description: 'True if the agent has not repeated the state for 20 minutes, so that it may no longer be true.',
    }),
  }),
})
