import { z } from 'zod'
import { limits } from '../../request/limits.ts'

export const name = z.string().min(1).max(limits.nameLength)
export const whole = (max: number) => z.number().int().min(0).max(max)
export const list = <T extends z.ZodType>(item: T, max: number = limits.entries) => z.array(item).max(max)
const ratio = z.number().min(0.001).max(limits.ratio)
export const memory = z
  .number()
  .int()
  .min(0)
  .max(limits.memoryMib, `must be ${limits.memoryMib} MiB (64 TiB) or less; more is most likely given in bytes or KiB`)
export const className = z.string().regex(/^[A-Z][A-Z0-9_]{0,254}$/, 'must be a resource class: capital letters, digits and _')
/** A UUID, converted to lower case, because UUIDs are compared as text. */
export const uuid = z.uuid().toLowerCase()
export const cpus = list(whole(limits.cpus), limits.cpus)

export const unique =
  <T>(key: (item: T) => unknown) =>
  (items: readonly T[]) =>
    new Set(items.map(key)).size === items.length

const inventory = z
  .strictObject({
    resourceClass: className.describe(
      'The resource class, e.g. CUSTOM_FPGA. An inventory of VCPU, MEMORY_MB or DISK_GB replaces the plain fields of the report.',
    ),
    total: whole(limits.amount).meta({ description: 'The total amount, including what is reserved.', unit: 'units of the class' }),
    reserved: whole(limits.amount)
      .default(0)
      .meta({ description: 'Amount that is reserved for the host itself; at most `total`.', unit: 'units of the class' }),
    allocationRatio: ratio
      .default(1)
      .describe('Overcommit: capacity = floor((total - reserved) x ratio). The precision is three decimals.'),
    minUnit: z
      .number()
      .int()
      .min(1)
      .max(limits.amount)
      .default(1)
      .meta({ description: 'The smallest amount that one instance may use.', unit: 'units of the class' }),
    maxUnit: z.number().int().min(1).max(limits.amount).nullable().default(null).meta({
      description: 'The largest amount that one instance may use; null: everything that is not reserved.',
      unit: 'units of the class',
    }),
    stepSize: z
      .number()
      .int()
      .min(1)
      .max(limits.amount)
      .default(1)
      .meta({ description: 'An instance may use only multiples of this amount.', unit: 'units of the class' }),
    used: whole(limits.amount).nullable().default(null).meta({
      description: 'Amount that running instances use, if the host reports it; if null, the usage is computed from claims.',
      unit: 'units of the class',
    }),
  })
  .refine((given) => given.reserved <= given.total, { path: ['reserved'], error: 'must be at most the total' })
  .describe('An inventory of one resource class of the host.')

export const numaCellText = 'A NUMA cell of the host.'
export const gpuText = 'A GPU of the host.'

/** The fields of a NUMA cell in HostStats 1.0. */
export const numaCellFields = {
  id: whole(limits.cpus).describe('The id of the cell on the host.'),
  cpuset: cpus.describe('Host CPUs of the cell.'),
  memoryMb: memory.meta({ description: 'Memory of the cell.', unit: 'MiB' }),
  memoryUsageMb: memory
    .nullable()
    .default(null)
    .meta({ description: 'Memory that running instances use; if null, the usage is computed from claims.', unit: 'MiB' }),
  cpuUsage: whole(limits.vcpus)
    .nullable()
    .default(null)
    .meta({ description: 'How many shared CPUs running instances use; if null, the usage is computed from claims.', unit: 'CPUs' }),
  pinnedCpus: cpus
    .nullable()
    .default(null)
    .describe('Host CPUs that are dedicated to running instances; if null, they are computed from claims.'),
}

interface CellCpus {
  readonly cpuset: readonly number[]
  readonly pinnedCpus: readonly number[] | null
}

/** Checks that the cell lists no CPU twice, and that pinned CPUs are CPUs of the cell. */
export function checkCell({ cpuset, pinnedCpus }: CellCpus, context: z.core.$RefinementCtx): void {
  if (new Set(cpuset).size !== cpuset.length)
    context.addIssue({ code: 'custom', path: ['cpuset'], input: cpuset, message: 'must not list a CPU twice' })
  const own = new Set(cpuset)
  if (!(pinnedCpus ?? []).every((cpu) => own.has(cpu)))
    context.addIssue({ code: 'custom', path: ['pinnedCpus'], input: pinnedCpus, message: 'must be CPUs of the cell' })
}

interface NumberedCell {
  readonly id: number
  readonly cpuset: readonly number[]
  /** Version 1.0 does not have this field. */
  readonly dedicatedCpuset?: readonly number[] | null
}

/** The schema of a list of cells. It also checks the rules between cells. */
export const cellsOf = <Cell extends z.ZodType<NumberedCell>>(cell: Cell) =>
  list(cell, limits.numaCells)
    .refine(
      unique((one: { readonly id: number }) => one.id),
      'must not give two cells the same id',
    )
    .refine((cells) => {
      const all = cells.flatMap(({ cpuset, dedicatedCpuset }) => [...new Set([...cpuset, ...(dedicatedCpuset ?? [])])])
      return new Set(all).size === all.length
    }, 'must not list a CPU in two cells')

/** The fields of a GPU in HostStats 1.0. */
export const gpuFields = {
  index: whole(1_023).describe('The index of the GPU on the host.'),
  model: name.nullable().default(null).describe('Model of the device, e.g. A100.'),
  usedMilli: whole(1_000).nullable().default(null).meta({
    description: 'Share of the device that running instances use; if null, the usage is computed from claims.',
    unit: 'thousandths',
  }),
}

export const gpusOf = <Gpu extends z.ZodType<{ readonly index: number }>>(gpu: Gpu) =>
  list(gpu, limits.gpusPerHost)
    .refine(
      unique((device: { readonly index: number }) => device.index),
      'must not give two GPUs the same number',
    )
    .default([])
    .describe('GPUs of the host.')

/** The fields of HostStats 1.0. */
export const statsFields = {
  vcpus: whole(limits.vcpus).meta({ description: 'CPUs of the host.', unit: 'CPUs' }),
  vcpusUsed: whole(limits.vcpus * 16).meta({ description: 'CPUs that running instances use.', unit: 'CPUs' }),
  memoryMb: memory.meta({ description: 'Memory of the host.', unit: 'MiB' }),
  memoryMbUsed: whole(limits.memoryMib * 16).meta({
    description: 'Memory that running instances and the host itself use.',
    unit: 'MiB',
  }),
  localGb: whole(limits.diskGib).meta({ description: 'Disk space of the host.', unit: 'GiB' }),
  localGbUsed: whole(limits.diskGib * 16).meta({ description: 'Disk space that running instances use.', unit: 'GiB' }),
  freeDiskGb: z
    .number()
    .int()
    .min(-limits.diskGib)
    .max(limits.diskGib)
    .nullable()
    .default(null)
    .meta({ description: 'Free space on the disk; null: not reported.', unit: 'GiB' }),
  diskAvailableLeast: z
    .number()
    .int()
    .min(-limits.diskGib)
    .max(limits.diskGib)
    .nullable()
    .default(null)
    .meta({ description: 'Free space on the disk when every sparse disk is full; null: not reported.', unit: 'GiB' }),
  cpuAllocationRatio: ratio.default(1).describe('Overcommit of CPUs. Operators and aggregates may override it.'),
  ramAllocationRatio: ratio.default(1).describe('Overcommit of memory. Operators and aggregates may override it.'),
  diskAllocationRatio: ratio.default(1).describe('Overcommit of disk. Operators and aggregates may override it.'),
  runningVms: whole(limits.vcpus).default(0).meta({ description: 'How many instances run on the host.', unit: 'instances' }),
  numIoOps: whole(limits.vcpus).default(0).meta({ description: 'How many instances are being built, moved or copied.', unit: 'instances' }),
  hypervisorType: name.nullable().default(null).describe('Type of the hypervisor, e.g. QEMU.'),
  hypervisorVersion: whole(2 ** 31 - 1)
    .nullable()
    .default(null)
    .describe('Version of the hypervisor, e.g. 8002000 for 8.2.0.'),
  hypervisorHostname: name.nullable().default(null).describe('The name of the node.'),
  hostIp: name.nullable().default(null).describe('IP address of the host.'),
  supportedInstances: list(
    z
      .strictObject({
        arch: name.describe('CPU architecture, e.g. x86_64.'),
        hvType: name.describe('Type of virtualisation, e.g. kvm.'),
        vmMode: name.describe('Mode of the guest, e.g. hvm.'),
      })
      .describe('An instance type that the host can run.'),
  )
    .default([])
    .describe('Kinds of instances that the host can run.'),
  cpuInfo: z
    .strictObject({
      arch: name.nullable().default(null).describe('CPU architecture, e.g. x86_64.'),
      vendor: name.nullable().default(null).describe('Vendor of the CPUs, e.g. Intel.'),
      model: name.nullable().default(null).describe('Model of the CPUs, e.g. Cascadelake-Server.'),
      features: list(name, 1_024).default([]).describe('CPU flags, e.g. avx2.'),
      sockets: whole(1_024).nullable().default(null).describe('Number of sockets.'),
      cores: whole(limits.vcpus).nullable().default(null).describe('Number of cores per socket.'),
      threads: whole(limits.vcpus).nullable().default(null).describe('Number of threads per core.'),
    })
    .nullable()
    .default(null)
    .describe('The CPUs of the host.'),
  metrics: list(
    z
      .strictObject({
        name: name.describe('Name of the measurement, e.g. cpu.percent.'),
        value: z.number().describe('The measured value.'),
        timestamp: z.string().max(64).describe('Time of the measurement, RFC 3339.'),
        source: name.nullable().default(null).describe('Name of the software that made the measurement.'),
      })
      .describe('A measurement of the host.'),
  )
    .default([])
    .describe('Measurements of the host.'),
  numaCells: cellsOf(z.strictObject(numaCellFields).superRefine(checkCell).describe(numaCellText))
    .default([])
    .describe('The NUMA cells of the host. No two cells may have the same id or share a CPU.'),
  gpus: gpusOf(z.strictObject(gpuFields).describe(gpuText)),
  traits: list(name, 1_024).default([]).describe('Traits of the host, e.g. HW_CPU_X86_AVX2.'),
  inventories: list(inventory)
    .refine(
      unique((given: { resourceClass: string }) => given.resourceClass),
      'must not list a resource class twice',
    )
    .default([])
    .describe('Inventories of further resource classes. Each class may occur once.'),
  instances: list(uuid, 10_000)
    .nullable()
    .default(null)
    .describe(
      'UUIDs of all instances that run on the host. If null, the instances are not reported, and this report materialises no claims.',
    ),
}

/**
 * HostStats 1.0: the first published form of a host's full report (namespace `compute`). The form has no field `version`. Memory is in MiB,
 * disk in GiB. A published version never changes. A new version gets a new file.
 */
export const hostStatsV1_0 = z.strictObject(statsFields)

export type HostStatsV1_0 = z.output<typeof hostStatsV1_0>
