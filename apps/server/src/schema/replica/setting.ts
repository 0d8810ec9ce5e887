import { type Setting as SettingShape, settingSources } from '../../services/replica/settings.ts'
import { builder } from '../builder.ts'

const SettingSource = builder.enumType('SettingSource', {
  description: "The source of a setting: ENVIRONMENT: it is set; DEFAULT: it is not set, and the release's default applies.",
  values: settingSources,
})

const Setting = builder.objectRef<SettingShape>('Setting').implement({
  description: 'A setting of the answering replica. It is set by an environment variable, and a change takes effect at its next start.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The environment variable.' }),
    value: t.string({
      nullable: true,
      description: 'The value in effect; null if there is none, and for values that may contain a secret.',
      resolve: ({ value }) => value ?? null,
    }),
    unit: t.string({ nullable: true, description: 'The unit of the value, if it is an amount.', resolve: ({ unit }) => unit ?? null }),
    source: t.expose('source', { type: SettingSource, description: 'Where it comes from.' }),
    isSecret: t.exposeBoolean('isSecret', { description: 'Whether the value may contain a password or a key, and is never shown.' }),
    description: t.exposeString('description', { description: 'Description of what the setting does.' }),
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
