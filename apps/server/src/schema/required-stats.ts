import {
  type Need,
  omittableFields,
  type RequiredField as RequiredFieldShape,
  type RequiredNamespace as RequiredNamespaceShape,
} from '@gantt/scheduler-core'
import type { Required } from '../services/required-stats.ts'
import { builder } from './builder.ts'
import { ResourceNameInput } from './common.ts'
import { ProfileVersion } from './refs.ts'

/** The fields of a host's report that it may leave out, as callers name them. */
export const OmittableField = builder.enumType('OmittableField', {
  description: 'A field of a full report that may be left out; all others are needed to keep count of any claim.',
  values: Object.fromEntries(omittableFields.map((field) => [constantCase(field), { value: field }])) as Record<
    string,
    { value: (typeof omittableFields)[number] }
  >,
})

const FieldNeed = builder.objectRef<Need>('FieldNeed').implement({
  description: 'Who reads a field of the reports.',
  fields: (t) => ({
    profile: t.exposeString('profile', {
      nullable: true,
      description: 'The profile version, as name@number; null: claims on the host hold some of it.',
    }),
    part: t.exposeString('part', { description: 'The filter or weigher, or the kind of resource that is held.' }),
  }),
})

const RequiredField = builder.objectRef<RequiredFieldShape>('RequiredField').implement({
  description: 'A field that reports are to tell.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'Its name in the report.' }),
    neededBy: t.field({
      type: [FieldNeed],
      description: 'Who reads it; empty where every claim needs it.',
      resolve: ({ neededBy }) => [...neededBy],
    }),
  }),
})

const RequiredNamespace = builder.objectRef<RequiredNamespaceShape>('RequiredNamespace').implement({
  description: 'What reports of one namespace are to tell.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'compute is ours.' }),
    fields: t.field({
      type: [RequiredField],
      description: 'What is needed, in the order of the form.',
      resolve: ({ fields }) => [...fields],
    }),
    omittable: t.field({
      type: [OmittableField],
      description: 'What a report may leave out, if it names it in `omitted`.',
      resolve: ({ omittable }) => [...omittable],
    }),
  }),
})

export const RequiredStats = builder.objectRef<Required>('RequiredStats').implement({
  description: 'What reporters are to tell, and no more: what nobody reads need not be sent.',
  fields: (t) => ({
    profiles: t.field({
      type: [ProfileVersion],
      description: 'The profile versions whose filters and weighers are meant.',
      resolve: ({ profiles }) => [...profiles],
    }),
    namespaces: t.field({
      type: [RequiredNamespace],
      description: 'Namespace by namespace.',
      resolve: ({ namespaces }) => [...namespaces],
    }),
    revision: t.expose('revision', { type: 'Revision', description: 'Of the fleet when it was asked.' }),
  }),
})

builder.queryField('requiredStats', (t) =>
  t.field({
    type: RequiredStats,
    authScopes: { scope: 'READ' },
    description:
      'What hosts are to report: for the profile versions that decide or are tried now, the default one and all that operators wrote; or of those named.',
    args: {
      profiles: t.arg.stringList({ description: 'Names, or name@number.' }),
      host: t.arg({ type: ResourceNameInput, description: 'Of this host, also what its claims hold.' }),
    },
    resolve: (_root, { profiles, host }, { requiredStats }) =>
      requiredStats.of({ profiles: profiles ?? undefined, host: host ?? undefined }),
  }),
)

/** hostIp as HOST_IP. */
function constantCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}
