import type { HostIndex } from '../values/host-index.ts'
import type { HostStats } from './stats.ts'
import { currentStatsSchema } from './stats-versions.ts'
import { type OmittableField, omittableFields } from './versions/v1-2.ts'

/** A field of a host's report. */
export type StatsField = Exclude<keyof HostStats, 'version' | 'omitted'>

export const statsFields = Object.keys(currentStatsSchema.shape).filter(
  (field) => field !== 'version' && field !== 'omitted',
) as StatsField[]

/** A field about a host: a field of its report, or a field of another service's document as `namespace.field`. */
export type Read = StatsField | `${string}.${string}`

/**
 * The fields of hosts' reports and documents that a filter or weigher reads. A function if the fields depend on its options. Data from
 * aggregates, operators, claims and heartbeats is always known and therefore not listed.
 */
export type Reads = readonly Read[] | ((options: Readonly<Record<string, unknown>>) => readonly Read[])

export const readsOf = (reads: Reads, options: Readonly<Record<string, unknown>>): readonly Read[] =>
  typeof reads === 'function' ? reads(options) : reads

/** For each standard resource class, the fields of a report that describe it. */
export const classFields = {
  VCPU: ['vcpus', 'vcpusUsed', 'cpuAllocationRatio', 'inventories'],
  MEMORY_MB: ['memoryMb', 'memoryMbUsed', 'ramAllocationRatio', 'inventories'],
  DISK_GB: ['localGb', 'localGbUsed', 'diskAllocationRatio', 'inventories'],
} as const satisfies Readonly<Record<string, readonly StatsField[]>>

/** The fields of a report that describe a resource class. */
export const fieldsOfClass = (resourceClass: string): readonly StatsField[] =>
  resourceClass in classFields ? classFields[resourceClass as keyof typeof classFields] : ['inventories']

const bits = new Map<Read, number>(omittableFields.map((field, i) => [field, 2 ** i]))

/** Converts fields to bits, as in the column `omits`. Fields that no report may omit and fields of other namespaces have no bit. */
export const bitsOf = (fields: readonly Read[]): number => fields.reduce((all, field) => all | (bits.get(field) ?? 0), 0)

/** `omitting`: how many hosts omit fields in their reports. `omits`: the omitted fields of each host, as bits. */
interface OmittingHosts {
  readonly omitting: number
  readonly columns: { readonly omits: ArrayLike<number> }
}

/**
 * Returns a function that is true for hosts that omit one of these fields in their reports. Undefined if no host omits any of the fields.
 * The hosts then need no check.
 */
export function prepareOmits({ columns, omitting }: OmittingHosts, reads: readonly Read[]): ((host: HostIndex) => boolean) | undefined {
  const wanted = omitting === 0 ? 0 : bitsOf(reads)
  if (wanted === 0) return undefined
  const { omits } = columns
  return (host) => ((omits[host] as number) & wanted) !== 0
}

/** Returns which of the fields in `reads` a host omits in its report. */
export const omittedOf = ({ stats }: { readonly stats: HostStats }, reads: readonly Read[]): readonly OmittableField[] =>
  stats.omitted.filter((field) => reads.includes(field))
