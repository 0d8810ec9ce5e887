import type { Sort } from './sort.ts'
import { ofEachTold, toldFields } from './told-fields.ts'

/** What the API calls the things that hosts are ordered by: `HostOrderField` of its schema. */
export const hostOrderFields = [
  'NAME',
  'AVAILABILITY_ZONE',
  'STATE',
  'STATUS',
  'CAPACITY',
  'FREE',
  'USED_PERCENT',
  'GPU_COUNT',
  'GPU_FREE',
  'CLAIM_COUNT',
  'INSTANCE_COUNT',
  'LAST_REPORT',
  ...toldFields.map(({ column }) => column),
] as const

export type HostOrderField = (typeof hostOrderFields)[number]

/** Those that are of one resource class. */
export const classOrderFields: readonly HostOrderField[] = ['CAPACITY', 'FREE', 'USED_PERCENT']

/** An order of hosts as the API takes it: `HostOrder` of its schema. */
export interface HostOrder {
  readonly field: HostOrderField
  readonly direction: 'ASC' | 'DESC'
  /** With the fields of `classOrderFields`, and only with them. */
  readonly resourceClass?: string | null | undefined
}

/** What hosts can be ordered by in a line: the fields of the filter grammar that hold one value. */
export const hostSorts = [
  'host',
  'az',
  'state',
  'status',
  'cpu.free',
  'cpu.total',
  'cpu.used',
  'mem.free',
  'mem.used',
  'disk.free',
  'disk.used',
  'gpu.count',
  'gpu.free',
  'claims',
  'instances',
  'age',
  ...toldFields.map(({ name }) => name),
] as const

export type HostSort = (typeof hostSorts)[number]

export interface HostSortTerm extends Sort {
  readonly key: HostSort
}

const orders: Readonly<Record<HostSort, Pick<HostOrder, 'field' | 'resourceClass'>>> = {
  host: { field: 'NAME' },
  az: { field: 'AVAILABILITY_ZONE' },
  state: { field: 'STATE' },
  status: { field: 'STATUS' },
  'cpu.free': { field: 'FREE', resourceClass: 'VCPU' },
  'cpu.total': { field: 'CAPACITY', resourceClass: 'VCPU' },
  'cpu.used': { field: 'USED_PERCENT', resourceClass: 'VCPU' },
  'mem.free': { field: 'FREE', resourceClass: 'MEMORY_MB' },
  'mem.used': { field: 'USED_PERCENT', resourceClass: 'MEMORY_MB' },
  'disk.free': { field: 'FREE', resourceClass: 'DISK_GB' },
  'disk.used': { field: 'USED_PERCENT', resourceClass: 'DISK_GB' },
  'gpu.count': { field: 'GPU_COUNT' },
  'gpu.free': { field: 'GPU_FREE' },
  claims: { field: 'CLAIM_COUNT' },
  instances: { field: 'INSTANCE_COUNT' },
  age: { field: 'LAST_REPORT' },
  ...ofEachTold('name', ({ column }) => ({ field: column })),
}

/** What the API is asked for, where a line orders hosts so. */
export const hostOrdersOf = (sort: readonly HostSortTerm[]): HostOrder[] =>
  sort.map(({ key, descending }) => {
    // the older the report, the longer ago it was
    const isDown = key === 'age' ? !descending : descending
    return { ...orders[key], direction: isDown ? 'DESC' : 'ASC' }
  })

export const isHostSort = (term: Sort): term is HostSortTerm => hostSorts.some((one) => one === term.key)
