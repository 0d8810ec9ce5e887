import type { HostView, NumaCellView, NumaPagesView, PciPoolView, ResourceUsage as Usage } from '../../services/host/host-view.ts'
import { builder } from '../builder.ts'
import { KeyValue, toPairs } from '../types/common.ts'
import { Claim } from '../types/refs.ts'
import { AllocationOrigin } from './allocation.ts'

export const ResourceUsage = builder.objectRef<Usage>('ResourceUsage').implement({
  description: 'Amounts of one resource class. free = floor((total - reserved) x allocationRatio) - used - claimed.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'Name of the resource class.' }),
    total: t.expose('total', { type: 'SafeInt', description: 'The total amount, as the host reported it.' }),
    reserved: t.expose('reserved', { type: 'SafeInt', description: 'The amount that is reserved for the host itself.' }),
    allocationRatio: t.exposeFloat('allocationRatio', {
      description: 'The allocation ratio: the factor by which the resource class is overcommitted.',
    }),
    ratioFrom: t.field({
      type: AllocationOrigin,
      description: 'The source of the allocation ratio, who set it, and when.',
      resolve: (usage) => usage.ratioFrom(),
    }),
    reservedFrom: t.field({
      type: AllocationOrigin,
      description: 'The source of the reserved amount, who set it, and when.',
      resolve: (usage) => usage.reservedFrom(),
    }),
    capacity: t.expose('capacity', { type: 'SafeInt', description: 'The amount that can be allocated in total, overcommit included.' }),
    used: t.expose('used', { type: 'SafeInt', description: "The amount that is used, according to the host's report." }),
    claimed: t.expose('claimed', {
      type: 'SafeInt',
      description: 'The amount that claims hold and the report of the host does not count yet.',
    }),
    free: t.expose('free', {
      type: 'SafeInt',
      description: 'The amount that can still be allocated; below 0 if a report made the host smaller than what is allocated.',
    }),
  }),
})

const HostNumaPages = builder.objectRef<NumaPagesView>('HostNumaPages').implement({
  description: 'Memory pages of one size in a NUMA cell. total = reserved + used + free.',
  fields: (t) => ({
    sizeKib: t.expose('sizeKib', { type: 'SafeInt', description: 'The size of a page, in KiB.' }),
    total: t.expose('total', { type: 'SafeInt', description: 'How many pages of this size the cell has, as reported.' }),
    reserved: t.expose('reserved', { type: 'SafeInt', description: 'How many pages are reserved for the host itself.' }),
    used: t.expose('used', { type: 'SafeInt', description: "How many pages are used, according to the host's report or to claims." }),
    free: t.expose('free', {
      type: 'SafeInt',
      description: 'How many pages are free; below 0 if a report made the cell smaller than what is allocated.',
    }),
  }),
})

const HostNumaCell = builder.objectRef<NumaCellView>('HostNumaCell').implement({
  description: 'A NUMA cell of a host.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'The id of the cell on the host.' }),
    cpus: t.field({ type: ['Int'], description: 'Host CPUs of the cell.', resolve: ({ cpus }) => [...cpus] }),
    dedicated: t.field({
      type: ['Int'],
      nullable: true,
      description:
        'Host CPUs that can be dedicated to instances. They may be in `cpus` or additional to it. Null if any CPU in `cpus` can be dedicated.',
      resolve: ({ dedicated }) => (dedicated === null ? null : [...dedicated]),
    }),
    pinned: t.field({
      type: ['Int'],
      description: 'Host CPUs that are dedicated to an instance now.',
      resolve: ({ pinned }) => [...pinned],
    }),
    cpusUsed: t.exposeInt('cpusUsed', {
      description: 'How many shared CPUs of the cell are used or claimed. They run on any CPU in `cpus` that is not dedicated.',
    }),
    cpusFree: t.exposeInt('cpusFree', { description: 'How many shared CPUs of the cell are free, overcommit included.' }),
    memoryMb: t.exposeInt('memoryMb', { description: 'The memory of the cell that can be allocated, in MiB, overcommit included.' }),
    memoryUsedMb: t.exposeInt('memoryUsedMb', { description: 'The memory of the cell that is used or claimed, in MiB.' }),
    memoryFreeMb: t.exposeInt('memoryFreeMb', { description: 'The free memory of the cell, in MiB.' }),
    pages: t.field({
      type: [HostNumaPages],
      description: 'The memory pages of the cell by page size, smallest first; empty if the host does not report them.',
      resolve: ({ pages }) => [...pages],
    }),
  }),
})

export const HostNuma = builder.objectRef<readonly NumaCellView[]>('HostNuma').implement({
  description: 'The NUMA topology of a host.',
  fields: (t) => ({ cells: t.field({ type: [HostNumaCell], description: 'NUMA cells of the host.', resolve: (cells) => [...cells] }) }),
})

export const HostGpu = builder.objectRef<HostView['record']['gpus'][number]>('HostGpu').implement({
  description: 'A GPU of a host.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'The index of the GPU on the host.' }),
    model: t.exposeString('model', { nullable: true, description: 'The model of the GPU, as the host reported it.' }),
    numaNode: t.exposeInt('numaNode', {
      nullable: true,
      description: 'The id of the NUMA cell that the GPU is near, as reported; null if not known.',
    }),
    freeMilli: t.exposeInt('freeMilli', { description: 'The free share of the GPU, in thousandths; 1000 means that the GPU is idle.' }),
  }),
})

const HostPciHolder = builder.objectRef<PciPoolView['holders'][number]>('HostPciHolder').implement({
  description: 'A live claim that holds devices of a PCI pool.',
  fields: (t) => ({
    claim: t.expose('claim', { type: Claim, description: 'The claim that holds the devices.' }),
    count: t.exposeInt('count', { description: 'How many devices of the pool the claim holds.' }),
  }),
})

export const HostPciPool = builder.objectRef<PciPoolView>('HostPciPool').implement({
  description: 'Equal PCI devices of a host. They have the same model and tags, and are near the same NUMA cell.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The name of the pool, as in Claim.pciDevices.' }),
    vendorId: t.exposeString('vendorId', { description: "The PCI vendor id; four hexadecimal digits in Nova's reports." }),
    productId: t.exposeString('productId', { description: "The PCI product id; four hexadecimal digits in Nova's reports." }),
    deviceType: t.exposeString('deviceType', {
      nullable: true,
      description: 'The type of the devices, e.g. type-PCI, type-PF or type-VF; null if not reported.',
    }),
    numaNode: t.exposeInt('numaNode', {
      nullable: true,
      description: 'The id of the NUMA cell that the devices are near; null if not known.',
    }),
    tags: t.field({ type: [KeyValue], description: 'Further properties, e.g. physical_network.', resolve: ({ tags }) => toPairs(tags) }),
    total: t.expose('total', { type: 'SafeInt', description: 'How many devices the pool has, as reported.' }),
    used: t.expose('used', {
      type: 'SafeInt',
      nullable: true,
      description:
        "How many devices are used, according to the host's report; null if the report does not state it, so that only claims are counted.",
    }),
    free: t.expose('free', {
      type: 'SafeInt',
      description: 'How many devices are neither used nor claimed; below 0 if a report removed devices that are allocated.',
    }),
    holders: t.field({
      type: [HostPciHolder],
      description:
        'Live claims that hold devices of the pool, oldest first. Devices of a materialised claim that the report counts are included in `used` too.',
      resolve: ({ holders }) => [...holders],
    }),
  }),
})
