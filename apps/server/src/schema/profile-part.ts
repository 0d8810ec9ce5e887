import type { MetadataRead as MetadataReadShape } from '@gantt/scheduler-core'
import { type ProfilePart as ProfilePartShape, profilePartKinds } from '../services/profile-parts.ts'
import { builder } from './builder.ts'
import { PluginVersion } from './plugin.ts'
import { ProfileCompat } from './profile.ts'

export const ProfilePartKind = builder.enumType('ProfilePartKind', {
  description: 'FILTER: lets hosts through or refuses them; WEIGHER: ranks those that passed; SCHEDULER: takes one of them.',
  values: profilePartKinds,
})

const MetadataRead = builder.objectRef<MetadataReadShape>('MetadataRead').implement({
  description: 'Metadata of aggregates that a filter or weigher may look at.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'A key; with a star at its end, every key that begins so and that `by` names.' }),
    by: t.string({ nullable: true, description: 'Of keys with a star: what names them.', resolve: ({ by }) => by ?? null }),
    option: t.string({ nullable: true, description: 'The option that must be true for it.', resolve: ({ option }) => option ?? null }),
  }),
})

const ProfilePart = builder.objectRef<ProfilePartShape>('ProfilePart').implement({
  description: 'Something that profiles may name, as it says of itself.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ProfilePartKind, description: 'What it does.' }),
    name: t.exposeString('name', { description: 'As profiles name it.' }),
    description: t.exposeString('description', { description: 'What a host must have to pass, what it prefers, or which host it takes.' }),
    parameters: t.expose('parameters', {
      type: 'JSON',
      nullable: true,
      description: 'The options that it takes, as JSON Schema; null: it takes none, or says nothing of them.',
    }),
    takesOptions: t.exposeBoolean('takesOptions', { description: 'False: options other than none are refused.' }),
    mayShadow: t.exposeBoolean('mayShadow', {
      description: 'Of a filter: it may be in shadow mode, where it refuses nobody. What every claim has to keep may not.',
    }),
    unit: t.exposeString('unit', { nullable: true, description: 'Of the raw numbers of a weigher.' }),
    reads: t.stringList({
      description: "Fields of a host's report that it looks at, without options.",
      resolve: ({ reads: list }) => [...list],
    }),
    readsMetadata: t.field({
      type: [MetadataRead],
      description: 'Metadata of aggregates that it may look at; keys that options name are those of no options.',
      resolve: ({ readsMetadata: list }) => [...list],
    }),
    plugin: t.expose('plugin', { type: PluginVersion, nullable: true, description: 'The plug-in that brings it; null: the release does.' }),
  }),
})

builder.queryField('profileParts', (t) =>
  t.field({
    type: [ProfilePart],
    authScopes: { scope: 'READ' },
    description:
      'What a profile may name in the replica that answers: filters, weighers, schedulers; those of plug-ins last in each. Answered from memory.',
    args: { compat: t.arg({ type: ProfileCompat, description: 'Of profiles with this compat; of those without if not given.' }) },
    resolve: (_root, { compat }, { profiles }) => [...profiles.parts(compat ?? undefined)],
  }),
)
