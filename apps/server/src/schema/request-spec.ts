import { currentSpec, demandOf } from '@gantt/scheduler-core'
import type { StoredRequestSpec } from '../services/decisions.ts'
import { readLegacySpec, readNovaSpec } from '../services/nova-import.ts'
import type { Issue } from '../services/outcome.ts'
import type { SpecDocument } from '../services/placement-input.ts'
import { specDocument } from '../services/published.ts'
import { builder } from './builder.ts'
import { KeyValueInput, toRecord, withoutNulls } from './common.ts'
import { connectionOf, pageArgs } from './connection.ts'
import { idOf } from './ids.ts'

export const GroupPolicy = builder.enumType('GroupPolicy', {
  description: 'Together or apart; the soft ones are wishes.',
  values: ['AFFINITY', 'ANTI_AFFINITY', 'SOFT_AFFINITY', 'SOFT_ANTI_AFFINITY'] as const,
})

const FlavorInput = builder.inputType('FlavorInput', {
  description: 'What one instance takes.',
  fields: (t) => ({
    name: t.string({ description: 'For people.' }),
    vcpus: t.int({ required: true, description: 'Virtual CPUs.' }),
    memoryMb: t.int({ required: true, description: 'Memory in MiB.' }),
    rootGb: t.int({ defaultValue: 0, description: 'Root disk in GiB; not counted when booting from a volume.' }),
    ephemeralGb: t.int({ defaultValue: 0, description: 'Ephemeral disk in GiB.' }),
    swapMb: t.int({ defaultValue: 0, description: 'Swap in MiB.' }),
    extraSpecs: t.field({ type: [KeyValueInput], description: 'resources:CLASS, trait:NAME, and what aggregates are asked for.' }),
  }),
})

const ImageMetaInput = builder.inputType('ImageMetaInput', {
  description: 'What the image needs of a host.',
  fields: (t) => ({
    id: t.string({ description: 'The image.' }),
    architecture: t.string({ description: 'E.g. x86_64.' }),
    minRamMb: t.int({ description: 'MiB that the flavor must have, else a call that creates, resizes or rebuilds is refused.' }),
    minDiskGb: t.int({ description: 'GiB that the root disk of the flavor must have, unless that is 0 or on a volume.' }),
    properties: t.field({ type: [KeyValueInput], description: 'E.g. img_hv_type.' }),
  }),
})

const InstanceGroupInput = builder.inputType('InstanceGroupInput', {
  description: 'The server group of the instances; its first claim binds policy and maximum.',
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', required: true, description: 'Its identity.' }),
    policy: t.field({ type: GroupPolicy, required: true, description: 'Together or apart.' }),
    maxServerPerHost: t.int({ description: 'With ANTI_AFFINITY: members that one host may hold; 1 if not given.' }),
    hosts: t.stringList({ description: 'Hosts with members that were not placed by this service.' }),
    apartFrom: t.field({
      type: ['UUID'],
      description: 'Other server groups: no host holds members of one of them and of this one, whichever came first. Since 1.3.',
    }),
  }),
})

const NumaCellInput = builder.inputType('NumaCellInput', {
  description: 'A NUMA cell of the guest.',
  fields: (t) => ({
    id: t.int({ required: true, description: "The guest's number of the cell." }),
    cpus: t.intList({ required: true, description: 'Guest CPUs; only their count matters.' }),
    memoryMb: t.int({ required: true, description: 'Memory in MiB.' }),
    cpuPolicy: t.string({ description: 'shared, dedicated or mixed; shared if not given.' }),
    dedicatedCpus: t.intList({ description: 'With mixed, and only then: the guest CPUs that get a host CPU of their own. Since 1.1.' }),
    cpuThreadPolicy: t.string({
      description: 'How dedicated CPUs use the threads of a core: prefer, isolate or require; as it comes if not given. Since 1.1.',
    }),
    pageSize: t.field({ type: 'PageSize', description: 'Pages that back the memory; not counted if not given. Since 1.1.' }),
  }),
})

const NumaRequestInput = builder.inputType('NumaRequestInput', {
  description: "How the guest is divided; each cell goes to a cell of the host's own.",
  fields: (t) => ({
    cells: t.field({ type: [NumaCellInput], required: true, description: 'The cells.' }),
    emulatorThreadsPolicy: t.string({
      description: "Where the emulator's own threads run: share or isolate; on the guest's CPUs if not given. Since 1.1.",
    }),
  }),
})

const PciSpecInput = builder.inputType('PciSpecInput', {
  description: 'Properties that a PCI device must have, all of them.',
  fields: (t) => ({ properties: t.field({ type: [KeyValueInput], required: true, description: 'E.g. vendor_id, product_id.' }) }),
})

const PciRequestInput = builder.inputType('PciRequestInput', {
  description: 'PCI devices of one kind.',
  fields: (t) => ({
    requestId: t.string({ description: 'Ties the devices to, say, a network port.' }),
    alias: t.string({ description: 'As operators named the kind of device.' }),
    count: t.int({ required: true, description: 'How many.' }),
    specs: t.field({ type: [PciSpecInput], required: true, description: 'Alternatives: a device that fits one of them will do.' }),
    numaPolicy: t.string({
      description: "How near to the guest's cells they must be: legacy, required, preferred or socket; legacy if not given.",
    }),
  }),
})

const ForceVerify = builder.enumType('ForceVerify', {
  description: 'Which filters run on hosts that a request forces.',
  values: {
    ALL: { description: 'All.' },
    HARD: { description: 'Those of what cannot be otherwise: fit of every kind, ComputeFilter, server groups.' },
    NONE: { description: 'None but what every claim needs.' },
  } as const,
})

const GpuRequestInput = builder.inputType('GpuRequestInput', {
  description: 'GPUs, whole or shares of them.',
  fields: (t) => ({
    count: t.int({ required: true, defaultValue: 1, description: 'How many.' }),
    shareMilli: t.int({ required: true, defaultValue: 1_000, description: 'Thousandths of each; 1000 = whole.' }),
    models: t.stringList({ description: 'Models that will do; none = any.' }),
    numaPolicy: t.string({
      description:
        "How near to the guest's cells they must be: required (in one of them) or preferred (there if all can be); anywhere if not given. Since 1.3.",
    }),
  }),
})

const ResourceAmountInput = builder.inputType('ResourceAmountInput', {
  description: 'Whole units of one resource class.',
  fields: (t) => ({
    resourceClass: t.string({ required: true, description: 'The class.' }),
    amount: t.field({ type: 'SafeInt', required: true, description: 'How many units.' }),
  }),
})

const ResourceGroupInput = builder.inputType('ResourceGroupInput', {
  description: 'More resources and traits.',
  fields: (t) => ({
    suffix: t.string({ defaultValue: '', description: 'Must be empty: groups that are told apart need several providers on a host.' }),
    amounts: t.field({ type: [ResourceAmountInput], required: true, description: 'Per class.' }),
    requiredTraits: t.stringList({ description: 'The host has all of them.' }),
    forbiddenTraits: t.stringList({ description: 'The host has none of them.' }),
    memberOf: t.stringList({ description: 'Aggregates (uuid); the host is in at least one.' }),
  }),
})

const DestinationInput = builder.inputType('DestinationInput', {
  description: 'Where it should go.',
  fields: (t) => ({
    host: t.string({ description: 'Only this host.' }),
    node: t.string({ description: 'Only this node.' }),
    aggregates: t.stringList({ description: 'Aggregates (uuid); the host is in at least one.' }),
    forbiddenAggregates: t.stringList({ description: 'Aggregates (uuid); the host is in none of them. Since 1.1.' }),
  }),
})

const HintInput = builder.inputType('HintInput', {
  description: "A scheduler hint, in Nova's words.",
  fields: (t) => ({
    key: t.string({ required: true, description: 'E.g. different_host.' }),
    values: t.stringList({ required: true, description: 'Its values.' }),
  }),
})

const GangMemberInput = builder.inputType('GangMemberInput', {
  description: 'Instances of another kind beside those of flavor.',
  fields: (t) => ({
    name: t.string({ description: 'For people, e.g. worker.' }),
    instances: t.int({ required: true, description: 'How many of numInstances are of this kind.' }),
    flavor: t.field({ type: FlavorInput, required: true, description: 'What one of them takes.' }),
    numaTopology: t.field({ type: NumaRequestInput, description: 'How the guest is divided.' }),
    gpus: t.field({ type: GpuRequestInput, description: 'GPUs.' }),
    pciRequests: t.field({ type: [PciRequestInput], description: 'PCI devices.' }),
    requestedResources: t.field({ type: [ResourceGroupInput], description: 'More resources and traits.' }),
  }),
})

const TopologySpreadInput = builder.inputType('TopologySpreadInput', {
  description: 'How the members of the server group stand in the domains of a topology.',
  fields: (t) => ({
    topologyKey: t.string({ required: true, description: 'host, zone, or a metadata key of aggregates.' }),
    maxSkew: t.int({ description: 'How many more members a domain may hold than the one that holds fewest.' }),
    maxPerDomain: t.int({ description: 'How many members a domain may hold.' }),
  }),
})

const RequestSpecInput = builder.inputType('RequestSpecInput', {
  description: 'What is to be placed, in our own typed form.',
  fields: (t) => ({
    version: t.string({ description: 'Version of this form: 1.0, 1.1 or 1.2; the newest if not given.' }),
    instanceUuids: t.field({ type: ['UUID'], description: 'Names the instances; their number is numInstances.' }),
    numInstances: t.int({ description: '1 to 1000; 1 if neither this nor instanceUuids is given.' }),
    projectId: t.string({ description: 'Whose.' }),
    userId: t.string({ description: 'Whose.' }),
    flavor: t.field({ type: FlavorInput, required: true, description: 'What one instance takes.' }),
    image: t.field({ type: ImageMetaInput, description: 'What the image needs.' }),
    availabilityZone: t.string({ description: 'Only hosts of this zone.' }),
    instanceGroup: t.field({ type: InstanceGroupInput, description: 'Together with, or apart from, others.' }),
    numaTopology: t.field({ type: NumaRequestInput, description: 'How the guest is divided.' }),
    gpus: t.field({ type: GpuRequestInput, description: 'GPUs.' }),
    pciRequests: t.field({ type: [PciRequestInput], description: 'PCI devices. Since 1.1.' }),
    requestedResources: t.field({ type: [ResourceGroupInput], description: 'More resources and traits.' }),
    requestedDestination: t.field({ type: DestinationInput, description: 'Where it should go.' }),
    forceHosts: t.stringList({ description: 'Only these hosts; the filters still run.' }),
    forceNodes: t.stringList({ description: 'Only these nodes; the filters still run.' }),
    forceVerify: t.field({ type: ForceVerify, description: 'Which filters run on forced hosts; ALL if not given. Since 1.1.' }),
    ignoreHosts: t.stringList({ description: 'Not these hosts.' }),
    schedulerHints: t.field({ type: [HintInput], description: "Hints in Nova's words." }),
    gang: t.field({
      type: [GangMemberInput],
      description: 'Instances of other kinds: the last of numInstances, in this order; all are placed or none. Since 1.2.',
    }),
    topologySpread: t.field({ type: [TopologySpreadInput], description: 'Spread of instanceGroup over domains. Since 1.2.' }),
    volumes: t.field({ type: ['UUID'], description: 'Volumes that an instance boots from or is given. Since 1.3.' }),
    ports: t.field({ type: ['UUID'], description: 'Ports that an instance is given. Since 1.3.' }),
    nearVolumesAndPorts: t.boolean({
      description: 'Placed near its volumes and ports by itself, where documents tell where they are; true if not given. Since 1.3.',
    }),
    isBfv: t.boolean({ defaultValue: false, description: 'Boots from a volume: the root disk takes nothing from the host.' }),
  }),
})

export const SpecInput = builder.inputType('SpecInput', {
  description: 'A request in one of the forms that are known.',
  isOneOf: true,
  fields: (t) => ({
    gantt: t.field({ type: RequestSpecInput, description: 'Our own typed form.' }),
    nova: t.field({
      type: 'JSON',
      description:
        "Nova's RequestSpec in its wire form, versions 1.0 to 1.14, alone or as { spec, instance_uuids }. Kept as it came, beside the typed form made of it: Nova's rules tell unset from null.",
    }),
    legacy: t.field({
      type: 'JSON',
      description: 'The dictionaries from before there was a RequestSpec object: { request_spec, filter_properties }.',
    }),
  }),
})

/** A request as core reads it: maps instead of lists of pairs, nothing where GraphQL has null. */
export function toSpecDocument({ gantt, nova, legacy }: Partial<typeof SpecInput.$inferInput>, path: readonly string[]): SpecDocument {
  if (nova !== undefined && nova !== null) return readNovaSpec(nova, [...path, 'nova'])
  if (legacy !== undefined && legacy !== null) return readLegacySpec(legacy, [...path, 'legacy'])
  const at = [...path, 'gantt']
  const issues: Issue[] = []
  const map = <Value>(pairs: readonly { readonly key: string; readonly value: Value }[] | null | undefined, field: readonly string[]) =>
    toRecord(pairs, [...at, ...field], issues)
  if (!gantt) return { document: undefined, issues, path: at }
  const { flavor, image, schedulerHints, pciRequests, gang, ...rest } = gantt
  const hints = schedulerHints?.map(({ key, values }) => ({ key, value: values }))
  const toPci = (requests: typeof pciRequests, field: readonly string[]) =>
    requests?.map(({ specs, ...request }, i) => ({
      ...request,
      specs: specs.map(({ properties }, j) => map(properties, [...field, 'pciRequests', String(i), 'specs', String(j), 'properties'])),
    }))
  const members = gang?.map(({ flavor: own, pciRequests: devices, ...member }, i) => ({
    ...member,
    flavor: { ...own, extraSpecs: map(own.extraSpecs, ['gang', String(i), 'flavor', 'extraSpecs']) },
    pciRequests: toPci(devices, ['gang', String(i)]),
  }))
  const parts = {
    ...rest,
    pciRequests: toPci(pciRequests, []),
    gang: members,
    flavor: { ...flavor, extraSpecs: map(flavor.extraSpecs, ['flavor', 'extraSpecs']) },
    image: image ? { ...image, properties: map(image.properties, ['image', 'properties']) } : undefined,
    schedulerHints: map(hints, ['schedulerHints']),
  }
  return { document: withoutNulls(parts), issues, path: at }
}

export const RequestSpec = builder.objectRef<StoredRequestSpec>('RequestSpec')

builder.node(RequestSpec, {
  description: 'A request as it was asked, kept once however often it is asked.',
  id: { resolve: ({ id }) => id, description: 'Global id.' },
  loadOne: (id, { decisions }) => decisions.findSpec(id),
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Version of its form: the oldest that says all of it.' }),
    numInstances: t.int({ description: 'How many instances.', resolve: ({ document }) => document.numInstances }),
    flavorName: t.string({ nullable: true, description: 'As the caller named it.', resolve: ({ document }) => document.flavor.name }),
    vcpus: t.int({ description: 'Per instance.', resolve: ({ document }) => demandOf(currentSpec(document)).vcpus }),
    memoryMb: t.int({ description: 'MiB per instance.', resolve: ({ document }) => demandOf(currentSpec(document)).memoryMib }),
    diskGb: t.int({ description: 'GiB per instance.', resolve: ({ document }) => demandOf(currentSpec(document)).diskGib }),
    projectId: t.string({ nullable: true, description: 'Whose.', resolve: ({ document }) => document.projectId }),
    availabilityZone: t.string({
      nullable: true,
      description: 'The zone asked for.',
      resolve: ({ document }) => document.availabilityZone,
    }),
    document: t.field({
      type: 'JSON',
      description: 'All of it (docs/request-spec.md).',
      args: { version: t.arg.string({ description: 'In this version; if not given, in the oldest that says all of it.' }) },
      resolve: ({ document }, { version }) => specDocument(document, version ?? null),
    }),
    digest: t.exposeString('id', { description: 'sha256 of the canonical document.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Store time at which it was first asked.' }),
  }),
})

const RequestSpecConnection = connectionOf('RequestSpec', RequestSpec)

builder.queryFields((t) => ({
  requestSpec: t.field({
    type: RequestSpec,
    nullable: true,
    authScopes: { scope: 'READ' },
    description: 'Null when it was never asked.',
    args: { id: t.arg.id({ required: true, description: 'Its global id.' }) },
    resolve: (_root, { id }, { decisions }) => decisions.findSpec(idOf('RequestSpec', id, ['id'])),
  }),
  requestSpecs: t.field({
    type: RequestSpecConnection,
    authScopes: { scope: 'READ' },
    description: 'Requests as they were asked, newest first.',
    args: pageArgs(),
    resolve: (_root, args, { decisions }) => decisions.listSpecs(args),
  }),
}))
