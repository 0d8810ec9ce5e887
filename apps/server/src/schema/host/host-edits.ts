import type { StatusSetOutcome } from '../../services/host/hosts.ts'
import { builder } from '../builder.ts'
import { ImpactPreview, ResourceNameInput } from '../types/common.ts'
import { NotFound, resultUnion, ValidationError } from '../types/errors.ts'
import { Host } from '../types/refs.ts'
import { HostStatus } from './host-filter.ts'
import { UsedFrom } from './host-warning.ts'

const HostSetStatusPayload = builder.objectRef<StatusSetOutcome>('HostSetStatusPayload').implement({
  description: 'The status was set; for a dry run, the effect that the change would have.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The affected hosts.', resolve: ({ hosts }) => [...hosts] }),
    impact: t.expose('impact', { type: ImpactPreview, description: 'The hosts and claims that the change affects.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
  }),
})

const HostSetUsedFromPayload = builder.objectRef<StatusSetOutcome>('HostSetUsedFromPayload').implement({
  description: 'The hosts have the requested `usedFrom`; for a dry run, the effect that the change would have.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The affected hosts.', resolve: ({ hosts }) => [...hosts] }),
    impact: t.expose('impact', {
      type: ImpactPreview,
      description: 'The hosts and claims that the change affects. The warnings contain the free amounts before and after the change.',
    }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
  }),
})

const HostSetUsedFromResult = resultUnion(
  'HostSetUsedFromResult',
  'Outcomes of hostSetUsedFrom.',
  [HostSetUsedFromPayload, NotFound, ValidationError],
  { done: 'HostSetUsedFromPayload' },
)

builder.mutationField('hostSetUsedFrom', (t) =>
  t.field({
    type: HostSetUsedFromResult,
    authScopes: { scope: 'OPERATE' },
    description:
      'Sets the source of the used amounts of resources of hosts: REPORT or CLAIMS. CLAIMS is for hosts that do not list their instances and run no instances without a claim. With CLAIMS, the usage in the reports of the hosts is ignored.',
    args: {
      hosts: t.arg({ type: [ResourceNameInput], required: true, description: 'The hosts to change, 1 to 1000.' }),
      usedFrom: t.arg({
        type: UsedFrom,
        required: true,
        description: "The source of the hosts' used amounts of resources: REPORT or CLAIMS.",
      }),
      reason: t.arg.string({ required: true, description: 'Why the change is made, recorded for later readers.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: the call returns its effect and changes nothing.' }),
    },
    resolve: (_root, { hosts: names, usedFrom, reason, dryRun }, { hosts }) =>
      hosts.setUsedFrom({ hosts: names, usedFrom, reason, dryRun: dryRun ?? false }),
  }),
)

const HostSetAllocationPayload = builder.objectRef<StatusSetOutcome>('HostSetAllocationPayload').implement({
  description: 'The allocation ratio or the reserved amount was set; for a dry run, the effect that the change would have.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The affected hosts.', resolve: ({ hosts }) => [...hosts] }),
    impact: t.expose('impact', {
      type: ImpactPreview,
      description: 'The hosts and claims that the change affects. The warnings contain the free amounts before and after the change.',
    }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
  }),
})

const HostSetAllocationResult = resultUnion(
  'HostSetAllocationResult',
  'Outcomes of hostSetAllocation.',
  [HostSetAllocationPayload, NotFound, ValidationError],
  { done: 'HostSetAllocationPayload' },
)

builder.mutationField('hostSetAllocation', (t) =>
  t.field({
    type: HostSetAllocationResult,
    authScopes: { scope: 'OPERATE' },
    description:
      "Sets the allocation ratio and the reserved amount of a resource class on hosts. These values override the hosts' reports. Null removes an earlier setting; an absent argument leaves it unchanged.",
    args: {
      hosts: t.arg({ type: [ResourceNameInput], required: true, description: 'The hosts to change, 1 to 1000.' }),
      resourceClass: t.arg.string({ required: true, description: 'The resource class, such as VCPU, MEMORY_MB or DISK_GB.' }),
      ratio: t.arg.float({ description: 'The allocation ratio, 0.001 to 1000, with a precision of three decimals.' }),
      reserved: t.arg({ type: 'SafeInt', description: 'The amount that is reserved for the host itself, in units of the resource class.' }),
      reason: t.arg.string({ required: true, description: 'Why the change is made, recorded for later readers.' }),
      dryRun: t.arg.boolean({
        defaultValue: false,
        description: 'True: the call changes nothing. It returns the effect that it would have on free amounts.',
      }),
    },
    resolve: (_root, { hosts: names, dryRun, ...edit }, { hosts, caller }) =>
      hosts.setAllocation({ ...edit, hosts: names, by: caller.account, dryRun: dryRun ?? false }),
  }),
)

const HostSetStatusResult = resultUnion(
  'HostSetStatusResult',
  'Outcomes of hostSetStatus.',
  [HostSetStatusPayload, NotFound, ValidationError],
  {
    done: 'HostSetStatusPayload',
  },
)

builder.mutationField('hostSetStatus', (t) =>
  t.field({
    type: HostSetStatusResult,
    authScopes: { scope: 'OPERATE' },
    description:
      'Sets the status of hosts, which determines whether they take new instances. A name without a node means all nodes of the host.',
    args: {
      hosts: t.arg({ type: [ResourceNameInput], required: true, description: 'The hosts to change, 1 to 1000.' }),
      status: t.arg({ type: HostStatus, required: true, description: 'The new status of the hosts.' }),
      reason: t.arg.string({ required: true, description: 'Why the change is made, recorded for later readers.' }),
      dryRun: t.arg.boolean({
        defaultValue: false,
        description: 'True: the call returns the hosts that would change and changes nothing.',
      }),
    },
    resolve: (_root, { hosts: names, status, reason, dryRun }, { hosts }) =>
      hosts.setStatus({ hosts: names, status, reason, dryRun: dryRun ?? false }),
  }),
)
