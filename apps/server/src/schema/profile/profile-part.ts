import type { MetadataRead as MetadataReadShape } from '@gantt/scheduler-core'
import { type ProfilePart as ProfilePartShape, profilePartKinds } from '../../services/profile/profile-parts.ts'
import { builder } from '../builder.ts'
import { PluginVersion } from './plugin.ts'
import { ProfileCompat } from './profile-settings.ts'

export const ProfilePartKind = builder.enumType('ProfilePartKind', {
  description:
    'The kinds of parts that profiles consist of. FILTER: passes or refuses hosts. WEIGHER: ranks the hosts that passed. SCHEDULER: chooses a host among them.',
  values: profilePartKinds,
})

const MetadataRead = builder.objectRef<MetadataReadShape>('MetadataRead').implement({
  description: 'A key in the metadata of aggregates that a filter or weigher may read.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description:
        'An exact key, or a pattern with a star at its end. A pattern means the keys that begin with the text before the star and continue with what `by` describes.',
    }),
    by: t.string({
      nullable: true,
      description: 'For a pattern: what determines which keys match it. Null for an exact key.',
      resolve: ({ by }) => by ?? null,
    }),
    option: t.string({
      nullable: true,
      description: 'The option of the filter or weigher that must be true for the key to be read; null if no option is needed.',
      resolve: ({ option }) => option ?? null,
    }),
  }),
})

const ProfilePart = builder.objectRef<ProfilePartShape>('ProfilePart').implement({
  description: 'A filter, weigher or scheduler that profiles can use.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ProfilePartKind, description: 'The kind of the part: a filter, a weigher or a scheduler.' }),
    name: t.exposeString('name', { description: 'The name of the part in profiles.' }),
    description: t.exposeString('description', {
      description: 'What a host must have to pass the filter, which hosts the weigher prefers, or which host the scheduler chooses.',
    }),
    parameters: t.expose('parameters', {
      type: 'JSON',
      nullable: true,
      description: 'The JSON Schema of the options; null if there are no options, or if they are not declared.',
    }),
    takesOptions: t.exposeBoolean('takesOptions', { description: 'False if the part accepts no options.' }),
    mayShadow: t.exposeBoolean('mayShadow', {
      description:
        'True if the part is a filter that can be set to shadow mode, in which it refuses no host. False for weighers, schedulers, and filters whose rules apply to every claim.',
    }),
    unit: t.exposeString('unit', { nullable: true, description: "The unit of a weigher's raw values; null for filters and schedulers." }),
    reads: t.stringList({
      description: "The fields of a host's report that the filter, weigher or scheduler reads if it has no options.",
      resolve: ({ reads: list }) => [...list],
    }),
    readsMetadata: t.field({
      type: [MetadataRead],
      description:
        'The metadata keys of aggregates that the filter or weigher may read. If its options name the keys, the keys of the default options are listed.',
      resolve: ({ readsMetadata: list }) => [...list],
    }),
    plugin: t.expose('plugin', {
      type: PluginVersion,
      nullable: true,
      description: 'The plug-in that contains the filter, weigher or scheduler; null if the release contains it.',
    }),
  }),
})

builder.queryField('profileParts', (t) =>
  t.field({
    type: [ProfilePart],
    authScopes: { scope: 'READ' },
    description:
      'The filters, weighers and schedulers that profiles can use on the answering replica. Of each kind, the parts of plug-ins come last. Answered from memory.',
    args: {
      compat: t.arg({
        type: ProfileCompat,
        description:
          'The compatibility mode of the profiles. By default, the parts for profiles without a compatibility mode are returned.',
      }),
    },
    resolve: (_root, { compat }, { profiles }) => [...profiles.parts(compat ?? undefined)],
  }),
)
