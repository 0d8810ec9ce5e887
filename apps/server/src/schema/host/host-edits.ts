import type { StatusSetOutcome } from '../../services/host/hosts.ts'
import { builder } from '../builder.ts'
import { ImpactPreview, ResourceNameInput } from '../types/common.ts'
import { NotFound, resultUnion, ValidationError } from '../types/errors.ts'
import { Host } from '../types/refs.ts'
import { HostStatus } from './host-filter.ts'
import { UsedFrom } from './host-warning.ts'

const HostSetStatusPayload = builder.objectRef<StatusSetOutcome>('HostSetStatusPayload').implement({
  description: 'The status was set, or would be.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The affected hosts.', resolve: ({ hosts }) => [...hosts] }),
    impact: t.expose('impact', { type: ImpactPreview, description: 'Hosts and claims that the change touches.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
  }),
})

const HostSetUsedFromPayload = builder.objectRef<StatusSetOutcome>('HostSetUsedFromPayload').implement({
  description: 'The source of the used amounts was set, or would be.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The affected hosts.', resolve: ({ hosts }) => [...hosts] }),
    impact: t.expose('impact', {
      type: ImpactPreview,
      description: 'The hosts and claims that the change affects; the warnings contain the free amounts before and after.',
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
      'Sets where the used amounts of hosts come from. CLAIMS is for hosts that do not list their instances, and run none without a claim: their reported use is then ignored.',
    args: {
      hosts: t.arg({ type: [ResourceNameInput], required: true, description: '1 to 1000 hosts.' }),
      usedFrom: t.arg({ type: UsedFrom, required: true, description: 'Source of the numbers of what is used.' }),
      reason: t.arg.string({ required: true, description: 'The reason, for later readers.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: returns the effect of the call, and changes nothing.' }),
    },
    resolve: (_root, { hosts: names, usedFrom, reason, dryRun }, { hosts }) =>
      hosts.setUsedFrom({ hosts: names, usedFrom, reason, dryRun: dryRun ?? false }),
  }),
)

const HostSetAllocationPayload = builder.objectRef<StatusSetOutcome>('HostSetAllocationPayload').implement({
  description: 'The ratio or the reserved amount was set, or would be.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The affected hosts.', resolve: ({ hosts }) => [...hosts] }),
    impact: t.expose('impact', {
      type: ImpactPreview,
      description: 'The hosts and claims that the change affects; the warnings contain the free amounts before and after.',
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
      'Sets the allocation ratio and the reserved amount of a resource class on hosts, overriding their reports. Null removes a value that was set; an absent value is unchanged.',
    args: {
      hosts: t.arg({ type: [ResourceNameInput], required: true, description: '1 to 1000 hosts.' }),
      resourceClass: t.arg.string({ required: true, description: 'The class, such as VCPU, MEMORY_MB or DISK_GB.' }),
      ratio: t.arg.float({ description: '0.001 to 1000; three decimals count.' }),
      reserved: t.arg({ type: 'SafeInt', description: 'The amount that is reserved for the host itself, in units of the class.' }),
      reason: t.arg.string({ required: true, description: 'The reason, for later readers.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: returns the effect and the free amounts, and changes nothing.' }),
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
    description: 'Enables or disables hosts for new instances. A name without a node means all its nodes.',
    args: {
      hosts: t.arg({ type: [ResourceNameInput], required: true, description: '1 to 1000 hosts.' }),
      status: t.arg({ type: HostStatus, required: true, description: 'The new status.' }),
      reason: t.arg.string({ required: true, description: 'The reason, for later readers.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: returns the hosts that would change, and changes nothing.' }),
    },
    resolve: (_root, { hosts: names, status, reason, dryRun }, { hosts }) =>
      hosts.setStatus({ hosts: names, status, reason, dryRun: dryRun ?? false }),
  }),
)
