import {
  type Need,
  omittableFields,
  type RequiredField as RequiredFieldShape,
  type RequiredNamespace as RequiredNamespaceShape,
} from '@gantt/scheduler-core'
import type { Required } from '../../services/stats/required-stats.ts'
import { builder } from '../builder.ts'
import { ResourceNameInput } from '../types/common.ts'
import { ProfileVersion } from '../types/refs.ts'

/** The enum of the fields that a host may leave out of its report. */
export const OmittableField = builder.enumType('OmittableField', {
  description: 'A field that a full report may leave out. All other fields are required, because claims cannot be computed without them.',
  values: Object.fromEntries(omittableFields.map((field) => [constantCase(field), { value: field }])) as Record<
    string,
    { value: (typeof omittableFields)[number] }
  >,
})

const FieldNeed = builder.objectRef<Need>('FieldNeed').implement({
  description: 'A filter, weigher or resource kind that reads a field of host reports.',
  fields: (t) => ({
    profile: t.exposeString('profile', {
      nullable: true,
      description:
        'The profile version, as name@number, whose filter or weigher reads the field. Null if the field is needed because claims on the host hold resources of the kind.',
    }),
    part: t.exposeString('part', { description: 'The name of the filter or weigher, or the resource kind whose claims need the field.' }),
  }),
})

const RequiredField = builder.objectRef<RequiredFieldShape>('RequiredField').implement({
  description: 'A field that reports of hosts must contain.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The name of the field in the report.' }),
    neededBy: t.field({
      type: [FieldNeed],
      description: 'The filters, weighers and resource kinds that read the field; empty if every claim needs the field.',
      resolve: ({ neededBy }) => [...neededBy],
    }),
  }),
})

const RequiredNamespace = builder.objectRef<RequiredNamespaceShape>('RequiredNamespace').implement({
  description: 'The fields that reports of one namespace must contain.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', {
      description: "The name of the namespace. `compute` contains this service's own report form.",
    }),
    fields: t.field({
      type: [RequiredField],
      description: 'The required fields, in the order of the report form.',
      resolve: ({ fields }) => [...fields],
    }),
    omittable: t.field({
      type: [OmittableField],
      description: 'Fields that a report may leave out if it lists them in `omitted`.',
      resolve: ({ omittable }) => [...omittable],
    }),
  }),
})

export const RequiredStats = builder.objectRef<Required>('RequiredStats').implement({
  description: 'The fields that hosts must report. Fields that nothing reads need not be sent.',
  fields: (t) => ({
    profiles: t.field({
      type: [ProfileVersion],
      description: 'The profile versions whose filters and weighers were considered.',
      resolve: ({ profiles }) => [...profiles],
    }),
    namespaces: t.field({
      type: [RequiredNamespace],
      description: 'The required fields by namespace.',
      resolve: ({ namespaces }) => [...namespaces],
    }),
    revision: t.expose('revision', { type: 'Revision', description: 'The revision of the fleet for which the fields were determined.' }),
  }),
})

builder.queryField('requiredStats', (t) =>
  t.field({
    type: RequiredStats,
    authScopes: { scope: 'READ' },
    description:
      'The fields that hosts must report. By default, the profile `default` and all profiles that operators created are considered, each with its active version and the version in a rollout.',
    args: {
      profiles: t.arg.stringList({ description: 'The profile versions whose fields are returned, each as name or name@number.' }),
      host: t.arg({ type: ResourceNameInput, description: 'Include the fields that the claims on this host require.' }),
    },
    resolve: (_root, { profiles, host }, { requiredStats }) =>
      requiredStats.of({ profiles: profiles ?? undefined, host: host ?? undefined }),
  }),
)

/** Converts a name such as hostIp to HOST_IP. */
function constantCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}
