import type { HostIndex } from '../values/host-index.ts'
import type { HostStats } from './stats.ts'
import { type OmittableField, omittableFields } from './versions/v1-2.ts'
import { hostStatsV1_4 } from './versions/v1-4.ts'

/** A field of a host's report. */
export type StatsField = Exclude<keyof HostStats, 'version' | 'omitted'>

export const statsFields = Object.keys(hostStatsV1_4.shape).filter((field) => field !== 'version' && field !== 'omitted') as StatsField[]

/** What may be read of a host: a field of its report, or, after a namespace, a field of what another service reports about it. */
export type Read = StatsField | `${string}.${string}`

/**
 * What a filter or weigher reads of hosts' reports; a function where it depends on the options. What aggregates, operators, claims and
 * signs of life say is always known, so it is not listed.
 */
export type Reads = readonly Read[] | ((options: Readonly<Record<string, unknown>>) => readonly Read[])

export const readsOf = (reads: Reads, options: Readonly<Record<string, unknown>>): readonly Read[] =>
  typeof reads === 'function' ? reads(options) : reads

/** The fields in which a report states a resource class. */
export const classFields = {
  VCPU: ['vcpus', 'vcpusUsed', 'cpuAllocationRatio', 'inventories'],
  MEMORY_MB: ['memoryMb', 'memoryMbUsed', 'ramAllocationRatio', 'inventories'],
  DISK_GB: ['localGb', 'localGbUsed', 'diskAllocationRatio', 'inventories'],
} as const satisfies Readonly<Record<string, readonly StatsField[]>>

/** The fields of any resource class. */
export const fieldsOfClass = (resourceClass: string): readonly StatsField[] =>
  resourceClass in classFields ? classFields[resourceClass as keyof typeof classFields] : ['inventories']

const bits = new Map<Read, number>(omittableFields.map((field, i) => [field, 2 ** i]))

/** These fields as bits, as in the column `omits`; fields that no report may leave out, and those of other namespaces, have none. */
export const bitsOf = (fields: readonly Read[]): number => fields.reduce((all, field) => all | (bits.get(field) ?? 0), 0)

/** Which fields hosts leave out: how many hosts leave out any, and by host index the fields as bits. */
interface OmittingHosts {
  readonly omitting: number
  readonly columns: { readonly omits: ArrayLike<number> }
}

/** Whether a host leaves out something that is read of it; undefined where no host does, so that no host need be checked. */
export function prepareOmits({ columns, omitting }: OmittingHosts, reads: readonly Read[]): ((host: HostIndex) => boolean) | undefined {
  const wanted = omitting === 0 ? 0 : bitsOf(reads)
  if (wanted === 0) return undefined
  const { omits } = columns
  return (host) => ((omits[host] as number) & wanted) !== 0
}

/** Which of these fields a host does not report. */
export const omittedOf = ({ stats }: { readonly stats: HostStats }, reads: readonly Read[]): readonly OmittableField[] =>
  stats.omitted.filter((field) => reads.includes(field))
