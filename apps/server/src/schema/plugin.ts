import { pluginStates } from '../plugin/outside/asker.ts'
import { pluginModes } from '../plugin/settings.ts'
import { type DocumentForm, type PluginPart as PartShape, type PluginView, pluginPartKinds } from '../services/plugins.ts'
import { builder } from './builder.ts'

const PluginPartKind = builder.enumType('PluginPartKind', {
  description: `${pluginPartKinds.map(({ kind, does }) => `${kind}: ${does}`).join('; ')}.`,
  values: pluginPartKinds.map(({ kind }) => kind),
})

const PluginMode = builder.enumType('PluginMode', {
  description:
    'ISOLATED: in a thread of its own, with a time limit; TRUSTED: in the process of the service, at full speed; EXTENDER: behind HTTP.',
  values: pluginModes,
})

const PluginState = builder.enumType('PluginState', {
  description:
    'READY: it answers; STARTING: its thread is started again; RESTING: it failed so often that its thread is started again only after a while; CLOSED: the service ends.',
  values: pluginStates,
})

const FieldUnit = builder.objectRef<DocumentForm['units'][number]>('FieldUnit').implement({
  description: 'The unit of a field.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The field of a document.' }),
    unit: t.exposeString('unit', { description: 'Its unit.' }),
  }),
})

const PluginDocument = builder.objectRef<DocumentForm>('PluginDocument').implement({
  description: 'What is reported under a namespace of a plug-in.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'The version in which documents are taken and read.' }),
    schema: t.expose('schema', { type: 'JSON', description: 'What a document has to be, as JSON Schema.' }),
    maxAgeSeconds: t.exposeInt('maxAgeSeconds', { description: 'How old a document may be where the options of a part do not say it.' }),
    units: t.field({ type: [FieldUnit], description: 'Of its fields, those that have one.', resolve: ({ units }) => [...units] }),
  }),
})

const PluginPart = builder.objectRef<PartShape>('PluginPart').implement({
  description: 'What a plug-in brings, as it says of itself; profiles, GANTT_LIVENESS, or reports name it.',
  fields: (t) => ({
    kind: t.expose('kind', { type: PluginPartKind, description: 'What it does.' }),
    name: t.exposeString('name', {
      description: 'As profiles name it; a lease provider, as GANTT_LIVENESS does; a namespace, as reports do.',
    }),
    description: t.exposeString('description', {
      description: 'What a host must have to pass, what it prefers, which hosts it takes, when a host lives, or what is reported of it.',
    }),
    parameters: t.expose('parameters', {
      type: 'JSON',
      nullable: true,
      description: 'The options that it takes, as JSON Schema; null: it says nothing of them.',
    }),
    reads: t.exposeStringList('reads', { description: "Fields of a host's report that it looks at, without options." }),
    unit: t.exposeString('unit', { nullable: true, description: 'Of the raw numbers of a weigher.' }),
    document: t.expose('document', { type: PluginDocument, nullable: true, description: 'Of a namespace: what is reported under it.' }),
  }),
})

const PluginFailure = builder.objectRef<NonNullable<PluginView['lastFailure']>>('PluginFailure').implement({
  description: 'What went wrong in a part of a plug-in.',
  fields: (t) => ({
    part: t.exposeString('part', { description: 'The part, by its name.' }),
    message: t.exposeString('message', { description: 'What it threw, or answered instead of what it may.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When, by the clock of this replica.' }),
  }),
})

const Plugin = builder.objectRef<PluginView>('Plugin').implement({
  description: 'A plug-in that the replica which answers has loaded (GANTT_PLUGINS), or an extender that it asks (GANTT_EXTENDERS).',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name, which records of decisions have.' }),
    version: t.exposeString('version', { description: 'Its version, which records of decisions have.' }),
    description: t.exposeString('description', { description: 'What it is for.' }),
    mode: t.expose('mode', { type: PluginMode, description: 'How it runs.' }),
    from: t.exposeString('from', { description: 'The package or path that the configuration names.' }),
    parts: t.field({ type: [PluginPart], description: 'What it brings.', resolve: ({ parts }) => [...parts] }),
    failureCount: t.expose('failures', {
      type: 'SafeInt',
      description: 'Failures of its parts since the replica started: one for each host, of a scheduler for each decision.',
    }),
    state: t.expose('state', {
      type: PluginState,
      description: 'Whether its parts are answered for. While they are not, they refuse every host.',
    }),
    restartCount: t.expose('restarts', {
      type: 'SafeInt',
      description: 'How often its thread was ended and started again since the replica started; 0 of one without a thread.',
    }),
    lastFailure: t.field({
      type: PluginFailure,
      nullable: true,
      description: 'The last of them; null: there was none.',
      resolve: ({ lastFailure }) => lastFailure ?? null,
    }),
  }),
})

const PluginVersion = builder.objectRef<{ readonly name: string; readonly version: string }>('PluginVersion').implement({
  description: 'A version of a plug-in.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    version: t.exposeString('version', { description: 'Its version.' }),
  }),
})

builder.queryField('plugins', (t) =>
  t.field({
    type: [Plugin],
    authScopes: { scope: 'READ' },
    description: 'The plug-ins of the replica that answers, in the order of its configuration. Answered from memory.',
    resolve: (_root, _args, { plugins }) => [...plugins.list()],
  }),
)

export { PluginVersion }
