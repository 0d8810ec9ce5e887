import { byField, type HostField, type ReportedField, reportedFields } from './host-field-lists.ts'
import { hostFields } from './host-fields.ts'
import type { ClassOrderField } from './host-reading.ts'
import type { Sort } from './sort.ts'

/** A field with its own order in the API (`order`). Hosts can be ordered by these fields and by the reported fields. */
type OrderedField = Extract<HostField, { readonly order: object }>
export type HostSort = OrderedField['name'] | ReportedField['name']
/** The API's name of an order of hosts: `HostOrderField` in the GraphQL schema. */
export type HostOrderField = OrderedField['order']['field'] | ReportedField['column']

/** An order of hosts in the API's form: `HostOrder` in the GraphQL schema. */
export interface HostOrder {
  readonly field: HostOrderField
  readonly direction: 'ASC' | 'DESC'
  /** Present only for the fields of `classOrderFields`. */
  readonly resourceClass?: string | null | undefined
}

export interface HostSortTerm extends Sort {
  readonly key: HostSort
}

const isOrdered = (field: HostField): field is OrderedField => 'order' in field

const orderedFields: readonly OrderedField[] = hostFields.filter(isOrdered)

/** The keys by which hosts can be ordered, as in `?sort=az,-mem.free`: the fields of the filter grammar with one value per host. */
export const hostSorts: readonly HostSort[] = [...orderedFields, ...reportedFields].map(({ name }) => name)

/** The API's orders that require a resource class. */
export const classOrderFields: readonly ClassOrderField[] = ['CAPACITY', 'FREE', 'USED_PERCENT']

const classOrders: Readonly<Record<ClassOrderField, string>> = {
  CAPACITY: 'The capacity for `resourceClass`, overcommit included; 0 if the host does not report the class.',
  FREE: 'The free amount of `resourceClass`; 0 if the host does not report the class.',
  USED_PERCENT: 'The used and claimed amount of `resourceClass` as a share of the capacity; 0 if the host has no capacity.',
}

const describedOrders: readonly { readonly field: HostOrderField; readonly description: string }[] = [
  ...classOrderFields.map((field) => ({ field, description: classOrders[field] })),
  ...orderedFields.flatMap(({ order }) => ('description' in order ? [order] : [])),
  ...reportedFields.map(({ column, description }) => ({
    field: column,
    description: `The ${description}; hosts that do not report it come first.`,
  })),
]

/** The API's names of the orders of hosts, each with a description of the value by which hosts are ordered. */
export const hostOrderValues = byField(describedOrders, 'field', ({ description }) => ({ description }))
export const hostOrderFields: readonly HostOrderField[] = describedOrders.map(({ field }) => field)

/** The API's order for a sort key. `isReversed` is true if descending order in the API corresponds to ascending order of the key. */
type OrderOfSort = Pick<HostOrder, 'field' | 'resourceClass'> & { readonly isReversed?: true }

const orders: ReadonlyMap<string, OrderOfSort> = new Map<string, OrderOfSort>([
  ...orderedFields.map(({ name, order }) => [name, order] as const),
  ...reportedFields.map(({ name, column }) => [name, { field: column }] as const),
])

/** Converts a line of sort keys such as `az,-mem.free` to orders of the API. */
export const hostOrdersOf = (sort: readonly HostSortTerm[]): HostOrder[] =>
  sort.map(({ key, descending }) => {
    const order = orders.get(key)
    if (order === undefined) throw new RangeError(`Hosts cannot be sorted by ${key}; they can be sorted by ${hostSorts.join(', ')}.`)
    const { field, resourceClass, isReversed = false } = order
    return { field, ...(resourceClass !== undefined && { resourceClass }), direction: descending === isReversed ? 'ASC' : 'DESC' }
  })

export const isHostSort = (term: Sort): term is HostSortTerm => orders.has(term.key)
