import type { Gone, HostRecord } from '@gantt/scheduler-core'
import { type HostView, viewHost } from '../../services/host/host-view.ts'
import type { HostHasClaims as HasClaims, LeavingDone, ReplaceDone } from '../../services/host/leaving.ts'
import type { LeavingImpact } from '../../services/host/leaving-impact.ts'
import { builder } from '../builder.ts'
import { ResourceNameInput } from '../types/common.ts'
import { NotFound, resultUnion, UserError, ValidationError } from '../types/errors.ts'
import { Claim, Host } from '../types/refs.ts'

const HostGone = builder.objectRef<Gone>('HostGone').implement({
  description: 'When and why a host left the fleet.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: "When the host left the fleet, by the database's clock." }),
    revision: t.expose('revision', { type: 'Revision', description: 'The revision at which the host left the fleet.' }),
    reason: t.exposeString('reason', { description: 'Why the host was removed, in the words of the operator.' }),
    readmitted: t.exposeBoolean('isReadmitted', {
      description: 'True if reports of the host are accepted again, so that its next full report adds it to the fleet.',
    }),
  }),
})

builder.objectField(Host, 'gone', (t) =>
  t.field({
    type: HostGone,
    nullable: true,
    description: 'When and why the host left the fleet; null for a present host. A forgotten host has no capacity, claims or aggregates.',
    resolve: ({ record }) => record.gone,
  }),
)

builder.objectField(Host, 'formerNames', (t) =>
  t.field({
    type: ['String'],
    description:
      'The names that the host had before it was replaced, oldest first, each as host or host/node. A former name that is the present name again is not listed.',
    resolve: ({ record }) => [...new Set(record.formerNames.map(keyOf))].filter((name) => name !== keyOf(record)),
  }),
)

const keyOf = ({ host, node }: Pick<HostRecord, 'host' | 'node'>): string => (host === node ? host : `${host}/${node}`)

const LeavingImpactType = builder.objectRef<LeavingImpact>('HostLeavingImpact').implement({
  description: 'The claims, aggregates and server groups that are affected if hosts are forgotten or replaced.',
  fields: (t) => ({
    claims: t.field({
      type: [Claim],
      description:
        'The live claims of the hosts, oldest first, at most 100. They end if the host is forgotten. If the host is replaced, they stay on it under its new name.',
      resolve: ({ claims }) => [...claims],
    }),
    claimCount: t.exposeInt('claimCount', { description: 'How many live claims the hosts have, listed or not.' }),
    aggregates: t.exposeStringList('aggregates', { description: 'The names of the aggregates whose members change.' }),
    serverGroups: t.field({
      type: ['UUID'],
      description: 'The UUIDs of the server groups that these claims belong to.',
      resolve: ({ serverGroups }) => [...serverGroups],
    }),
  }),
})

const hostsField = (hosts: readonly HostView[]): HostView[] => hosts.map(({ fleet, record }) => viewHost(fleet, record))

const HostForgetPayload = builder.objectRef<LeavingDone>('HostForgetPayload').implement({
  description: 'The hosts were removed from the fleet; for a dry run, the effect that the removal would have.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The affected hosts.', resolve: ({ hosts }) => hostsField(hosts) }),
    impact: t.expose('impact', {
      type: LeavingImpactType,
      description: 'What ends because the hosts are forgotten: claims, aggregate memberships and server group memberships.',
    }),
    unchanged: t.exposeBoolean('unchanged', { description: 'True if all of the hosts had been forgotten before the call.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: "The change's revision. Pass it as minRevision to later calls." }),
  }),
})

const HostReadmitPayload = builder.objectRef<LeavingDone>('HostReadmitPayload').implement({
  description: "Reports under the host's name are accepted again.",
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The affected hosts.', resolve: ({ hosts }) => hostsField(hosts) }),
    unchanged: t.exposeBoolean('unchanged', { description: 'True if reports under the name were accepted before the call.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: "The change's revision. Pass it as minRevision to later calls." }),
  }),
})

const HostReplacePayload = builder.objectRef<ReplaceDone>('HostReplacePayload').implement({
  description: 'The host has the new name; for a dry run, the effect that the renaming would have.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The affected hosts.', resolve: ({ hosts }) => hostsField(hosts) }),
    impact: t.expose('impact', {
      type: LeavingImpactType,
      description: 'The claims, aggregate memberships and server groups that the host keeps under its new name.',
    }),
    merged: t.field({
      type: [Host],
      description:
        'Hosts that had reported under the new name before the call. They are merged into the renamed host, which gets their report.',
      resolve: ({ merged }) => hostsField(merged),
    }),
    unchanged: t.exposeBoolean('unchanged', { description: 'True if the host had the new name before the call.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: "The change's revision. Pass it as minRevision to later calls." }),
  }),
})

const HostHasClaims = builder.objectRef<HasClaims>('HostHasClaims').implement({
  description: 'The hosts have live claims, so nothing was changed. Move or release these claims first.',
  interfaces: [UserError],
  fields: (t) => ({
    claims: t.field({
      type: [Claim],
      description: 'The live claims of the hosts, oldest first, at most 100.',
      resolve: ({ claims }) => [...claims],
    }),
    claimCount: t.exposeInt('claimCount', { description: 'How many live claims the hosts have.' }),
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
      'Removes hosts from the fleet. If one host cannot be removed, none is removed. The history of the hosts is kept. Reports under their names are refused until hostReadmit is called (docs/hosts-leave.md).',
    args: {
      hosts: t.arg({
        type: [ResourceNameInput],
        required: true,
        description: '1 to 1000 hosts. A name without a node means all nodes of the host.',
      }),
      force: t.arg.boolean({
        defaultValue: false,
        description: 'True: the live claims of the hosts become REVOKED with the given reason, in the same log entry.',
      }),
      reason: t.arg.string({ required: true, description: 'Why the change is made, recorded for later readers.' }),
      expectedClaims: t.arg.int({
        description:
          'The number of live claims that a dry run returned. If the number differs when the change is applied at its position in the log, the change has no effect.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: the call returns its effect and changes nothing.' }),
    },
    resolve: (_root, { hosts, force, reason, expectedClaims, dryRun }, { leaving }) =>
      leaving.forget({ hosts, force: force ?? false, reason, expectedClaims: expectedClaims ?? null, dryRun: dryRun ?? false }),
  }),
  hostReadmit: t.field({
    type: HostReadmitResult,
    authScopes: { scope: 'ADMIN' },
    description:
      'Accepts reports under the name of a forgotten host again. The next full report adds the host as a new host without its history. If the name is a former name of a replaced host, another machine may report under it.',
    args: {
      host: t.arg({
        type: ResourceNameInput,
        required: true,
        description: 'The name of the host. A name without a node means all nodes of the host.',
      }),
      reason: t.arg.string({ required: true, description: 'Why the change is made, recorded for later readers.' }),
    },
    resolve: (_root, { host, reason }, { leaving }) => leaving.readmit(host, reason),
  }),
  hostReplace: t.field({
    type: HostReplaceResult,
    authScopes: { scope: 'ADMIN' },
    description:
      'Gives a host a new name. Its claims with their fences, its server groups, aggregates and API keys remain valid under the new name. If another host reported under the new name and has no live claims, it is merged into the renamed host.',
    args: {
      host: t.arg({
        type: ResourceNameInput,
        required: true,
        description: 'The present name of the host. A name without a node means all nodes of the host.',
      }),
      by: t.arg({ type: ResourceNameInput, required: true, description: 'The name under which the host reports now.' }),
      reason: t.arg.string({ required: true, description: 'Why the change is made, recorded for later readers.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: the call returns its effect and changes nothing.' }),
    },
    resolve: (_root, { host, by, reason, dryRun }, { leaving }) => leaving.replace({ host, by, reason, dryRun: dryRun ?? false }),
  }),
}))
