import { warningsOf } from '@gantt/scheduler-core'
import { reportedFields } from '@gantt/scheduler-core/query'
import { collectorViews } from '../../services/host/host-collectors.ts'
import { type NamespaceView, namespacesOf } from '../../services/host/host-namespaces.ts'
import { capacityOf, keyOfHost, numaCellsOf, stateOf, statusOf } from '../../services/host/host-view.ts'
import { countWithoutClaims } from '../../services/move/without-claims.ts'
import { statsDocument } from '../../services/placement/published.ts'
import type { HostEvent } from '../../services/watch/waiting-hosts.ts'
import { builder } from '../builder.ts'
import { momentArg } from '../types/common.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { GapEvent } from '../types/events.ts'
import { Aggregate, Host } from '../types/refs.ts'
import { HostCollector } from './collector.ts'
import { HostFilterInput, HostOrder, HostState, HostStatus } from './host-filter.ts'
import { HostGpu, HostNuma, HostPciPool, ResourceUsage } from './host-resources.ts'
import { HostWarning, UsedFrom } from './host-warning.ts'
import { hasOtherNodes } from './other-nodes.ts'

const HostTold = builder.objectRef<{ readonly field: string; readonly label: string; readonly value: string }>('HostTold').implement({
  description: 'A property that a host reported about its machine.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description: 'The field of the filter grammar that finds hosts with the same value, e.g. cpu.model.',
    }),
    label: t.exposeString('label', { description: 'A short label for people.' }),
    value: t.exposeString('value', { description: 'The value as it was reported.' }),
  }),
})

const HostNamespace = builder.objectRef<NamespaceView>('HostNamespace').implement({
  description: 'Data that another service reported about a host, in the schema of that service.',
  fields: (t) => ({
    namespace: t.exposeString('name', { description: 'The name of the namespace under which the service reports.' }),
    version: t.exposeString('version', { description: "The version of the service's schema." }),
    document: t.expose('document', { type: 'JSON', nullable: true, description: 'The document as it was reported.' }),
    reportedAt: t.expose('reportedAt', {
      type: 'DateTime',
      nullable: true,
      description: "When the service's last report in the log arrived, by the database's clock; null if the time was not stored.",
    }),
    ageSeconds: t.exposeInt('ageSeconds', {
      nullable: true,
      description: 'How old the document is now, or, for a host of a past fleet, how old it was at that time.',
    }),
    lastSequence: t.expose('lastSequence', {
      type: 'SafeInt',
      description: "The sequence number of the service's last report in the log.",
    }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why this release cannot read the document. Null if it can read the document, or does not use it.',
    }),
  }),
})

builder.node(Host, {
  description: 'A machine on which instances can be placed, as this replica sees it now.',
  id: { resolve: ({ record }) => keyOfHost(record), description: 'Global id of the object.' },
  loadOne: (key, { hosts }) => hosts.byKey(key),
  fields: (t) => ({
    name: t.string({ description: "The host's name.", resolve: ({ record }) => record.host }),
    node: t.string({
      description: "The node's name. It equals the host's name if the host has one node.",
      resolve: ({ record }) => record.node,
    }),
    hasOtherNodes: t.boolean({
      description: 'True if the host has further nodes, so that the name of the host alone means all of them.',
      resolve: hasOtherNodes,
    }),
    availabilityZone: t.string({
      description: "The availability zone, from the metadata of the host's aggregates.",
      resolve: ({ record }) => record.zone,
    }),
    state: t.field({ type: HostState, description: 'The liveness of the host.', resolve: stateOf }),
    stateReason: t.string({
      nullable: true,
      description: 'Why the host is not UP: since when it is silent, and which source reported this. Null if it is UP.',
      resolve: ({ record }) => record.livenessReason || null,
    }),
    status: t.field({
      type: HostStatus,
      description: 'The status that operators set. Only ENABLED hosts take new instances.',
      resolve: statusOf,
    }),
    statusReason: t.string({
      nullable: true,
      description: 'Why operators set the status.',
      resolve: ({ record }) => record.statusReason || null,
    }),
    usedFrom: t.field({
      type: UsedFrom,
      description: "The source of the host's used amounts of resources, as set by operators: REPORT or CLAIMS.",
      resolve: ({ record }) => record.usedFrom,
    }),
    usedFromReason: t.string({
      nullable: true,
      description: 'Why operators set the used amounts to come from claims; null if they come from the report.',
      resolve: ({ record }) => record.usedFromReason || null,
    }),
    warnings: t.field({
      type: [HostWarning],
      description:
        "Values in the host's last report that are impossible, or that make this service count more usage than the host may really have.",
      resolve: ({ fleet, record }) => [...warningsOf(fleet, record)],
    }),
    capacity: t.field({
      type: [ResourceUsage],
      description: 'The total, reserved, used, claimed and free amounts of each resource class.',
      resolve: capacityOf,
    }),
    traits: t.field({ type: ['String'], description: 'Traits as the host reported them.', resolve: ({ record }) => [...record.traits] }),
    told: t.field({
      type: [HostTold],
      description:
        'Properties of the machine that the host reported and by which hosts can be found and grouped: hypervisor and CPUs. Unreported properties are omitted.',
      resolve: (host) =>
        reportedFields.flatMap(({ name, label, read }) => {
          const value = read(host)
          return value === null ? [] : [{ field: name, label, value: String(value) }]
        }),
    }),
    numa: t.field({
      type: HostNuma,
      nullable: true,
      description: 'The NUMA topology; null if the host reports no NUMA cells.',
      resolve: (host) => (host.record.cells.length > 0 ? numaCellsOf(host) : null),
    }),
    gpus: t.field({ type: [HostGpu], description: 'GPUs that the host reported.', resolve: ({ record }) => record.gpus }),
    pciPools: t.field({
      type: [HostPciPool],
      description: 'The PCI devices, with equal devices in one pool.',
      resolve: (host, _args, { hosts }) => [...hosts.pciPoolsOf(host)],
    }),
    stats: t.field({
      type: 'JSON',
      description: "The host's report about itself, with all deltas applied (docs/host-stats.md).",
      args: {
        version: t.arg.string({
          description: 'The version of the document. By default the oldest version that can express the whole report.',
        }),
      },
      resolve: ({ record }, { version }) => statsDocument(record.stats, version ?? null),
    }),
    runningVms: t.int({
      description: 'How many instances are on the host: reported instances, and claims that the report does not count yet.',
      resolve: ({ fleet, record }) => fleet.hosts.columns.instances[record.index] ?? 0,
    }),
    instancesWithoutClaims: t.int({
      description: 'How many reported instances have no claim on the host. An evacuation does not move them.',
      resolve: ({ record }) => countWithoutClaims(record),
    }),
    namespaces: t.field({
      type: [HostNamespace],
      description: 'The reports of other services about the host.',
      resolve: (host, _args, { hosts }) => namespacesOf(host, hosts.timeOf(host)),
    }),
    namespace: t.field({
      type: HostNamespace,
      nullable: true,
      description: 'The report of another service about the host; null if there is none.',
      args: { name: t.arg.string({ required: true, description: 'Name of the namespace, e.g. storage.' }) },
      resolve: (host, { name }, { hosts }) => namespacesOf(host, hosts.timeOf(host)).find((one) => one.name === name) ?? null,
    }),
    collectors: t.field({
      type: [HostCollector],
      description:
        "The programs with which the host's agent collects documents of namespaces, with their states. Empty if the agent reported none.",
      resolve: (host, _args, { hosts }) => collectorViews(host, hosts.timeOf(host)),
    }),
    revision: t.field({
      type: 'Revision',
      description: "The revision of the host's last change.",
      resolve: ({ record }) => record.revision,
    }),
    lastReportAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: "When the host's last report with a change arrived, by the database's clock.",
      resolve: ({ record }) => record.reportedAt || null,
    }),
    lastSequence: t.field({
      type: 'SafeInt',
      nullable: true,
      description: "The sequence number of the host's last report in the log.",
      resolve: ({ record }) => record.reporters.get('compute')?.sequence ?? null,
    }),
  }),
})

const HostConnection = connectionOf('Host', Host, { withAsOf: true })

builder.objectField(Aggregate, 'hosts', (t) =>
  t.field({
    type: HostConnection,
    description: 'The member hosts with all their nodes, in the order in which they first reported.',
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
      'A host; null if no host of this name has reported. For a forgotten host, only the data that is still stored is returned. For a former name, the host that had the name is returned.',
    args: {
      name: t.arg.string({ required: true, description: "The host's name." }),
      node: t.arg.string({ description: 'The name of the node, if the host has several nodes.' }),
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
      filter: t.arg({ type: HostFilterInput, description: 'Only hosts that match this filter.' }),
      query: t.arg.string({
        description: 'A filter in the filter grammar, such as `az:z1,z2 mem.free>=64GiB -status:DISABLED` (docs/query.md).',
      }),
      orderBy: t.arg({
        type: [HostOrder],
        description:
          'At most 8 orders, the most significant first. Hosts that are equal in all of them are sorted by name. By default hosts have the order in which they first reported.',
      }),
      gone: t.arg.boolean({ defaultValue: false, description: 'True: forgotten hosts instead of present ones.' }),
      ...momentArg(),
    },
    resolve: async (_root, { at, ...args }, { hosts, fleetAt, moments }) => hosts.list(args, at ? await fleetAt(at) : moments.snapshot()),
  }),
}))

const HostChangeEvent = builder.objectRef<HostEvent>('HostChangeEvent').implement({
  description: 'A change of a host. If a reader is too slow, the stream sends the latest state of each host instead of every change.',
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
    description: 'Streams every change of hosts: reports, status, aggregates and claims.',
    args: {
      filter: t.arg({ type: HostFilterInput, description: 'Only hosts that match this filter.' }),
      query: t.arg.string({ description: 'A filter in the filter grammar, as in `Query.hosts` (docs/query.md).' }),
      after: t.arg({ type: 'Revision', description: 'The stream begins with the hosts that changed after this revision.' }),
    },
    subscribe: (_root, args, { watch, caller, over }) => watch.hosts({ ...args, keyId: caller.keyId, mayGoOn: caller.isStillKnown, over }),
    resolve: (event) => event,
  }),
)
