import { type Setting as SettingShape, settingSources } from '../../services/replica/settings.ts'
import { builder } from '../builder.ts'

const SettingSource = builder.enumType('SettingSource', {
  description:
    'The source of the value of a setting. ENVIRONMENT: the environment variable is set. DEFAULT: the variable is not set, so the default of the release applies.',
  values: settingSources,
})

const Setting = builder.objectRef<SettingShape>('Setting').implement({
  description:
    'A setting of the answering replica. Settings are environment variables. A change takes effect when the replica starts again.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the environment variable.' }),
    value: t.string({
      nullable: true,
      description: "The setting's value in effect; null if there is none, or if it may contain a secret.",
      resolve: ({ value }) => value ?? null,
    }),
    unit: t.string({
      nullable: true,
      description: "The unit of the setting's value, if the value is an amount.",
      resolve: ({ unit }) => unit ?? null,
    }),
    source: t.expose('source', { type: SettingSource, description: "The source of the setting's value." }),
    isSecret: t.exposeBoolean('isSecret', {
      description: 'True if the value of the setting may contain a password or a key. Such a value is never shown.',
    }),
    description: t.exposeString('description', { description: 'What the setting does.' }),
  }),
})

builder.queryField('settings', (t) =>
  t.field({
    type: [Setting],
    authScopes: { scope: 'OPERATE' },
    description: 'The settings of the answering replica, without secrets. Answered from memory.',
    resolve: (_root, _args, { settings }) => [...settings],
  }),
)
