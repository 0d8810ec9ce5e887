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
const className = z.string().regex(/^[A-Z][A-Z0-9_]{0,254}$/, 'must be a resource class: capital letters, digits and _')
/** One spelling for each: instances are compared as text. */
export const uuid = z.uuid().toLowerCase()
export const cpus = list(whole(limits.cpus), limits.cpus)

export const unique =
  <T>(key: (item: T) => unknown) =>
  (items: readonly T[]) =>
    new Set(items.map(key)).size === items.length

const inventory = z
  .strictObject({
    resourceClass: className,
    total: whole(limits.amount),
    /** Kept back for the host itself. */
    reserved: whole(limits.amount).default(0),
    /** Overcommit: capacity = floor((total - reserved) x ratio). Three decimals count. */
    allocationRatio: ratio.default(1),
    minUnit: z.number().int().min(1).max(limits.amount).default(1),
    maxUnit: z.number().int().min(1).max(limits.amount).nullable().default(null),
    stepSize: z.number().int().min(1).max(limits.amount).default(1),
    /** What runs there, if the host counts it; null: this service counts by its claims. */
    used: whole(limits.amount).nullable().default(null),
  })
  .refine((given) => given.reserved <= given.total, { path: ['reserved'], error: 'must be at most the total' })

/** The fields of a host's cell. */
export const numaCellFields = {
  id: whole(limits.cpus),
  /** Host CPU numbers of the cell. */
  cpuset: cpus,
  memoryMb: memory,
  /** Memory in use by running instances, MiB; null: counted by claims. */
  memoryUsageMb: memory.nullable().default(null),
  /** Shared CPUs in use by running instances; null: counted by claims. */
  cpuUsage: whole(limits.vcpus).nullable().default(null),
  /** Host CPUs given to running instances for themselves; null: counted by claims. */
  pinnedCpus: cpus.nullable().default(null),
}

interface CellCpus {
  readonly cpuset: readonly number[]
  readonly pinnedCpus: readonly number[] | null
}

/** What no field of a cell can say alone. */
export function checkCell({ cpuset, pinnedCpus }: CellCpus, context: z.core.$RefinementCtx): void {
  if (new Set(cpuset).size !== cpuset.length)
    context.addIssue({ code: 'custom', path: ['cpuset'], input: cpuset, message: 'must not list a CPU twice' })
  const own = new Set(cpuset)
  if (!(pinnedCpus ?? []).every((cpu) => own.has(cpu)))
    context.addIssue({ code: 'custom', path: ['pinnedCpus'], input: pinnedCpus, message: 'must be CPUs of the cell' })
}

/** What no cell can say alone. */
export const cellsOf = <Cell extends z.ZodType<{ readonly id: number; readonly cpuset: readonly number[] }>>(cell: Cell) =>
  list(cell, limits.numaCells)
    .refine(
      unique((one: { readonly id: number }) => one.id),
      'must not number two cells alike',
    )
    .refine((cells) => {
      const all = cells.flatMap(({ cpuset }) => [...new Set(cpuset)])
      return new Set(all).size === all.length
    }, 'must not list a CPU in two cells')

const gpu = z.strictObject({
  index: whole(1_023),
  model: name.nullable().default(null),
  /** Thousandths in use by running instances; null: counted by claims. */
  usedMilli: whole(1_000).nullable().default(null),
})

/** The fields of HostStats 1.0. */
export const statsFields = {
  vcpus: whole(limits.vcpus),
  vcpusUsed: whole(limits.vcpus * 16),
  memoryMb: memory,
  memoryMbUsed: whole(limits.memoryMib * 16),
  localGb: whole(limits.diskGib),
  localGbUsed: whole(limits.diskGib * 16),
  freeDiskGb: z.number().int().min(-limits.diskGib).max(limits.diskGib).nullable().default(null),
  diskAvailableLeast: z.number().int().min(-limits.diskGib).max(limits.diskGib).nullable().default(null),
  cpuAllocationRatio: ratio.default(1),
  ramAllocationRatio: ratio.default(1),
  diskAllocationRatio: ratio.default(1),
  runningVms: whole(limits.vcpus).default(0),
  numIoOps: whole(limits.vcpus).default(0),
  hypervisorType: name.nullable().default(null),
  hypervisorVersion: whole(2 ** 31 - 1)
    .nullable()
    .default(null),
  hypervisorHostname: name.nullable().default(null),
  hostIp: name.nullable().default(null),
  supportedInstances: list(z.strictObject({ arch: name, hvType: name, vmMode: name })).default([]),
  cpuInfo: z
    .strictObject({
      arch: name.nullable().default(null),
      vendor: name.nullable().default(null),
      model: name.nullable().default(null),
      features: list(name, 1_024).default([]),
      sockets: whole(1_024).nullable().default(null),
      cores: whole(limits.vcpus).nullable().default(null),
      threads: whole(limits.vcpus).nullable().default(null),
    })
    .nullable()
    .default(null),
  metrics: list(z.strictObject({ name, value: z.number(), timestamp: z.string().max(64), source: name.nullable().default(null) })).default(
    [],
  ),
  numaCells: cellsOf(z.strictObject(numaCellFields).superRefine(checkCell)).default([]),
  gpus: list(gpu, limits.gpusPerHost)
    .refine(
      unique((device: { index: number }) => device.index),
      'must not number two GPUs alike',
    )
    .default([]),
  traits: list(name, 1_024).default([]),
  inventories: list(inventory)
    .refine(
      unique((given: { resourceClass: string }) => given.resourceClass),
      'must not list a resource class twice',
    )
    .default([]),
  /** Every instance that runs there; null: not told, so nothing is materialised by this report. */
  instances: list(uuid, 10_000).nullable().default(null),
}

/**
 * HostStats 1.0, a host's full picture of itself (namespace `compute`) as first published: the document does not say its
 * version. Memory in MiB, disk in GiB. A published version never changes: the next one is a new file.
 */
export const hostStatsV1_0 = z.strictObject(statsFields)

export type HostStatsV1_0 = z.output<typeof hostStatsV1_0>
