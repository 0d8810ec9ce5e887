import type { Fleet } from '../../fleet/fleet.ts'
import { at } from '../../hosts/columns.ts'
import type { HostRecord } from '../../hosts/hosts.ts'
import { aggregatesOf, groupFrom, instancesOf, livenessOf, namespaceSource, reportOf, statusOf } from '../../hosts/sources.ts'
import { collectors } from '../../namespace/facts/collectors.ts'
import { hostStatuses } from '../../records/change.ts'
import type { Code } from '../../text/codes.ts'
import {
  type Fact,
  fromExtraSpec,
  fromHint,
  fromImage,
  fromOption,
  fromRequest,
  fromRule,
  type Source,
  type Term,
} from '../../text/evidence.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'

/** A refusal of a host by one of Nova's filters, with everything that the filter read. */
export interface NovaRefusal {
  readonly filter: string
  readonly reason: Reason
  readonly host: HostState
  readonly record: HostRecord
  readonly fleet: Fleet
  readonly request: NovaRequest
}

/** The facts of a refusal: the needed and the available value, each with the source from which Nova's filter read it. */
export function novaFactsOf(refusal: NovaRefusal): readonly Fact[] {
  const { subject = refusal.filter, need, have, unit } = refusal.reason
  const [requiredFrom, actualFrom, terms] = (sidesBy[refusal.filter] ?? unknownSides)(refusal)
  return [
    {
      subject,
      ...(need !== undefined && { required: need }),
      ...(have !== undefined && { actual: have }),
      ...(unit !== undefined && { unit }),
      ...(isOfTotal(refusal.reason.code) && { amountOf: 'in total' as const }),
      requiredFrom,
      actualFrom,
      ...(terms !== undefined && { terms }),
    },
  ]
}

/** Returns true for the codes that compare an amount with the host's total. Other codes with `too` are about counts, such as instances. */
const isOfTotal = (code: Code): boolean => /\.too_(?:little|few)/.test(code)

/**
 * Returns the sources of the needed and the available value. If the available value is computed, the terms of the computation are returned
 * too.
 */
type Sides = (refusal: NovaRefusal) => readonly [need: Source, have: Source, terms?: readonly Term[]]

const unknownSides: Sides = ({ filter }) => [fromRule(`as ${filter} says`), fromRule(`as ${filter} says`)]

/** The host's own report. */
const report = ({ record }: NovaRefusal): Source => reportOf(record)

/** The source of a value from the metadata of the host's aggregates. If no aggregate has the key, the source is the default. */
const aggregate =
  (key: string) =>
  ({ host }: NovaRefusal): Source =>
    aggregatesOf(host.aggregates, key)

const setsMetadata = ({ aggregates }: HostState, key: string): boolean => aggregates.some(({ metadata }) => Object.hasOwn(metadata, key))

/** The source of a value from an option. If an aggregate of the host overrides the option, the source is the aggregate. */
const aggregateOrOption =
  (key: string) =>
  ({ host }: NovaRefusal): Source =>
    setsMetadata(host, key) ? aggregatesOf(host.aggregates, key) : fromOption(key)

/** The extra spec that a reason is about. The flavor has it with or without a scope. */
function extraSpecOf({ reason: { subject = '' }, request: { flavor } }: NovaRefusal, scope: string): Source {
  const key = [subject, `${scope}:${subject}`].find((name) => Object.hasOwn(flavor.extraSpecs ?? {}, name))
  return fromExtraSpec(key ?? subject)
}

const group =
  (what: string): Sides =>
  (refusal) => [groupFrom(refusal.request.instanceGroup?.uuid ?? 'n/a', what), report(refusal)]

/** For filters that compare an amount of the flavor with the free amount, which is total x ratio minus the usage by report and claims. */
const room =
  (field: string, ratioKey: string, amounts: (host: HostState) => { readonly total: number; readonly taken: number }): Sides =>
  (refusal) => {
    const { host, reason, filter } = refusal
    const { total, taken } = amounts(host)
    const from = report(refusal)
    const term = (name: string, value: number, source = from): Term => ({ name, value, from: source })
    const have = typeof reason.have === 'number' ? reason.have : 0
    const isByAggregate = filter.startsWith('Aggregate') && setsMetadata(host, ratioKey)
    const isOption = reason.source?.startsWith('option ') === true
    const ratioFrom = isByAggregate ? aggregatesOf(host.aggregates, ratioKey) : isOption ? fromOption(ratioKey) : from
    // If the need exceeds the host's total, the ratio is not part of the explanation.
    if (isOfTotal(reason.code)) return [fromRequest(field), from, [term('total', have)]]
    // The rule is: total x ratio - taken = have.
    return [fromRequest(field), from, [term('total x ratio', have + taken, ratioFrom), term('total', total), term('taken', taken)]]
  }

const exactly =
  (field: string): Sides =>
  (refusal) => [fromRequest(field), report(refusal)]

const cores = room('flavor.vcpus', 'cpu_allocation_ratio', ({ vcpusTotal, vcpusUsed }) => ({ total: vcpusTotal, taken: vcpusUsed }))
const memory = room('flavor.memoryMb', 'ram_allocation_ratio', ({ totalUsableRamMb, freeRamMb }) => ({
  total: totalUsableRamMb,
  taken: totalUsableRamMb - freeRamMb,
}))
const disk = room('flavor.rootGb + ephemeralGb + swapMb', 'disk_allocation_ratio', ({ totalUsableDiskGb, freeDiskMb }) => ({
  total: totalUsableDiskGb * 1_024,
  taken: totalUsableDiskGb * 1_024 - freeDiskMb,
}))

/** The sources for ComputeFilter. The state comes from an operator, from the host's liveness, or from a report in Nova's form. */
const service: Sides = (refusal) => {
  const { record, fleet, reason } = refusal
  const { status, liveness } = fleet.hosts.columns
  const reported: Source = { ...report(refusal), kind: 'service' }
  if (reason.code === 'host.disabled')
    return [fromRule('the service must be enabled'), hostStatuses[at(status, record.index)] === 'ENABLED' ? reported : statusOf(record)]
  if (reason.unit === 's') return [fromOption('service_down_time'), reported]
  return [fromRule('the service must be up'), at(liveness, record.index) === 2 ? livenessOf(record) : reported]
}

/** How to find the sources, for each filter by name. A test checks that no filter of Nova is missing. */
export const sidesBy: Readonly<Record<string, Sides>> = {
  AggregateImagePropertiesIsolation: (refusal) => [
    fromImage(refusal.reason.subject ?? ''),
    aggregate(refusal.reason.subject ?? '')(refusal),
  ],
  AggregateInstanceExtraSpecsFilter: (refusal) => [
    extraSpecOf(refusal, 'aggregate_instance_extra_specs'),
    aggregate(refusal.reason.subject ?? '')(refusal),
  ],
  AggregateIoOpsFilter: (refusal) => [aggregateOrOption('max_io_ops_per_host')(refusal), report(refusal)],
  AggregateMultiTenancyIsolation: (refusal) => [fromRequest('projectId'), aggregate('filter_tenant_id')(refusal)],
  AggregateNumInstancesFilter: (refusal) => [aggregateOrOption('max_instances_per_host')(refusal), instancesOf(refusal.record)],
  AggregateTypeAffinityFilter: (refusal) => [fromRequest('flavor.name'), aggregate('instance_type')(refusal)],
  AvailabilityZoneFilter: (refusal) => [
    fromRequest('availabilityZone'),
    setsMetadata(refusal.host, 'availability_zone') ? aggregate('availability_zone')(refusal) : fromOption('default_availability_zone'),
  ],
  ComputeCapabilitiesFilter: (refusal) => [extraSpecOf(refusal, 'capabilities'), report(refusal)],
  ComputeFilter: service,
  DifferentHostFilter: ({ record }) => [fromHint('different_host'), instancesOf(record)],
  ImagePropertiesFilter: (refusal) => [
    fromImage(refusal.reason.code === 'image.version' ? 'img_hv_requested_version' : 'hw_architecture, img_hv_type, hw_vm_mode'),
    report(refusal),
  ],
  IoOpsFilter: (refusal) => [fromOption('max_io_ops_per_host'), report(refusal)],
  IsolatedHostsFilter: (refusal) =>
    refusal.reason.code === 'isolation.image'
      ? [fromOption('isolated_images and isolated_hosts'), report(refusal)]
      : [fromOption('isolated_hosts and isolated_images'), fromRequest('image.id')],
  JsonFilter: (refusal) => [fromHint('query'), report(refusal)],
  MetricsFilter: (refusal) => [fromOption('metrics.weight_setting'), report(refusal)],
  NumInstancesFilter: ({ record }) => [fromOption('max_instances_per_host'), instancesOf(record)],
  NUMATopologyFilter: (refusal) => [fromRequest('numaTopology'), report(refusal)],
  PciPassthroughFilter: (refusal) => [fromRequest('pciRequests'), report(refusal)],
  SameHostFilter: ({ record }) => [fromHint('same_host'), instancesOf(record)],
  ServerGroupAffinityFilter: group('affinity'),
  ServerGroupAntiAffinityFilter: (refusal) => [
    groupFrom(refusal.request.instanceGroup?.uuid ?? 'n/a', refusal.reason.source ?? 'anti-affinity'),
    instancesOf(refusal.record),
  ],
  SimpleCIDRAffinityFilter: (refusal) => [fromHint('build_near_host_ip'), report(refusal)],
  AggregateCoreFilter: cores,
  CoreFilter: cores,
  ExactCoreFilter: exactly('flavor.vcpus'),
  AggregateDiskFilter: disk,
  DiskFilter: disk,
  ExactDiskFilter: exactly('flavor.rootGb + ephemeralGb + swapMb'),
  AggregateRamFilter: memory,
  RamFilter: memory,
  ExactRamFilter: exactly('flavor.memoryMb'),
  GroupAffinityFilter: group('legacy'),
  GroupAntiAffinityFilter: group('legacy'),
  RetryFilter: (refusal) => [fromRequest('retry.hosts'), report(refusal)],
  TrustedFilter: ({ reason, record, host }) => [
    fromExtraSpec('trust:trusted_host'),
    reason.code === 'namespace.not_sent' ? namespaceSource(collectors.name, record) : { kind: 'attestation', ref: host.node },
  ],
  TypeAffinityFilter: ({ record }) => [fromRequest('flavor'), instancesOf(record)],
}
