import { showUnseen } from '@gantt/scheduler-core'
import { pluginStates } from '../../plugin/outside/asker.ts'
import { pluginModes } from '../../plugin/settings.ts'
import { type DocumentForm, type PluginPart as PartShape, type PluginView, pluginPartKinds } from '../../services/profile/plugins.ts'
import { builder } from '../builder.ts'

const PluginPartKind = builder.enumType('PluginPartKind', {
  description: `${pluginPartKinds.map(({ kind, does }) => `${kind}: ${does}`).join('; ')}.`,
  values: pluginPartKinds.map(({ kind }) => kind),
})

const PluginMode = builder.enumType('PluginMode', {
  description:
    'ISOLATED: in a thread of its own, with a time limit; TRUSTED: in the process of the service, without a time limit; EXTENDER: over HTTP.',
  values: pluginModes,
})

const PluginState = builder.enumType('PluginState', {
  description:
    'READY: it answers; STARTING: its thread is being restarted; RESTING: it failed so often that its thread is restarted only after a pause; CLOSED: the service is stopping.',
  values: pluginStates,
})

const FieldUnit = builder.objectRef<DocumentForm['units'][number]>('FieldUnit').implement({
  description: 'The unit of a field.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The field of a document.' }),
    unit: t.exposeString('unit', { description: 'Unit of the field.' }),
  }),
})

const PluginDocument = builder.objectRef<DocumentForm>('PluginDocument').implement({
  description: "The documents of a plug-in's namespace.",
  fields: (t) => ({
    version: t.exposeString('version', { description: 'The version in which documents are accepted and read.' }),
    schema: t.expose('schema', { type: 'JSON', description: 'The form of a document, as JSON Schema.' }),
    maxAgeSeconds: t.exposeInt('maxAgeSeconds', { description: 'The maximum age of a document if the options of a part do not set one.' }),
    units: t.field({ type: [FieldUnit], description: 'The fields that have a unit.', resolve: ({ units }) => [...units] }),
  }),
})

const PluginPart = builder.objectRef<PartShape>('PluginPart').implement({
  description: 'A part of a plug-in, as it describes itself; profiles, GANTT_LIVENESS, or reports name it.',
  fields: (t) => ({
    kind: t.expose('kind', { type: PluginPartKind, description: 'Kind of the part, as profiles list it.' }),
    name: t.exposeString('name', {
      description: 'The name in profiles; of a lease provider, in GANTT_LIVENESS; of a namespace, in reports.',
    }),
    description: t.exposeString('description', {
      description: 'What a host must have to pass, what it prefers, which hosts it chooses, when a host is alive, or what is reported.',
    }),
    parameters: t.expose('parameters', {
      type: 'JSON',
      nullable: true,
      description: 'The options that it takes, as JSON Schema; null: it does not declare any.',
    }),
    reads: t.exposeStringList('reads', { description: "The fields of a host's report that it reads without options." }),
    unit: t.exposeString('unit', { nullable: true, description: "The unit of a weigher's raw numbers." }),
    document: t.expose('document', { type: PluginDocument, nullable: true, description: 'The documents of a namespace.' }),
  }),
})

const PluginFailure = builder.objectRef<NonNullable<PluginView['lastFailure']>>('PluginFailure').implement({
  description: 'A failure of a part of a plug-in.',
  fields: (t) => ({
    part: t.exposeString('part', { description: 'The name of the part.' }),
    message: t.string({
      description: 'The error that it threw, or the invalid value that it returned.',
      resolve: ({ message }) => showUnseen(message),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'The time, by the clock of this replica.' }),
  }),
})

const Plugin = builder.objectRef<PluginView>('Plugin').implement({
  description: 'A plug-in that the answering replica has loaded (GANTT_PLUGINS), or an extender that it asks (GANTT_EXTENDERS).',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name, as in records of decisions.' }),
    version: t.exposeString('version', { description: 'The version, as in records of decisions.' }),
    description: t.exposeString('description', { description: 'The description that the plug-in gives.' }),
    mode: t.expose('mode', { type: PluginMode, description: 'How the plug-in is run.' }),
    from: t.exposeString('from', { description: 'The package or path that the configuration names.' }),
    parts: t.field({ type: [PluginPart], description: 'Parts that the plug-in adds.', resolve: ({ parts }) => [...parts] }),
    failureCount: t.expose('failures', {
      type: 'SafeInt',
      description:
        'The number of failures of its parts since the replica started: one for each host, for a scheduler one for each decision.',
    }),
    state: t.expose('state', {
      type: PluginState,
      description: 'Whether its parts answer. While they do not, they refuse every host.',
    }),
    restartCount: t.expose('restarts', {
      type: 'SafeInt',
      description: 'The number of restarts of its thread since the replica started; 0 without a thread.',
    }),
    lastFailure: t.field({
      type: PluginFailure,
      nullable: true,
      description: 'The last failure; null if there was none.',
      resolve: ({ lastFailure }) => lastFailure ?? null,
    }),
  }),
})

const PluginVersion = builder.objectRef<{ readonly name: string; readonly version: string }>('PluginVersion').implement({
  description: 'A version of a plug-in.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the plug-in.' }),
    version: t.exposeString('version', { description: 'Version of the plug-in.' }),
  }),
})

builder.queryField('plugins', (t) =>
  t.field({
    type: [Plugin],
    authScopes: { scope: 'READ' },
    description: 'The plug-ins of the answering replica, in the order of its configuration. Answered from memory.',
    resolve: (_root, _args, { plugins }) => [...plugins.list()],
  }),
)

export { PluginVersion }
