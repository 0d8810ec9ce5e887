import { warningsOf } from '@gantt/scheduler-core'
import { reportedFields } from '@gantt/scheduler-core/query'
import { type NamespaceView, namespacesOf } from '../../services/host/host-namespaces.ts'
import { capacityOf, keyOfHost, numaCellsOf, stateOf, statusOf } from '../../services/host/host-view.ts'
import { countWithoutClaims } from '../../services/move/without-claims.ts'
import { statsDocument } from '../../services/placement/published.ts'
import type { HostEvent } from '../../services/watch/watch.ts'
import { builder } from '../builder.ts'
import { momentArg } from '../types/common.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { GapEvent } from '../types/events.ts'
import { Aggregate, Host } from '../types/refs.ts'
import { HostFilterInput, HostOrder, HostState, HostStatus } from './host-filter.ts'
import { HostGpu, HostNuma, HostPciPool, ResourceUsage } from './host-resources.ts'
import { HostWarning, UsedFrom } from './host-warning.ts'
import { hasOtherNodes } from './other-nodes.ts'

const HostTold = builder.objectRef<{ readonly field: string; readonly label: string; readonly value: string }>('HostTold').implement({
  description: "A reported property of a host's machine.",
  fields: (t) => ({
    field: t.exposeString('field', {
      description: 'The field by which the filter grammar finds hosts with the same value, e.g. cpu.model.',
    }),
    label: t.exposeString('label', { description: 'A short label for people.' }),
    value: t.exposeString('value', { description: 'The value as it was reported.' }),
  }),
})

const HostNamespace = builder.objectRef<NamespaceView>('HostNamespace').implement({
  description: "Another service's data about a host, under that service's own schema.",
  fields: (t) => ({
    namespace: t.exposeString('name', { description: 'Name of the service whose data it is.' }),
    version: t.exposeString('version', { description: "The version of that service's schema." }),
    document: t.expose('document', { type: 'JSON', nullable: true, description: 'The document as it was reported.' }),
    reportedAt: t.expose('reportedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The store time of its last report in the log; null if it was not kept.',
    }),
    ageSeconds: t.exposeInt('ageSeconds', {
      nullable: true,
      description: 'Its age for a decision made now, by the time of the log, which advances with its entries.',
    }),
    lastSequence: t.expose('lastSequence', { type: 'SafeInt', description: 'The sequence of its last report in the log.' }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why this release cannot read the document; null if it can, or does not read it.',
    }),
  }),
})

builder.node(Host, {
  description: 'A machine that can be chosen, as this replica sees it now.',
  id: { resolve: ({ record }) => keyOfHost(record), description: 'Global id of the object.' },
  loadOne: (key, { hosts }) => hosts.byKey(key),
  fields: (t) => ({
    name: t.string({ description: "The host's name.", resolve: ({ record }) => record.host }),
    node: t.string({
      description: "The node's name; equal to the host's name if the host has one node.",
      resolve: ({ record }) => record.node,
    }),
    hasOtherNodes: t.boolean({
      description: 'Whether the host has other nodes, so that its name alone means these too.',
      resolve: hasOtherNodes,
    }),
    availabilityZone: t.string({
      description: 'The availability zone, from the metadata of its aggregates.',
      resolve: ({ record }) => record.zone,
    }),
    state: t.field({ type: HostState, description: 'Whether the host reports, by its liveness.', resolve: stateOf }),
    stateReason: t.string({
      nullable: true,
      description: 'Why it is not UP: since when it is silent, and by which source. Null if it is UP.',
      resolve: ({ record }) => record.livenessReason || null,
    }),
    status: t.field({ type: HostStatus, description: 'Set by operators; only ENABLED hosts take new instances.', resolve: statusOf }),
    statusReason: t.string({
      nullable: true,
      description: 'The reason of the status.',
      resolve: ({ record }) => record.statusReason || null,
    }),
    usedFrom: t.field({
      type: UsedFrom,
      description: 'The source of its used amounts, as operators set it.',
      resolve: ({ record }) => record.usedFrom,
    }),
    usedFromReason: t.string({
      nullable: true,
      description: 'Why they come from claims; null if they come from the report.',
      resolve: ({ record }) => record.usedFromReason || null,
    }),
    warnings: t.field({
      type: [HostWarning],
      description: 'Impossible values in its last report, or values that make it count for more than it may use.',
      resolve: ({ fleet, record }) => [...warningsOf(fleet, record)],
    }),
    capacity: t.field({ type: [ResourceUsage], description: 'The amounts per resource class.', resolve: capacityOf }),
    traits: t.field({ type: ['String'], description: 'Traits as the host reported them.', resolve: ({ record }) => [...record.traits] }),
    told: t.field({
      type: [HostTold],
      description:
        'Reported properties of its machine by which hosts can be found and grouped: hypervisor and CPUs. Unreported properties are omitted.',
      resolve: (host) =>
        reportedFields.flatMap(({ name, label, read }) => {
          const value = read(host)
          return value === null ? [] : [{ field: name, label, value: String(value) }]
        }),
    }),
    numa: t.field({
      type: HostNuma,
      nullable: true,
      description: 'Null if the host reports no cells.',
      resolve: (host) => (host.record.cells.length > 0 ? numaCellsOf(host) : null),
    }),
    gpus: t.field({ type: [HostGpu], description: 'GPUs that the host reported.', resolve: ({ record }) => record.gpus }),
    pciPools: t.field({
      type: [HostPciPool],
      description: 'The PCI devices, equal ones together.',
      resolve: (host, _args, { hosts }) => [...hosts.pciPoolsOf(host)],
    }),
    stats: t.field({
      type: 'JSON',
      description: "The host's report about itself, with deltas applied (docs/host-stats.md).",
      args: { version: t.arg.string({ description: 'The version of the document; by default the oldest that can express all of it.' }) },
      resolve: ({ record }, { version }) => statsDocument(record.stats, version ?? null),
    }),
    runningVms: t.int({
      description: 'The number of instances: reported ones, and claims that the report does not count yet.',
      resolve: ({ fleet, record }) => fleet.hosts.columns.instances[record.index] ?? 0,
    }),
    instancesWithoutClaims: t.int({
      description: 'The number of reported instances without a claim on the host. An evacuation moves none of them.',
      resolve: ({ record }) => countWithoutClaims(record),
    }),
    namespaces: t.field({
      type: [HostNamespace],
      description: 'The reports of other services about it.',
      resolve: namespacesOf,
    }),
    namespace: t.field({
      type: HostNamespace,
      nullable: true,
      description: 'The report of another service about it; null if there is none.',
      args: { name: t.arg.string({ required: true, description: 'Name of the namespace, e.g. storage.' }) },
      resolve: (host, { name }) => namespacesOf(host).find((one) => one.name === name) ?? null,
    }),
    revision: t.field({ type: 'Revision', description: 'The revision of its last change.', resolve: ({ record }) => record.revision }),
    lastReportAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The store time of its last report with a change.',
      resolve: ({ record }) => record.reportedAt || null,
    }),
    lastSequence: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'The sequence of its last report in the log.',
      resolve: ({ record }) => record.reporters.get('compute')?.sequence ?? null,
    }),
  }),
})

const HostConnection = connectionOf('Host', Host, { withAsOf: true })

builder.objectField(Aggregate, 'hosts', (t) =>
  t.field({
    type: HostConnection,
    description: 'The member hosts with all their nodes, in the order of first sight.',
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
      'Null if no host of that name has reported. For a forgotten host, what is left of it; for a former name, the host that had it.',
    args: {
      name: t.arg.string({ required: true, description: "The host's name." }),
      node: t.arg.string({ description: "The node's name, if the host has several." }),
      ...momentArg(),
    },
    resolve: async (_root, { name, node, at }, { hosts, fleetAt }) => hosts.find({ host: name, node }, await fleetAt(at)),
  }),
  hosts: t.field({
    type: HostConnection,
    authScopes: { scope: 'READ' },
    description: 'The hosts of the fleet, page by page.',
    args: {
      ...pageArgs(),
      filter: t.arg({ type: HostFilterInput, description: 'Only hosts that match this.' }),
      query: t.arg.string({
        description: 'A filter in the filter grammar: az:z1,z2 mem.free>=64GiB -status:DISABLED (docs/query.md).',
      }),
      orderBy: t.arg({
        type: [HostOrder],
        description:
          'At most 8 orders, applied one after the other; hosts that are equal by all of them are sorted by name. By default: the order of first sight.',
      }),
      gone: t.arg.boolean({ defaultValue: false, description: 'True: forgotten hosts instead of present ones.' }),
      ...momentArg(),
    },
    resolve: async (_root, { at, ...args }, { hosts, fleetAt, moments }) => hosts.list(args, at ? await fleetAt(at) : moments.snapshot()),
  }),
}))

const HostChangeEvent = builder.objectRef<HostEvent>('HostChangeEvent').implement({
  description: 'A change of a host. A slow reader gets the latest state of each host, not every step.',
  fields: (t) => ({
    revision: t.expose('revision', { type: 'Revision', description: 'Revision of the change in the log.' }),
    host: t.expose('host', { type: Host, nullable: true, description: 'The host in its present state; null in a gap.' }),
    gap: t.expose('gap', { type: GapEvent, nullable: true, description: 'Present if changes were missed.' }),
  }),
})

builder.subscriptionField('hostChanged', (t) =>
  t.field({
    type: HostChangeEvent,
    authScopes: { scope: 'READ' },
    description: 'Reports every change of hosts: reports, status, aggregates, claims.',
    args: {
      filter: t.arg({ type: HostFilterInput, description: 'Only hosts that match this.' }),
      query: t.arg.string({ description: 'The same filter as in hosts.' }),
      after: t.arg({ type: 'Revision', description: 'Begin with the hosts that changed after this revision.' }),
    },
    subscribe: (_root, args, { watch, caller, over }) => watch.hosts({ ...args, keyId: caller.keyId, mayGoOn: caller.isStillKnown, over }),
    resolve: (event) => event,
  }),
)
