import { showUnseen } from '@gantt/scheduler-core'
import { pluginStates } from '../../plugin/outside/asker.ts'
import { pluginModes } from '../../plugin/settings.ts'
import { type DocumentForm, type PluginPart as PartShape, type PluginView, pluginPartKinds } from '../../services/profile/plugins.ts'
import { builder } from '../builder.ts'

const PluginPartKind = builder.enumType('PluginPartKind', {
  description: `The kinds of parts that a plug-in can add. ${pluginPartKinds.map(({ kind, does }) => `${kind}: ${does}`).join('; ')}.`,
  values: pluginPartKinds.map(({ kind }) => kind),
})

const PluginMode = builder.enumType('PluginMode', {
  description:
    'How a plug-in runs. ISOLATED: in a thread of its own, with a time limit. TRUSTED: in the process of the service, without a time limit. EXTENDER: in another service, which is called over HTTP.',
  values: pluginModes,
})

const PluginState = builder.enumType('PluginState', {
  description:
    'The state of a plug-in. READY: the plug-in answers. STARTING: its thread is being restarted. RESTING: it failed so often that its thread is restarted only after a pause. CLOSED: the service is stopping.',
  values: pluginStates,
})

const FieldUnit = builder.objectRef<DocumentForm['units'][number]>('FieldUnit').implement({
  description: 'The unit of a field in a document.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The name of the field.' }),
    unit: t.exposeString('unit', { description: 'The unit of the field.' }),
  }),
})

const PluginDocument = builder.objectRef<DocumentForm>('PluginDocument').implement({
  description: 'The documents in a namespace of a plug-in.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'The version of the documents that is accepted and read.' }),
    schema: t.expose('schema', { type: 'JSON', description: 'The JSON Schema of the documents.' }),
    maxAgeSeconds: t.exposeInt('maxAgeSeconds', {
      description: 'Documents older than this are not used, unless the options of a filter or weigher set another age. In seconds.',
    }),
    units: t.field({ type: [FieldUnit], description: 'The fields that have a unit.', resolve: ({ units }) => [...units] }),
  }),
})

const PluginPart = builder.objectRef<PartShape>('PluginPart').implement({
  description:
    'A filter, weigher, scheduler, lease provider or namespace of a plug-in. Profiles, GANTT_LIVENESS or reports refer to it by its name.',
  fields: (t) => ({
    kind: t.expose('kind', { type: PluginPartKind, description: 'The kind of the part.' }),
    name: t.exposeString('name', {
      description:
        'The name of the part, which profiles use. GANTT_LIVENESS uses the name of a lease provider, and reports use the name of a namespace.',
    }),
    description: t.exposeString('description', {
      description:
        'What the part does: what a host must have to pass, which hosts are preferred or chosen, when a host is alive, or what is reported.',
    }),
    parameters: t.expose('parameters', {
      type: 'JSON',
      nullable: true,
      description: "The JSON Schema of the part's options; null if the part does not declare any.",
    }),
    reads: t.exposeStringList('reads', { description: "The fields of a host's report that the part reads if it has no options." }),
    unit: t.exposeString('unit', { nullable: true, description: "The unit of a weigher's raw values; null for parts of another kind." }),
    document: t.expose('document', {
      type: PluginDocument,
      nullable: true,
      description: 'The documents of the namespace; null for parts of another kind.',
    }),
  }),
})

const PluginFailure = builder.objectRef<NonNullable<PluginView['lastFailure']>>('PluginFailure').implement({
  description: 'A failure of a filter, weigher or other part of a plug-in.',
  fields: (t) => ({
    part: t.exposeString('part', { description: 'The name of the part that failed.' }),
    message: t.string({
      description: 'The error that the part threw, or the invalid value that it returned.',
      resolve: ({ message }) => showUnseen(message),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When the failure happened, by the clock of this replica.' }),
  }),
})

const Plugin = builder.objectRef<PluginView>('Plugin').implement({
  description: 'A plug-in that the answering replica has loaded (GANTT_PLUGINS), or an extender that it calls over HTTP (GANTT_EXTENDERS).',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the plug-in, as in records of decisions.' }),
    version: t.exposeString('version', { description: 'The version of the plug-in, as in records of decisions.' }),
    description: t.exposeString('description', { description: "The plug-in's description of itself." }),
    mode: t.expose('mode', { type: PluginMode, description: 'How the plug-in is run.' }),
    from: t.exposeString('from', { description: 'The package or path of the plug-in in the configuration.' }),
    parts: t.field({
      type: [PluginPart],
      description: 'The filters, weighers, schedulers, lease providers and namespaces that the plug-in adds.',
      resolve: ({ parts }) => [...parts],
    }),
    failureCount: t.expose('failures', {
      type: 'SafeInt',
      description:
        'How many times a part of the plug-in failed since the replica started. Filters and weighers are counted once for each host, schedulers once for each decision.',
    }),
    state: t.expose('state', {
      type: PluginState,
      description: 'The state of the plug-in. While the plug-in does not answer, its filters and weighers refuse every host.',
    }),
    restartCount: t.expose('restarts', {
      type: 'SafeInt',
      description: "How many times the plug-in's thread was restarted since the replica started; 0 if the plug-in has no thread.",
    }),
    lastFailure: t.field({
      type: PluginFailure,
      nullable: true,
      description: 'The last failure; null if the plug-in never failed.',
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
