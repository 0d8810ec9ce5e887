import type { MetadataRead as MetadataReadShape } from '@gantt/scheduler-core'
import { type ProfilePart as ProfilePartShape, profilePartKinds } from '../../services/profile/profile-parts.ts'
import { builder } from '../builder.ts'
import { PluginVersion } from './plugin.ts'
import { ProfileCompat } from './profile-settings.ts'

export const ProfilePartKind = builder.enumType('ProfilePartKind', {
  description: 'FILTER: passes hosts or refuses them; WEIGHER: ranks the hosts that passed; SCHEDULER: chooses one of them.',
  values: profilePartKinds,
})

const MetadataRead = builder.objectRef<MetadataReadShape>('MetadataRead').implement({
  description: 'Metadata of aggregates that a filter or weigher may read.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'A key; with a star at its end, every key with this prefix whose rest `by` names.' }),
    by: t.string({ nullable: true, description: 'For keys with a star: what names them.', resolve: ({ by }) => by ?? null }),
    option: t.string({ nullable: true, description: 'The option that must be true for it.', resolve: ({ option }) => option ?? null }),
  }),
})

const ProfilePart = builder.objectRef<ProfilePartShape>('ProfilePart').implement({
  description: 'A part that profiles may name, as it describes itself.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ProfilePartKind, description: 'Kind of the part, as profiles list it.' }),
    name: t.exposeString('name', { description: 'The name in profiles.' }),
    description: t.exposeString('description', {
      description: 'What a host must have to pass, what it prefers, or which host it chooses.',
    }),
    parameters: t.expose('parameters', {
      type: 'JSON',
      nullable: true,
      description: 'The options that it takes, as JSON Schema; null: it takes none, or does not declare them.',
    }),
    takesOptions: t.exposeBoolean('takesOptions', { description: 'False: any options are refused.' }),
    mayShadow: t.exposeBoolean('mayShadow', {
      description: 'For a filter: whether it may be in shadow mode, where it refuses no host. Rules of every claim may not.',
    }),
    unit: t.exposeString('unit', { nullable: true, description: "The unit of a weigher's raw numbers." }),
    reads: t.stringList({
      description: "The fields of a host's report that it reads without options.",
      resolve: ({ reads: list }) => [...list],
    }),
    readsMetadata: t.field({
      type: [MetadataRead],
      description: 'Metadata of aggregates that it may read; for keys that options name, those of the default options.',
      resolve: ({ readsMetadata: list }) => [...list],
    }),
    plugin: t.expose('plugin', {
      type: PluginVersion,
      nullable: true,
      description: 'The plug-in that contains it; null: the release does.',
    }),
  }),
})

builder.queryField('profileParts', (t) =>
  t.field({
    type: [ProfilePart],
    authScopes: { scope: 'READ' },
    description:
      'The parts that a profile may name in the answering replica: filters, weighers, schedulers; those of plug-ins last in each. Answered from memory.',
    args: {
      compat: t.arg({
        type: ProfileCompat,
        description: 'For profiles with this compatibility mode; by default for profiles without one.',
      }),
    },
    resolve: (_root, { compat }, { profiles }) => [...profiles.parts(compat ?? undefined)],
  }),
)
