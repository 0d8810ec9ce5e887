import type { HostView, NumaCellView, NumaPagesView, PciPoolView, ResourceUsage as Usage } from '../../services/host/host-view.ts'
import { builder } from '../builder.ts'
import { KeyValue, toPairs } from '../types/common.ts'
import { Claim } from '../types/refs.ts'
import { AllocationOrigin } from './allocation.ts'

export const ResourceUsage = builder.objectRef<Usage>('ResourceUsage').implement({
  description: 'Amounts of one resource class. free = floor((total - reserved) x allocationRatio) - used - claimed.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'Name of the resource class.' }),
    total: t.expose('total', { type: 'SafeInt', description: 'Amount in all, as the host reported it.' }),
    reserved: t.expose('reserved', { type: 'SafeInt', description: 'The amount that is reserved for the host itself.' }),
    allocationRatio: t.exposeFloat('allocationRatio', { description: 'How many times over the class may be allocated.' }),
    ratioFrom: t.field({ type: AllocationOrigin, description: 'The source of the ratio.', resolve: (usage) => usage.ratioFrom() }),
    reservedFrom: t.field({
      type: AllocationOrigin,
      description: 'The source of the reserved amount.',
      resolve: (usage) => usage.reservedFrom(),
    }),
    capacity: t.expose('capacity', { type: 'SafeInt', description: 'The amount that can be allocated in total, overcommit included.' }),
    used: t.expose('used', { type: 'SafeInt', description: "The used amount by the host's report." }),
    claimed: t.expose('claimed', { type: 'SafeInt', description: 'Held by claims that the report does not count.' }),
    free: t.expose('free', {
      type: 'SafeInt',
      description: 'The amount that can still be allocated; below 0 after a report that shrank the host.',
    }),
  }),
})

const HostNumaPages = builder.objectRef<NumaPagesView>('HostNumaPages').implement({
  description: 'Memory pages of one size in a NUMA cell. total = reserved + used + free.',
  fields: (t) => ({
    sizeKib: t.expose('sizeKib', { type: 'SafeInt', description: 'Size of a page, in KiB.' }),
    total: t.expose('total', { type: 'SafeInt', description: 'The number of pages of this size, as reported.' }),
    reserved: t.expose('reserved', { type: 'SafeInt', description: 'The number of pages that are reserved for the host itself.' }),
    used: t.expose('used', { type: 'SafeInt', description: 'The number of pages that are used, as reported, or claimed.' }),
    free: t.expose('free', { type: 'SafeInt', description: 'Pages still free; below 0 after a report that shrank the cell.' }),
  }),
})

const HostNumaCell = builder.objectRef<NumaCellView>('HostNumaCell').implement({
  description: 'A NUMA cell of a host.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'The number of the cell on the host.' }),
    cpus: t.field({ type: ['Int'], description: 'Host CPUs of the cell.', resolve: ({ cpus }) => [...cpus] }),
    dedicated: t.field({
      type: ['Int'],
      nullable: true,
      description: 'Host CPUs that can be dedicated to instances, from `cpus` or in addition to them; null: any of `cpus`.',
      resolve: ({ dedicated }) => (dedicated === null ? null : [...dedicated]),
    }),
    pinned: t.field({ type: ['Int'], description: 'CPUs that are dedicated to one instance.', resolve: ({ pinned }) => [...pinned] }),
    cpusUsed: t.exposeInt('cpusUsed', {
      description: 'Shared CPUs used or claimed; they run on any of `cpus` that are not dedicated.',
    }),
    cpusFree: t.exposeInt('cpusFree', { description: 'Shared CPUs still free, overcommit included.' }),
    memoryMb: t.exposeInt('memoryMb', { description: 'The memory that can be allocated, MiB, overcommit included.' }),
    memoryUsedMb: t.exposeInt('memoryUsedMb', { description: 'The used or claimed memory, MiB.' }),
    memoryFreeMb: t.exposeInt('memoryFreeMb', { description: 'The free memory, MiB.' }),
    pages: t.field({
      type: [HostNumaPages],
      description: 'The memory pages by size, smallest first; empty if the host does not report them.',
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
    index: t.exposeInt('index', { description: "The host's number of the device." }),
    model: t.exposeString('model', { nullable: true, description: 'Model as the host reported it.' }),
    numaNode: t.exposeInt('numaNode', { nullable: true, description: 'The nearest NUMA cell, as reported; null if not known.' }),
    freeMilli: t.exposeInt('freeMilli', { description: 'The free thousandths; 1000 = idle.' }),
  }),
})

const HostPciHolder = builder.objectRef<PciPoolView['holders'][number]>('HostPciHolder').implement({
  description: 'A live claim that holds devices of a PCI pool.',
  fields: (t) => ({
    claim: t.expose('claim', { type: Claim, description: 'The claim that holds the devices.' }),
    count: t.exposeInt('count', { description: 'The number of devices that it holds of this pool.' }),
  }),
})

export const HostPciPool = builder.objectRef<PciPoolView>('HostPciPool').implement({
  description: 'Equal PCI devices of a host: one model, near one NUMA cell, with the same tags.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The name of the pool, as in Claim.pciDevices.' }),
    vendorId: t.exposeString('vendorId', { description: "PCI vendor, four hexadecimal digits in Nova's reports." }),
    productId: t.exposeString('productId', { description: "PCI product, four hexadecimal digits in Nova's reports." }),
    deviceType: t.exposeString('deviceType', { nullable: true, description: 'E.g. type-PCI, type-PF, type-VF; null if not reported.' }),
    numaNode: t.exposeInt('numaNode', { nullable: true, description: 'The cell that the devices are near; null if not known.' }),
    tags: t.field({ type: [KeyValue], description: 'Further properties, e.g. physical_network.', resolve: ({ tags }) => toPairs(tags) }),
    total: t.expose('total', { type: 'SafeInt', description: 'The number of devices, as reported.' }),
    used: t.expose('used', {
      type: 'SafeInt',
      nullable: true,
      description: "The used devices by the host's report; null if the report leaves the count to claims.",
    }),
    free: t.expose('free', { type: 'SafeInt', description: 'Neither used nor claimed; below 0 after a report that removes some.' }),
    holders: t.field({
      type: [HostPciHolder],
      description:
        'Live claims that hold devices of the pool, oldest first; devices of a materialised claim that the report counts are in `used` too.',
      resolve: ({ holders }) => [...holders],
    }),
  }),
})
