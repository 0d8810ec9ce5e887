import { type Setting as SettingShape, settingSources } from '../services/settings.ts'
import { builder } from './builder.ts'

const SettingSource = builder.enumType('SettingSource', {
  description: 'Where a setting comes from: ENVIRONMENT: it is set; DEFAULT: it is not, and what the release assumes holds.',
  values: settingSources,
})

const Setting = builder.objectRef<SettingShape>('Setting').implement({
  description: 'A setting of the replica that answers. It is set by a variable of its environment, and changes with its next start.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The variable that sets it.' }),
    value: t.string({
      nullable: true,
      description: 'What holds; null where nothing is set and nothing is assumed, and of what may hold a secret.',
      resolve: ({ value }) => value ?? null,
    }),
    unit: t.string({ nullable: true, description: 'Of the value, where it is an amount.', resolve: ({ unit }) => unit ?? null }),
    source: t.expose('source', { type: SettingSource, description: 'Where it comes from.' }),
    isSecret: t.exposeBoolean('isSecret', { description: 'It may hold a password or a key: its value is told to nobody.' }),
    description: t.exposeString('description', { description: 'What it does.' }),
  }),
})

builder.queryField('settings', (t) =>
  t.field({
    type: [Setting],
    authScopes: { scope: 'OPERATE' },
    description: 'The settings of the replica that answers, without secrets. Answered from memory.',
    resolve: (_root, _args, { settings }) => [...settings],
  }),
)
