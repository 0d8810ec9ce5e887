import { warningsOf } from '@gantt/scheduler-core'
import { toldFields } from '@gantt/scheduler-core/query'
import { type NamespaceView, namespacesOf } from '../services/host-namespaces.ts'
import {
  capacityOf,
  type HostView,
  keyOfHost,
  type NumaCellView,
  type NumaPagesView,
  numaCellsOf,
  type PciPoolView,
  stateOf,
  statusOf,
  type ResourceUsage as Usage,
} from '../services/host-view.ts'
import type { StatusSetOutcome } from '../services/hosts.ts'
import { statsDocument } from '../services/published.ts'
import type { HostEvent } from '../services/watch.ts'
import { countWithoutClaims } from '../services/without-claims.ts'
import { AllocationOrigin } from './allocation.ts'
import { builder } from './builder.ts'
import { ImpactPreview, KeyValue, momentArg, ResourceNameInput, toPairs } from './common.ts'
import { connectionOf, pageArgs } from './connection.ts'
import { NotFound, resultUnion, ValidationError } from './errors.ts'
import { GapEvent } from './events.ts'
import { HostFilterInput, HostOrder, HostState, HostStatus } from './host-filter.ts'
import { HostWarning, UsedFrom } from './host-warning.ts'
import { hasOtherNodes } from './other-nodes.ts'
import { Aggregate, Claim, Host } from './refs.ts'

const ResourceUsage = builder.objectRef<Usage>('ResourceUsage').implement({
  description: 'Amounts of one resource class. free = floor((total - reserved) x allocationRatio) - used - claimed.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'The class.' }),
    total: t.expose('total', { type: 'SafeInt', description: 'As reported.' }),
    reserved: t.expose('reserved', { type: 'SafeInt', description: 'Kept back for the host itself.' }),
    allocationRatio: t.exposeFloat('allocationRatio', { description: 'Overcommit.' }),
    ratioFrom: t.field({ type: AllocationOrigin, description: 'Who says the ratio.', resolve: (usage) => usage.ratioFrom() }),
    reservedFrom: t.field({
      type: AllocationOrigin,
      description: 'Who says what is kept back.',
      resolve: (usage) => usage.reservedFrom(),
    }),
    capacity: t.expose('capacity', { type: 'SafeInt', description: 'What may be given in all, overcommit included.' }),
    used: t.expose('used', { type: 'SafeInt', description: "As the host's report counts." }),
    claimed: t.expose('claimed', { type: 'SafeInt', description: 'Held by claims that the report does not count.' }),
    free: t.expose('free', { type: 'SafeInt', description: 'What can still be given; below 0 after a report that shrank the host.' }),
  }),
})

const HostNumaPages = builder.objectRef<NumaPagesView>('HostNumaPages').implement({
  description: 'Memory pages of one size in a NUMA cell. total = reserved + used + free.',
  fields: (t) => ({
    sizeKib: t.expose('sizeKib', { type: 'SafeInt', description: 'Size of a page, in KiB.' }),
    total: t.expose('total', { type: 'SafeInt', description: 'Pages of this size, as reported.' }),
    reserved: t.expose('reserved', { type: 'SafeInt', description: 'Kept back for the host itself.' }),
    used: t.expose('used', { type: 'SafeInt', description: 'Used, as reported, or claimed.' }),
    free: t.expose('free', { type: 'SafeInt', description: 'Pages still free; below 0 after a report that shrank the cell.' }),
  }),
})

const HostNumaCell = builder.objectRef<NumaCellView>('HostNumaCell').implement({
  description: 'A NUMA cell of a host.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: "The host's number of the cell." }),
    cpus: t.field({ type: ['Int'], description: 'Host CPUs of the cell.', resolve: ({ cpus }) => [...cpus] }),
    dedicated: t.field({
      type: ['Int'],
      nullable: true,
      description: 'Host CPUs that instances may be given for themselves, of those in `cpus` or beside them; null: any of `cpus`.',
      resolve: ({ dedicated }) => (dedicated === null ? null : [...dedicated]),
    }),
    pinned: t.field({ type: ['Int'], description: 'CPUs that one instance has for itself.', resolve: ({ pinned }) => [...pinned] }),
    cpusUsed: t.exposeInt('cpusUsed', {
      description: 'Shared CPUs used or claimed; they run on any of `cpus` that nobody has for himself.',
    }),
    cpusFree: t.exposeInt('cpusFree', { description: 'Shared CPUs still free, overcommit included.' }),
    memoryMb: t.exposeInt('memoryMb', { description: 'MiB that may be given, overcommit included.' }),
    memoryUsedMb: t.exposeInt('memoryUsedMb', { description: 'MiB used or claimed.' }),
    memoryFreeMb: t.exposeInt('memoryFreeMb', { description: 'MiB still free.' }),
    pages: t.field({
      type: [HostNumaPages],
      description: 'Its memory pages by size, smallest first; none where the host does not tell.',
      resolve: ({ pages }) => [...pages],
    }),
  }),
})

const HostNuma = builder.objectRef<readonly NumaCellView[]>('HostNuma').implement({
  description: 'How a host is divided.',
  fields: (t) => ({ cells: t.field({ type: [HostNumaCell], description: 'The cells.', resolve: (cells) => [...cells] }) }),
})

const HostGpu = builder.objectRef<HostView['record']['gpus'][number]>('HostGpu').implement({
  description: 'A GPU of a host.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: "The host's number of the device." }),
    model: t.exposeString('model', { nullable: true, description: 'As reported.' }),
    numaNode: t.exposeInt('numaNode', { nullable: true, description: 'The NUMA cell that it is near to, as reported; null: not known.' }),
    freeMilli: t.exposeInt('freeMilli', { description: 'Thousandths still free; 1000 = idle.' }),
  }),
})

const HostPciHolder = builder.objectRef<PciPoolView['holders'][number]>('HostPciHolder').implement({
  description: 'A live claim that holds devices of a PCI pool.',
  fields: (t) => ({
    claim: t.expose('claim', { type: Claim, description: 'The claim.' }),
    count: t.exposeInt('count', { description: 'Devices that it holds of this pool.' }),
  }),
})

const HostPciPool = builder.objectRef<PciPoolView>('HostPciPool').implement({
  description: 'PCI devices of a host that are alike: one kind, near to one NUMA cell, with the same tags.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Its name, as Claim.pciDevices has it.' }),
    vendorId: t.exposeString('vendorId', { description: "PCI vendor, four hexadecimal digits in Nova's reports." }),
    productId: t.exposeString('productId', { description: "PCI product, four hexadecimal digits in Nova's reports." }),
    deviceType: t.exposeString('deviceType', { nullable: true, description: 'E.g. type-PCI, type-PF, type-VF; null: not told.' }),
    numaNode: t.exposeInt('numaNode', { nullable: true, description: 'The cell that the devices are near to; null: not known.' }),
    tags: t.field({ type: [KeyValue], description: 'Further properties, e.g. physical_network.', resolve: ({ tags }) => toPairs(tags) }),
    total: t.expose('total', { type: 'SafeInt', description: 'Devices in all, as reported.' }),
    used: t.expose('used', {
      type: 'SafeInt',
      nullable: true,
      description: "In use as the host's report counts; null: it leaves that to claims.",
    }),
    free: t.expose('free', { type: 'SafeInt', description: 'Neither used nor claimed; below 0 after a report that takes some away.' }),
    holders: t.field({
      type: [HostPciHolder],
      description: 'Live claims that hold some, oldest first; what a report that counts use has of a materialised one is in `used` too.',
      resolve: ({ holders }) => [...holders],
    }),
  }),
})

const HostTold = builder.objectRef<{ readonly field: string; readonly label: string; readonly value: string }>('HostTold').implement({
  description: 'What a host tells of its machine, one value.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description: 'The field by which the filter grammar finds hosts that tell the same, e.g. cpu.model.',
    }),
    label: t.exposeString('label', { description: 'A few words for people.' }),
    value: t.exposeString('value', { description: 'As reported.' }),
  }),
})

const HostNamespace = builder.objectRef<NamespaceView>('HostNamespace').implement({
  description: "Another service's data about a host, under that service's own schema.",
  fields: (t) => ({
    namespace: t.exposeString('name', { description: 'Whose data.' }),
    version: t.exposeString('version', { description: "Version of that service's schema." }),
    document: t.expose('document', { type: 'JSON', nullable: true, description: 'As reported.' }),
    reportedAt: t.expose('reportedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Store time of its last report in the log; null where it was not kept.',
    }),
    ageSeconds: t.exposeInt('ageSeconds', {
      nullable: true,
      description: 'How old it is for a decision made now: by the time of the log, which goes on with its entries.',
    }),
    lastSequence: t.expose('lastSequence', { type: 'SafeInt', description: 'Sequence of its last report in the log.' }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why this release cannot read the document; null where it can, or leaves it to others.',
    }),
  }),
})

builder.node(Host, {
  description: 'A machine that may be chosen, as this replica sees it now.',
  id: { resolve: ({ record }) => keyOfHost(record), description: 'Global id.' },
  loadOne: (key, { hosts }) => hosts.byKey(key),
  fields: (t) => ({
    name: t.string({ description: "The host's name.", resolve: ({ record }) => record.host }),
    node: t.string({ description: "The node's name; equal to the host's where there is one node.", resolve: ({ record }) => record.node }),
    hasOtherNodes: t.boolean({
      description: 'Whether its host has other nodes that are there: the name of the host alone means those too.',
      resolve: hasOtherNodes,
    }),
    availabilityZone: t.string({ description: 'From the metadata of its aggregates.', resolve: ({ record }) => record.zone }),
    state: t.field({ type: HostState, description: 'Whether it is alive.', resolve: stateOf }),
    stateReason: t.string({
      nullable: true,
      description: 'Why it is not UP: since when it is silent, and by which source. Null while it is.',
      resolve: ({ record }) => record.livenessReason || null,
    }),
    status: t.field({ type: HostStatus, description: 'Set by operators; only ENABLED hosts take new instances.', resolve: statusOf }),
    statusReason: t.string({
      nullable: true,
      description: 'Why the status was set.',
      resolve: ({ record }) => record.statusReason || null,
    }),
    usedFrom: t.field({
      type: UsedFrom,
      description: 'Where its used amounts come from, as operators set it.',
      resolve: ({ record }) => record.usedFrom,
    }),
    usedFromReason: t.string({
      nullable: true,
      description: 'Why they come from claims; null while they come from the report.',
      resolve: ({ record }) => record.usedFromReason || null,
    }),
    warnings: t.field({
      type: [HostWarning],
      description: 'What of its last report cannot be, or makes it count for more than it may use.',
      resolve: ({ fleet, record }) => [...warningsOf(fleet, record)],
    }),
    capacity: t.field({ type: [ResourceUsage], description: 'Per resource class.', resolve: capacityOf }),
    traits: t.field({ type: ['String'], description: 'As reported.', resolve: ({ record }) => [...record.traits] }),
    told: t.field({
      type: [HostTold],
      description:
        'What it tells of its machine that hosts can be found and grouped by: hypervisor and CPUs. What it does not tell is left out.',
      resolve: ({ record }) =>
        toldFields.flatMap(({ name, label, tell }) => {
          const value = tell(record.stats)
          return value === null ? [] : [{ field: name, label, value: String(value) }]
        }),
    }),
    numa: t.field({
      type: HostNuma,
      nullable: true,
      description: 'Null when the host reports no cells.',
      resolve: (host) => (host.record.cells.length > 0 ? numaCellsOf(host) : null),
    }),
    gpus: t.field({ type: [HostGpu], description: 'Its GPUs.', resolve: ({ record }) => record.gpus }),
    pciPools: t.field({
      type: [HostPciPool],
      description: 'Its PCI devices, those alike together.',
      resolve: (host, _args, { hosts }) => [...hosts.pciPoolsOf(host)],
    }),
    stats: t.field({
      type: 'JSON',
      description: 'What it reported of itself, deltas included (docs/host-stats.md).',
      args: { version: t.arg.string({ description: 'In this version; if not given, in the oldest that says all of it.' }) },
      resolve: ({ record }, { version }) => statsDocument(record.stats, version ?? null),
    }),
    runningVms: t.int({
      description: 'Instances: as reported, and claims that the report does not count yet.',
      resolve: ({ fleet, record }) => fleet.hosts.columns.instances[record.index] ?? 0,
    }),
    instancesWithoutClaims: t.int({
      description: 'Instances that no claim on it covers, as far as its report tells. An evacuation moves none of them.',
      resolve: ({ record }) => countWithoutClaims(record),
    }),
    namespaces: t.field({
      type: [HostNamespace],
      description: 'What other services reported about it.',
      resolve: namespacesOf,
    }),
    namespace: t.field({
      type: HostNamespace,
      nullable: true,
      description: 'What one other service reported about it; null if it did not.',
      args: { name: t.arg.string({ required: true, description: 'E.g. storage.' }) },
      resolve: (host, { name }) => namespacesOf(host).find((one) => one.name === name) ?? null,
    }),
    revision: t.field({ type: 'Revision', description: 'Of its last change.', resolve: ({ record }) => record.revision }),
    lastReportAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Store time of its last report that changed something.',
      resolve: ({ record }) => record.reportedAt || null,
    }),
    lastSequence: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'Sequence of its last report in the log.',
      resolve: ({ record }) => record.reporters.get('compute')?.sequence ?? null,
    }),
  }),
})

const HostConnection = connectionOf('Host', Host, { withAsOf: true })

builder.objectField(Aggregate, 'hosts', (t) =>
  t.field({
    type: HostConnection,
    description: 'Its member hosts, all their nodes, in the order in which they were first seen.',
    args: pageArgs(),
    resolve: (aggregate, page, { aggregates }) => aggregates.hostsIn(aggregate, page),
  }),
)

builder.queryFields((t) => ({
  host: t.field({
    type: Host,
    nullable: true,
    authScopes: { scope: 'READ' },
    description:
      'Null when no host of that name has reported. Of one that was forgotten what is left of it; by a former name the host that had it.',
    args: {
      name: t.arg.string({ required: true, description: "The host's name." }),
      node: t.arg.string({ description: "The node's name, where a host has many." }),
      ...momentArg(),
    },
    resolve: async (_root, { name, node, at }, { hosts, fleetAt }) => hosts.find({ host: name, node }, await fleetAt(at)),
  }),
  hosts: t.field({
    type: HostConnection,
    authScopes: { scope: 'READ' },
    description: 'All hosts.',
    args: {
      ...pageArgs(),
      filter: t.arg({ type: HostFilterInput, description: 'Which hosts.' }),
      query: t.arg.string({
        description: 'The same as a line of the filter grammar: az:z1,z2 mem.free>=64GiB -status:DISABLED (docs/query.md).',
      }),
      orderBy: t.arg({
        type: [HostOrder],
        description:
          'At most 8, the first before the others; what is equal by all of them goes by name. Without any: as they were first seen.',
      }),
      gone: t.arg.boolean({ defaultValue: false, description: 'True: hosts that were forgotten, instead of those that are there.' }),
      ...momentArg(),
    },
    resolve: async (_root, { at, ...args }, { hosts, fleetAt, moments }) => hosts.list(args, at ? await fleetAt(at) : moments.snapshot()),
  }),
}))

const HostSetStatusPayload = builder.objectRef<StatusSetOutcome>('HostSetStatusPayload').implement({
  description: 'The status is set, or would be.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The hosts concerned.', resolve: ({ hosts }) => [...hosts] }),
    impact: t.expose('impact', { type: ImpactPreview, description: 'What it touches.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True when nothing was changed.' }),
  }),
})

const HostSetUsedFromPayload = builder.objectRef<StatusSetOutcome>('HostSetUsedFromPayload').implement({
  description: 'The used amounts come from there, or would.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The hosts concerned.', resolve: ({ hosts }) => [...hosts] }),
    impact: t.expose('impact', { type: ImpactPreview, description: 'What it touches; the warnings say what is free before and after.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True when nothing was changed.' }),
  }),
})

const HostSetUsedFromResult = resultUnion(
  'HostSetUsedFromResult',
  'Ends of hostSetUsedFrom.',
  [HostSetUsedFromPayload, NotFound, ValidationError],
  { done: 'HostSetUsedFromPayload' },
)

builder.mutationField('hostSetUsedFrom', (t) =>
  t.field({
    type: HostSetUsedFromResult,
    authScopes: { scope: 'OPERATE' },
    description:
      'Says where the used amounts of hosts come from. CLAIMS is for hosts that do not list their instances, and run none without a claim: their reported use is then ignored.',
    args: {
      hosts: t.arg({ type: [ResourceNameInput], required: true, description: '1 to 1000 hosts.' }),
      usedFrom: t.arg({ type: UsedFrom, required: true, description: 'Where from.' }),
      reason: t.arg.string({ required: true, description: 'Why, for those who ask later.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: only say what it would touch.' }),
    },
    resolve: (_root, { hosts: names, usedFrom, reason, dryRun }, { hosts }) =>
      hosts.setUsedFrom({ hosts: names, usedFrom, reason, dryRun: dryRun ?? false }),
  }),
)

const HostSetAllocationPayload = builder.objectRef<StatusSetOutcome>('HostSetAllocationPayload').implement({
  description: 'The ratio or the reserved amount is set, or would be.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The hosts concerned.', resolve: ({ hosts }) => [...hosts] }),
    impact: t.expose('impact', { type: ImpactPreview, description: 'What it touches; the warnings say what is free before and after.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True when nothing was changed.' }),
  }),
})

const HostSetAllocationResult = resultUnion(
  'HostSetAllocationResult',
  'Ends of hostSetAllocation.',
  [HostSetAllocationPayload, NotFound, ValidationError],
  { done: 'HostSetAllocationPayload' },
)

builder.mutationField('hostSetAllocation', (t) =>
  t.field({
    type: HostSetAllocationResult,
    authScopes: { scope: 'OPERATE' },
    description:
      'Sets how many times over hosts give a resource class away, and how much of it they keep back, whatever they report. Null takes away what was set; what is left out stays.',
    args: {
      hosts: t.arg({ type: [ResourceNameInput], required: true, description: '1 to 1000 hosts.' }),
      resourceClass: t.arg.string({ required: true, description: 'Such as VCPU, MEMORY_MB or DISK_GB.' }),
      ratio: t.arg.float({ description: '0.001 to 1000; three decimals count.' }),
      reserved: t.arg({ type: 'SafeInt', description: 'Kept back for the host itself, in units of the class.' }),
      reason: t.arg.string({ required: true, description: 'Why, for those who ask later.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: only say what it would touch, and what would be free.' }),
    },
    resolve: (_root, { hosts: names, dryRun, ...edit }, { hosts, caller }) =>
      hosts.setAllocation({ ...edit, hosts: names, by: caller.account, dryRun: dryRun ?? false }),
  }),
)

const HostSetStatusResult = resultUnion(
  'HostSetStatusResult',
  'Ends of hostSetStatus.',
  [HostSetStatusPayload, NotFound, ValidationError],
  {
    done: 'HostSetStatusPayload',
  },
)

builder.mutationField('hostSetStatus', (t) =>
  t.field({
    type: HostSetStatusResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Opens or closes hosts for new instances. A name without a node means all its nodes.',
    args: {
      hosts: t.arg({ type: [ResourceNameInput], required: true, description: '1 to 1000 hosts.' }),
      status: t.arg({ type: HostStatus, required: true, description: 'The new status.' }),
      reason: t.arg.string({ required: true, description: 'Why, for those who ask later.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: only tell what it would touch.' }),
    },
    resolve: (_root, { hosts: names, status, reason, dryRun }, { hosts }) =>
      hosts.setStatus({ hosts: names, status, reason, dryRun: dryRun ?? false }),
  }),
)

const HostChangeEvent = builder.objectRef<HostEvent>('HostChangeEvent').implement({
  description: 'A host changed. A slow reader gets the latest state of each host, not every step.',
  fields: (t) => ({
    revision: t.expose('revision', { type: 'Revision', description: 'Of the change.' }),
    host: t.expose('host', { type: Host, nullable: true, description: 'As it is now; null with a gap.' }),
    gap: t.expose('gap', { type: GapEvent, nullable: true, description: 'Present when changes were missed.' }),
  }),
})

builder.subscriptionField('hostChanged', (t) =>
  t.field({
    type: HostChangeEvent,
    authScopes: { scope: 'READ' },
    description: 'Every change of a host: reports, status, aggregates, claims.',
    args: {
      filter: t.arg({ type: HostFilterInput, description: 'Which hosts.' }),
      query: t.arg.string({ description: 'As in hosts.' }),
      after: t.arg({ type: 'Revision', description: 'Begin with the hosts that changed after it.' }),
    },
    subscribe: (_root, args, { watch, caller }) => watch.hosts({ ...args, keyId: caller.keyId, mayGoOn: caller.isStillKnown }),
    resolve: (event) => event,
  }),
)
