import type { Gone, HostRecord } from '@gantt/scheduler-core'
import { type HostView, viewHost } from '../../services/host/host-view.ts'
import type { HostHasClaims as HasClaims, LeavingDone, ReplaceDone } from '../../services/host/leaving.ts'
import type { LeavingImpact } from '../../services/host/leaving-impact.ts'
import { builder } from '../builder.ts'
import { ResourceNameInput } from '../types/common.ts'
import { NotFound, resultUnion, UserError, ValidationError } from '../types/errors.ts'
import { Claim, Host } from '../types/refs.ts'

const HostGone = builder.objectRef<Gone>('HostGone').implement({
  description: 'When and why a host was removed.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'Store time at which the host left.' }),
    revision: t.expose('revision', { type: 'Revision', description: 'The revision of the log entry.' }),
    reason: t.exposeString('reason', { description: 'The reason, in the words of the operator who forgot it.' }),
    readmitted: t.exposeBoolean('isReadmitted', { description: 'Whether its next full report adds it again.' }),
  }),
})

builder.objectField(Host, 'gone', (t) =>
  t.field({
    type: HostGone,
    nullable: true,
    description: 'Null for a present host. A forgotten host has no capacity, no claims and no aggregates.',
    resolve: ({ record }) => record.gone,
  }),
)

builder.objectField(Host, 'formerNames', (t) =>
  t.field({
    type: ['String'],
    description: 'Earlier names before it was replaced, oldest first: host, or host/node. A name that it has again is not among them.',
    resolve: ({ record }) => [...new Set(record.formerNames.map(keyOf))].filter((name) => name !== keyOf(record)),
  }),
)

const keyOf = ({ host, node }: Pick<HostRecord, 'host' | 'node'>): string => (host === node ? host : `${host}/${node}`)

const LeavingImpactType = builder.objectRef<LeavingImpact>('HostLeavingImpact').implement({
  description: 'What is removed or renamed together with a host.',
  fields: (t) => ({
    claims: t.field({
      type: [Claim],
      description: 'Live claims that end with a forgotten host, or follow a replaced one; at most 100, oldest first.',
      resolve: ({ claims }) => [...claims],
    }),
    claimCount: t.exposeInt('claimCount', { description: 'The number of these claims.' }),
    aggregates: t.exposeStringList('aggregates', { description: 'The names of aggregates whose member lists change.' }),
    serverGroups: t.field({
      type: ['UUID'],
      description: 'The server groups of these claims.',
      resolve: ({ serverGroups }) => [...serverGroups],
    }),
  }),
})

const hostsField = (hosts: readonly HostView[]): HostView[] => hosts.map(({ fleet, record }) => viewHost(fleet, record))

const HostForgetPayload = builder.objectRef<LeavingDone>('HostForgetPayload').implement({
  description: 'The hosts were forgotten, or would be.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The affected hosts.', resolve: ({ hosts }) => hostsField(hosts) }),
    impact: t.expose('impact', { type: LeavingImpactType, description: 'What is removed together with them.' }),
    unchanged: t.exposeBoolean('unchanged', { description: 'True if all of them had been forgotten before.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Pass it as minRevision to read what was written.' }),
  }),
})

const HostReadmitPayload = builder.objectRef<LeavingDone>('HostReadmitPayload').implement({
  description: 'Reports under the name are accepted.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The affected hosts.', resolve: ({ hosts }) => hostsField(hosts) }),
    unchanged: t.exposeBoolean('unchanged', { description: 'True if they were accepted before.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Pass it as minRevision to read what was written.' }),
  }),
})

const HostReplacePayload = builder.objectRef<ReplaceDone>('HostReplacePayload').implement({
  description: 'The machine has the new name, or would have it.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The affected hosts.', resolve: ({ hosts }) => hostsField(hosts) }),
    impact: t.expose('impact', { type: LeavingImpactType, description: 'What passes to the new names.' }),
    merged: t.field({
      type: [Host],
      description:
        'Hosts that had reported under the new name already: their report becomes the report of the renamed host, and they are no longer hosts of their own.',
      resolve: ({ merged }) => hostsField(merged),
    }),
    unchanged: t.exposeBoolean('unchanged', { description: 'True if it had that name before.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Pass it as minRevision to read what was written.' }),
  }),
})

const HostHasClaims = builder.objectRef<HasClaims>('HostHasClaims').implement({
  description: 'Hosts have live claims, so nothing was changed. Move or release them first.',
  interfaces: [UserError],
  fields: (t) => ({
    claims: t.field({ type: [Claim], description: 'At most 100 of them, oldest first.', resolve: ({ claims }) => [...claims] }),
    claimCount: t.exposeInt('claimCount', { description: 'The number of these claims.' }),
  }),
})

const claimsFailure = { 'host-has-claims': 'HostHasClaims' } as const

const HostForgetResult = resultUnion(
  'HostForgetResult',
  'Outcomes of hostForget.',
  [HostForgetPayload, HostHasClaims, NotFound, ValidationError],
  {
    done: 'HostForgetPayload',
    ...claimsFailure,
  },
)

const HostReadmitResult = resultUnion('HostReadmitResult', 'Outcomes of hostReadmit.', [HostReadmitPayload, NotFound, ValidationError], {
  done: 'HostReadmitPayload',
})

const HostReplaceResult = resultUnion(
  'HostReplaceResult',
  'Outcomes of hostReplace.',
  [HostReplacePayload, HostHasClaims, NotFound, ValidationError],
  { done: 'HostReplacePayload', ...claimsFailure },
)

builder.mutationFields((t) => ({
  hostForget: t.field({
    type: HostForgetResult,
    authScopes: { scope: 'ADMIN' },
    description:
      'Removes hosts from the fleet: all of them, or none. Their history is kept; reports under their names are refused until hostReadmit (docs/hosts-leave.md).',
    args: {
      hosts: t.arg({
        type: [ResourceNameInput],
        required: true,
        description: '1 to 1000 hosts; a name without a node means all its nodes.',
      }),
      force: t.arg.boolean({
        defaultValue: false,
        description: 'True: their live claims become REVOKED with the reason, in the same entry.',
      }),
      reason: t.arg.string({ required: true, description: 'The reason, for later readers.' }),
      expectedClaims: t.arg.int({
        description:
          'The number of live claims in the dry run: if it differs when the change is applied at its position in the log, the change has no effect.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: returns what would end, and changes nothing.' }),
    },
    resolve: (_root, { hosts, force, reason, expectedClaims, dryRun }, { leaving }) =>
      leaving.forget({ hosts, force: force ?? false, reason, expectedClaims: expectedClaims ?? null, dryRun: dryRun ?? false }),
  }),
  hostReadmit: t.field({
    type: HostReadmitResult,
    authScopes: { scope: 'ADMIN' },
    description:
      'Accepts reports under the name of a forgotten host again: its next full report adds it without its past. A former name of a replaced host becomes free for another machine.',
    args: {
      host: t.arg({ type: ResourceNameInput, required: true, description: 'A name without a node means all its nodes.' }),
      reason: t.arg.string({ required: true, description: 'The reason, for later readers.' }),
    },
    resolve: (_root, { host, reason }, { leaving }) => leaving.readmit(host, reason),
  }),
  hostReplace: t.field({
    type: HostReplaceResult,
    authScopes: { scope: 'ADMIN' },
    description:
      'Gives a machine a new name: its claims, fences, server groups, aggregates and API keys follow. A host that reported under the new name is merged into it, if it has no live claims.',
    args: {
      host: t.arg({ type: ResourceNameInput, required: true, description: 'The present name; without a node all its nodes.' }),
      by: t.arg({ type: ResourceNameInput, required: true, description: 'Name under which the host reports now.' }),
      reason: t.arg.string({ required: true, description: 'The reason, for later readers.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: returns what would follow, and changes nothing.' }),
    },
    resolve: (_root, { host, by, reason, dryRun }, { leaving }) => leaving.replace({ host, by, reason, dryRun: dryRun ?? false }),
  }),
}))
