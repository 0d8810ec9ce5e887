import type { Gone, HostRecord } from '@gantt/scheduler-core'
import { type HostView, viewHost } from '../services/host-view.ts'
import type { HostHasClaims as HasClaims, LeavingDone, ReplaceDone } from '../services/leaving.ts'
import type { LeavingImpact } from '../services/leaving-impact.ts'
import { builder } from './builder.ts'
import { ResourceNameInput } from './common.ts'
import { NotFound, resultUnion, UserError, ValidationError } from './errors.ts'
import { Claim, Host } from './refs.ts'

const HostGone = builder.objectRef<Gone>('HostGone').implement({
  description: 'Why and since when a host is not there any more.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'Store time.' }),
    revision: t.expose('revision', { type: 'Revision', description: 'The entry of the log.' }),
    reason: t.exposeString('reason', { description: 'In the words of the operator who forgot it.' }),
    readmitted: t.exposeBoolean('isReadmitted', { description: 'Whether its next full report brings it back.' }),
  }),
})

builder.objectField(Host, 'gone', (t) =>
  t.field({
    type: HostGone,
    nullable: true,
    description: 'Null while the host is there. One that was forgotten has no capacity, no claims and no aggregates.',
    resolve: ({ record }) => record.gone,
  }),
)

builder.objectField(Host, 'formerNames', (t) =>
  t.field({
    type: ['String'],
    description:
      'Other names that it had before it was replaced, oldest first: host, or host/node. One that it has again is not among them.',
    resolve: ({ record }) => [...new Set(record.formerNames.map(keyOf))].filter((name) => name !== keyOf(record)),
  }),
)

const keyOf = ({ host, node }: Pick<HostRecord, 'host' | 'node'>): string => (host === node ? host : `${host}/${node}`)

const LeavingImpactType = builder.objectRef<LeavingImpact>('HostLeavingImpact').implement({
  description: 'What goes with a host.',
  fields: (t) => ({
    claims: t.field({
      type: [Claim],
      description: 'Live claims that end with a host that is forgotten, or follow one that is replaced; at most 100, oldest first.',
      resolve: ({ claims }) => [...claims],
    }),
    claimCount: t.exposeInt('claimCount', { description: 'How many there are.' }),
    aggregates: t.exposeStringList('aggregates', { description: 'Names of aggregates whose lists change.' }),
    serverGroups: t.field({
      type: ['UUID'],
      description: 'Server groups of those claims.',
      resolve: ({ serverGroups }) => [...serverGroups],
    }),
  }),
})

const hostsField = (hosts: readonly HostView[]): HostView[] => hosts.map(({ fleet, record }) => viewHost(fleet, record))

const HostForgetPayload = builder.objectRef<LeavingDone>('HostForgetPayload').implement({
  description: 'The hosts are forgotten, or would be.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The hosts concerned.', resolve: ({ hosts }) => hostsField(hosts) }),
    impact: t.expose('impact', { type: LeavingImpactType, description: 'What ends with them.' }),
    unchanged: t.exposeBoolean('unchanged', { description: 'True where all of them had been forgotten before.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True when nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Give it as minRevision to read what was written.' }),
  }),
})

const HostReadmitPayload = builder.objectRef<LeavingDone>('HostReadmitPayload').implement({
  description: 'Reports under the name are taken.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The hosts concerned.', resolve: ({ hosts }) => hostsField(hosts) }),
    unchanged: t.exposeBoolean('unchanged', { description: 'True where they were taken before.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Give it as minRevision to read what was written.' }),
  }),
})

const HostReplacePayload = builder.objectRef<ReplaceDone>('HostReplacePayload').implement({
  description: 'The machine has the new name, or would have.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The hosts concerned.', resolve: ({ hosts }) => hostsField(hosts) }),
    impact: t.expose('impact', { type: LeavingImpactType, description: 'What follows them.' }),
    merged: t.field({
      type: [Host],
      description:
        'Hosts that had come up under the new name: their report becomes the report, and they are no hosts of their own any more.',
      resolve: ({ merged }) => hostsField(merged),
    }),
    unchanged: t.exposeBoolean('unchanged', { description: 'True where it had that name before.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True when nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Give it as minRevision to read what was written.' }),
  }),
})

const HostHasClaims = builder.objectRef<HasClaims>('HostHasClaims').implement({
  description: 'Hosts have live claims, so nothing was changed. Move or release them first.',
  interfaces: [UserError],
  fields: (t) => ({
    claims: t.field({ type: [Claim], description: 'At most 100 of them, oldest first.', resolve: ({ claims }) => [...claims] }),
    claimCount: t.exposeInt('claimCount', { description: 'How many there are.' }),
  }),
})

const claimsFailure = { 'host-has-claims': 'HostHasClaims' } as const

const HostForgetResult = resultUnion(
  'HostForgetResult',
  'Ends of hostForget.',
  [HostForgetPayload, HostHasClaims, NotFound, ValidationError],
  {
    done: 'HostForgetPayload',
    ...claimsFailure,
  },
)

const HostReadmitResult = resultUnion('HostReadmitResult', 'Ends of hostReadmit.', [HostReadmitPayload, NotFound, ValidationError], {
  done: 'HostReadmitPayload',
})

const HostReplaceResult = resultUnion(
  'HostReplaceResult',
  'Ends of hostReplace.',
  [HostReplacePayload, HostHasClaims, NotFound, ValidationError],
  { done: 'HostReplacePayload', ...claimsFailure },
)

builder.mutationFields((t) => ({
  hostForget: t.field({
    type: HostForgetResult,
    authScopes: { scope: 'ADMIN' },
    description:
      'Takes hosts out of the fleet: all of them, or none. Their history stays; reports under their names are refused until hostReadmit (docs/hosts-leave.md).',
    args: {
      hosts: t.arg({
        type: [ResourceNameInput],
        required: true,
        description: '1 to 1000 hosts; a name without a node means all its nodes.',
      }),
      force: t.arg.boolean({ defaultValue: false, description: 'True: their live claims end REVOKED with the reason, in the same entry.' }),
      reason: t.arg.string({ required: true, description: 'Why, for those who ask later.' }),
      expectedClaims: t.arg.int({
        description:
          'How many live claims the dry run showed: with another number nothing is done, judged where the change has its place in the log.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: only say what would end.' }),
    },
    resolve: (_root, { hosts, force, reason, expectedClaims, dryRun }, { leaving }) =>
      leaving.forget({ hosts, force: force ?? false, reason, expectedClaims: expectedClaims ?? null, dryRun: dryRun ?? false }),
  }),
  hostReadmit: t.field({
    type: HostReadmitResult,
    authScopes: { scope: 'ADMIN' },
    description:
      'Takes reports under the name of a forgotten host again: it is there with its next full report, with nothing of its past. A former name of a replaced host becomes free for another machine.',
    args: {
      host: t.arg({ type: ResourceNameInput, required: true, description: 'A name without a node means all its nodes.' }),
      reason: t.arg.string({ required: true, description: 'Why, for those who ask later.' }),
    },
    resolve: (_root, { host, reason }, { leaving }) => leaving.readmit(host, reason),
  }),
  hostReplace: t.field({
    type: HostReplaceResult,
    authScopes: { scope: 'ADMIN' },
    description:
      'The same machine under a new name: claims, fences, server groups, aggregates and API keys follow. A host that came up under the new name goes into it, if it has no live claims.',
    args: {
      host: t.arg({ type: ResourceNameInput, required: true, description: 'As it is called now; without a node all its nodes.' }),
      by: t.arg({ type: ResourceNameInput, required: true, description: 'Its new name.' }),
      reason: t.arg.string({ required: true, description: 'Why, for those who ask later.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: only say what would follow.' }),
    },
    resolve: (_root, { host, by, reason, dryRun }, { leaving }) => leaving.replace({ host, by, reason, dryRun: dryRun ?? false }),
  }),
}))
