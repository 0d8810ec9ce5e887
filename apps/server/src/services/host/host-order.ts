import { byCodeUnit, type Fleet } from '@gantt/scheduler-core'
import {
  classOrderFields,
  classReaders,
  type HostField,
  type HostOrder,
  type HostOrderField,
  hostFields,
  reportedFields,
} from '@gantt/scheduler-core/query'
import { InputFault, type Issue, issue } from '../calls/outcome.ts'
import type { HostView } from './host-view.ts'

const MAX_ORDERS = 8

type Value = string | number

/** A compiled sort order of hosts. Hosts with equal sort keys are sorted by name. */
export interface CompiledOrder {
  /** The type of each element of a sort key. */
  readonly types: readonly ('string' | 'number')[]
  /** The sort key of a host. */
  keyFor(view: HostView): readonly Value[]
  compare(a: readonly Value[], b: readonly Value[]): number
}

/** Throws InputFault that lists every invalid order. */
export function compileHostOrder(orders: readonly HostOrder[], { hosts }: Fleet): CompiledOrder {
  const known = new Set([...STANDARD, ...hosts.classes.keys()])
  const issues = orders.flatMap((order, i) => checkOrder(order, ['orderBy', String(i)], known))
  if (orders.length > MAX_ORDERS) issues.push(issue(['orderBy'], orders.length, `have at most ${MAX_ORDERS} orders`))
  if (issues.length > 0) throw new InputFault(issues)

  const parts = [...orders, BY_NAME].map(({ field, direction, resourceClass }) => ({
    ...readerFor(field),
    sign: direction === 'ASC' ? 1 : -1,
    resourceClass: resourceClass ?? '',
  }))
  return {
    types: parts.map(({ type }) => type),
    keyFor: (view) => parts.map(({ read, resourceClass }) => read(view, resourceClass)),
    compare(a, b) {
      for (let i = 0; i < parts.length; i++) {
        const difference = compareValues(a[i] as Value, b[i] as Value)
        if (difference !== 0) return difference * (parts[i]?.sign ?? 1)
      }
      return 0
    },
  }
}

const BY_NAME: HostOrder = { field: 'NAME', direction: 'ASC' }

/** Classes by which hosts can be sorted although not every host reports them. */
const STANDARD = ['VCPU', 'MEMORY_MB', 'DISK_GB']

function checkOrder({ field, resourceClass }: HostOrder, path: readonly string[], known: ReadonlySet<string>): Issue[] {
  const at = [...path, 'resourceClass']
  const isOfClass = classOrderFields.some((one) => one === field)
  if (!isOfClass && typeof resourceClass === 'string')
    return [issue(at, resourceClass, `be left out with ${field}; only these fields use it: ${classOrderFields.join(', ')}`)]
  if (!isOfClass || (typeof resourceClass === 'string' && known.has(resourceClass))) return []
  return [issue(at, resourceClass ?? null, `be a class that hosts report: ${[...known].sort(byCodeUnit).join(', ')}`)]
}

interface Reader {
  readonly type: 'string' | 'number'
  readonly read: (view: HostView, resourceClass: string) => Value
}

/** The fields by which hosts can be sorted, by their API names. In ascending order, hosts that do not report a field come first. */
const readers: ReadonlyMap<HostOrderField, Reader> = new Map<HostOrderField, Reader>([
  ...hostFields.flatMap((field): [HostOrderField, Reader][] => ('order' in field ? [[field.order.field, readerOf(field)]] : [])),
  ...reportedFields.map((field): [HostOrderField, Reader] => [field.column, readerOf(field)]),
  ...classOrderFields.map((field): [HostOrderField, Reader] => [field, { type: 'number', read: classReaders[field] }]),
  // no name contains the separator, so no other host comes between two nodes of a host
  ['NAME', { type: 'string', read: ({ record }) => `${record.host}\u0000${record.node}` }],
])

function readerOf({ kind, read }: HostField): Reader {
  if (kind === 'number') return { type: 'number', read: (view) => Number(read(view) ?? -1) }
  return { type: 'string', read: (view) => String(read(view) ?? '') }
}

function readerFor(field: HostOrderField): Reader {
  const reader = readers.get(field)
  if (reader === undefined) throw new RangeError(`The sort field ${field} of hosts has no reader; add the field to hostFields.`)
  return reader
}

const compareValues = (a: Value, b: Value): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : byCodeUnit(String(a), String(b))
