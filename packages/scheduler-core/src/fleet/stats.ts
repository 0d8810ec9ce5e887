import { z } from 'zod'
import type { Parsed } from '../problem.ts'
import { limits } from '../request/limits.ts'
import { parseWith } from '../request/parse.ts'

const name = z.string().min(1).max(limits.nameLength)
const whole = (max: number) => z.number().int().min(0).max(max)
const list = <T extends z.ZodType>(item: T, max: number = limits.entries) => z.array(item).max(max)
const ratio = z.number().min(0.001).max(limits.ratio)
const memory = z
  .number()
  .int()
  .min(0)
  .max(limits.memoryMib, `must be ${limits.memoryMib} MiB (64 TiB) or less; more is most likely given in bytes or KiB`)
const className = z.string().regex(/^[A-Z][A-Z0-9_]{0,254}$/, 'must be a resource class: capital letters, digits and _')
/** One spelling for each: instances are compared as text. */
const uuid = z.uuid().toLowerCase()
const cpus = list(whole(limits.cpus), limits.cpus)

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

const numaCell = z
  .strictObject({
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
  })
  .refine((cell) => new Set(cell.cpuset).size === cell.cpuset.length, { path: ['cpuset'], error: 'must not list a CPU twice' })
  .refine(
    (cell) => {
      const own = new Set(cell.cpuset)
      return (cell.pinnedCpus ?? []).every((cpu) => own.has(cpu))
    },
    { path: ['pinnedCpus'], error: 'must be CPUs of the cell' },
  )

const gpu = z.strictObject({
  index: whole(1_023),
  model: name.nullable().default(null),
  /** Thousandths in use by running instances; null: counted by claims. */
  usedMilli: whole(1_000).nullable().default(null),
})

const unique =
  <T>(key: (item: T) => unknown) =>
  (items: readonly T[]) =>
    new Set(items.map(key)).size === items.length

/** A host's full picture of itself, namespace `compute`, version 1.0. Memory in MiB, disk in GiB. */
export const hostStatsV1 = z.strictObject({
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
  numaCells: list(numaCell, limits.numaCells)
    .refine(
      unique((cell: { id: number }) => cell.id),
      'must not number two cells alike',
    )
    .refine((cells) => {
      const all = cells.flatMap(({ cpuset }) => [...new Set(cpuset)])
      return new Set(all).size === all.length
    }, 'must not list a CPU in two cells')
    .default([]),
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
})

/** What changed since the report with sequence `baseSequence`. */
export const statsDeltaV1 = z.strictObject({
  baseSequence: whole(Number.MAX_SAFE_INTEGER),
  vcpusUsed: whole(limits.vcpus * 16).optional(),
  memoryMbUsed: whole(limits.memoryMib * 16).optional(),
  localGbUsed: whole(limits.diskGib * 16).optional(),
  runningVms: whole(limits.vcpus).optional(),
  numIoOps: whole(limits.vcpus).optional(),
  addInstances: list(uuid, 10_000).optional(),
  removeInstances: list(uuid, 10_000).optional(),
})

export type HostStats = z.output<typeof hostStatsV1>
export type StatsDelta = z.output<typeof statsDeltaV1>

/** Unknown input to a full report, or every problem at once. */
export const parseHostStats = (input: unknown): Parsed<HostStats> => parseWith(hostStatsV1, input, 'stats')

/** Unknown input to a delta, or every problem at once. */
export const parseStatsDelta = (input: unknown): Parsed<StatsDelta> => parseWith(statsDeltaV1, input, 'stats')

/** The full picture after a delta. An instance list that was never told stays untold. */
export function mergeDelta(stats: HostStats, delta: StatsDelta): HostStats {
  const { baseSequence: _, addInstances, removeInstances, ...numbers } = delta
  const told = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)) as Partial<HostStats>
  const instances = stats.instances === null ? null : mergeInstances(stats.instances, addInstances ?? [], removeInstances ?? [])
  // a standard class may have an inventory of its own: what the delta tells of it holds there too
  const used: Readonly<Record<string, number | undefined>> = {
    VCPU: told.vcpusUsed,
    MEMORY_MB: told.memoryMbUsed,
    DISK_GB: told.localGbUsed,
  }
  const inventories = stats.inventories.map((given) =>
    given.used === null ? given : { ...given, used: used[given.resourceClass] ?? given.used },
  )
  return { ...stats, ...told, inventories, instances }
}

function mergeInstances(before: readonly string[], add: readonly string[], remove: readonly string[]): string[] {
  const gone = new Set(remove)
  return [...new Set([...before.filter((uuid) => !gone.has(uuid)), ...add])]
}
