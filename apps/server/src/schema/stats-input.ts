import { builder } from './builder.ts'
import { KeyValueInput } from './common.ts'
import { OmittableField } from './required-stats.ts'

const SupportedInstanceInput = builder.inputType('SupportedInstanceInput', {
  description: 'A kind of instance that the host can run.',
  fields: (t) => ({
    arch: t.string({ required: true, description: 'E.g. x86_64.' }),
    hvType: t.string({ required: true, description: 'E.g. kvm.' }),
    vmMode: t.string({ required: true, description: 'E.g. hvm.' }),
  }),
})

const CpuInfoInput = builder.inputType('CpuInfoInput', {
  description: "The host's CPUs.",
  fields: (t) => ({
    arch: t.string({ description: 'Architecture.' }),
    vendor: t.string({ description: 'Vendor.' }),
    model: t.string({ description: 'Model.' }),
    features: t.stringList({ description: 'Flags.' }),
    sockets: t.int({ description: 'Sockets.' }),
    cores: t.int({ description: 'Cores per socket.' }),
    threads: t.int({ description: 'Threads per core.' }),
  }),
})

const MetricInput = builder.inputType('MetricInput', {
  description: 'A measurement.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'E.g. cpu.percent.' }),
    value: t.float({ required: true, description: 'The number.' }),
    timestamp: t.string({ required: true, description: 'When, RFC 3339.' }),
    source: t.string({ description: 'Who measured.' }),
  }),
})

const MemoryPagesInput = builder.inputType('MemoryPagesInput', {
  description: 'Memory pages of one size.',
  fields: (t) => ({
    sizeKib: t.int({ required: true, description: 'Size of a page in KiB.' }),
    total: t.field({ type: 'SafeInt', required: true, description: 'Pages of this size.' }),
    used: t.field({ type: 'SafeInt', description: 'In use by running instances; not given: counted by claims.' }),
    reserved: t.field({ type: 'SafeInt', description: 'Kept back for the host itself; 0 if not given.' }),
  }),
})

const HostNumaCellInput = builder.inputType('HostNumaCellInput', {
  description: 'A NUMA cell of the host.',
  fields: (t) => ({
    id: t.int({ required: true, description: "The host's number of the cell." }),
    cpuset: t.intList({ required: true, description: 'Host CPUs of the cell.' }),
    pinnedCpus: t.intList({ description: 'CPUs given to running instances for themselves; not given: counted by claims.' }),
    cpuUsage: t.int({ description: 'Shared CPUs in use by running instances; not given: counted by claims.' }),
    memoryMb: t.int({ required: true, description: 'MiB.' }),
    memoryUsageMb: t.int({ description: 'MiB in use by running instances; not given: counted by claims.' }),
    siblings: t.field({
      type: t.listRef(t.listRef('Int')),
      description: 'CPUs that are threads of one core, core by core; those in none are cores of their own. Since 1.1.',
    }),
    pages: t.field({ type: [MemoryPagesInput], description: 'Memory pages, each size once. Since 1.1.' }),
    dedicatedCpuset: t.intList({ description: 'CPUs that instances may be given for themselves; any if not given. Since 1.1.' }),
    socket: t.int({ description: 'The socket of the cell. Since 1.1.' }),
    physicalNetworks: t.stringList({ description: 'Physical networks that are near. Since 1.1.' }),
  }),
})

const GpuInput = builder.inputType('GpuInput', {
  description: 'A GPU of the host.',
  fields: (t) => ({
    index: t.int({ required: true, description: "The host's number of the device." }),
    model: t.string({ description: 'Its model.' }),
    numaNode: t.int({ description: 'The NUMA cell that it is near to; not given: not known. Since 1.4.' }),
    usedMilli: t.int({ description: 'Thousandths in use by running instances; not given: counted by claims.' }),
  }),
})

const InventoryInput = builder.inputType('InventoryInput', {
  description: 'A resource class of the host; for VCPU, MEMORY_MB and DISK_GB it replaces what the plain numbers say.',
  fields: (t) => ({
    resourceClass: t.string({ required: true, description: 'The class.' }),
    total: t.field({ type: 'SafeInt', required: true, description: 'Units in all.' }),
    reserved: t.field({ type: 'SafeInt', defaultValue: 0, description: 'Kept back for the host itself.' }),
    allocationRatio: t.float({ defaultValue: 1, description: 'Overcommit, to three decimals.' }),
    minUnit: t.field({ type: 'SafeInt', defaultValue: 1, description: 'Least amount of one instance.' }),
    maxUnit: t.field({ type: 'SafeInt', description: 'Most of one instance.' }),
    stepSize: t.field({ type: 'SafeInt', defaultValue: 1, description: 'Amounts are multiples of it.' }),
    used: t.field({ type: 'SafeInt', description: 'In use, if the host counts it; not given: counted by claims.' }),
  }),
})

const PciPoolInput = builder.inputType('PciPoolInput', {
  description: 'PCI devices of the host that are alike.',
  fields: (t) => ({
    vendorId: t.string({ required: true, description: 'E.g. 8086.' }),
    productId: t.string({ required: true, description: 'E.g. 10ed.' }),
    numaNode: t.int({ description: 'The cell that they are near to; not given: not known.' }),
    deviceType: t.string({ description: 'E.g. type-VF.' }),
    tags: t.field({ type: [KeyValueInput], description: 'Further properties, e.g. physical_network.' }),
    total: t.field({ type: 'SafeInt', required: true, description: 'How many.' }),
    used: t.field({ type: 'SafeInt', description: 'In use by running instances; not given: counted by claims.' }),
  }),
})

export const FullStatsInput = builder.inputType('FullStatsInput', {
  description: 'A full picture of a host.',
  fields: (t) => ({
    version: t.string({ description: 'Version of this form: 1.0, 1.1, 1.2 or 1.3; the newest if not given.' }),
    vcpus: t.int({ required: true, description: 'CPUs.' }),
    vcpusUsed: t.int({ required: true, description: 'CPUs given to running instances.' }),
    memoryMb: t.int({ required: true, description: 'MiB.' }),
    memoryMbUsed: t.int({ required: true, description: 'MiB given to running instances, and to the host itself.' }),
    localGb: t.int({ required: true, description: 'GiB of disk.' }),
    localGbUsed: t.int({ required: true, description: 'GiB given to running instances.' }),
    freeDiskGb: t.int({ description: 'GiB free on the disk.' }),
    diskAvailableLeast: t.int({ description: 'GiB free when every sparse disk is full.' }),
    cpuAllocationRatio: t.float({ description: 'Overcommit of CPUs; 1 if not given.' }),
    ramAllocationRatio: t.float({ description: 'Overcommit of memory; 1 if not given.' }),
    diskAllocationRatio: t.float({ description: 'Overcommit of disk; 1 if not given.' }),
    runningVms: t.int({ description: 'Instances.' }),
    numIoOps: t.int({ description: 'Instances that are being built, moved or copied.' }),
    hypervisorType: t.string({ description: 'E.g. QEMU.' }),
    hypervisorVersion: t.int({ description: 'E.g. 8002000.' }),
    hypervisorHostname: t.string({ description: 'The name of the node.' }),
    hostIp: t.string({ description: 'Address.' }),
    supportedInstances: t.field({ type: [SupportedInstanceInput], description: 'What it can run.' }),
    cpuInfo: t.field({ type: CpuInfoInput, description: 'Its CPUs.' }),
    metrics: t.field({ type: [MetricInput], description: 'Measurements.' }),
    numaCells: t.field({ type: [HostNumaCellInput], description: 'How it is divided.' }),
    tunneledCells: t.intList({ description: 'NUMA cells (by id) that tunnelled networks are near to. Since 1.1.' }),
    gpus: t.field({ type: [GpuInput], description: 'Its GPUs.' }),
    pciPools: t.field({ type: [PciPoolInput], description: 'Its PCI devices. Since 1.1.' }),
    traits: t.stringList({ description: 'E.g. HW_CPU_X86_AVX2.' }),
    inventories: t.field({ type: [InventoryInput], description: 'More resource classes.' }),
    machineId: t.string({
      description:
        'What identifies the machine, and stays when its name changes: a host of another name that reports the same is a finding. Since 1.3.',
    }),
    omitted: t.field({
      type: [OmittableField],
      description: 'Fields that this report leaves out since nobody needs them: not known then, which is not the same as none. Since 1.2.',
    }),
    instances: t.field({ type: ['UUID'], description: 'What really runs there: reconciles claims. Not given: not told.' }),
  }),
})

export const StatsDeltaInput = builder.inputType('StatsDeltaInput', {
  description: 'What changed since a report that is known.',
  fields: (t) => ({
    baseSequence: t.field({ type: 'SafeInt', required: true, description: 'Sequence of that report, the last that reached the log.' }),
    vcpusUsed: t.int({ description: 'CPUs given to running instances.' }),
    memoryMbUsed: t.int({ description: 'MiB given to running instances.' }),
    localGbUsed: t.int({ description: 'GiB given to running instances.' }),
    runningVms: t.int({ description: 'Instances.' }),
    numIoOps: t.int({ description: 'Instances that are being built, moved or copied.' }),
    addInstances: t.field({ type: ['UUID'], description: 'Instances that came.' }),
    removeInstances: t.field({ type: ['UUID'], description: 'Instances that went.' }),
  }),
})
