import { byCodeUnit, type Fleet } from '@gantt/scheduler-core'
import { classOrderFields, type HostOrder, type HostOrderField, ofEachTold, type ToldField } from '@gantt/scheduler-core/query'
import { claimCountOf, freeOf, gpuFreeMilliOf, instancesOf, totalOf, usedPercentOf } from './host-query.ts'
import { type HostView, stateOf, statusOf } from './host-view.ts'
import { InputFault, type Issue, issue } from './outcome.ts'

const MAX_ORDERS = 8

type Value = string | number

/** Hosts in an order; those that are equal by all of it by their names. */
export interface CompiledOrder {
  /** Of each part of a key. */
  readonly types: readonly ('string' | 'number')[]
  /** What is compared of a host. */
  keyFor(view: HostView): readonly Value[]
  compare(a: readonly Value[], b: readonly Value[]): number
}

/** Throws InputFault that lists every order that cannot be followed. */
export function compileHostOrder(orders: readonly HostOrder[], { hosts }: Fleet): CompiledOrder {
  const known = new Set([...STANDARD, ...hosts.classes.keys()])
  const issues = orders.flatMap((order, i) => checkOrder(order, ['orderBy', String(i)], known))
  if (orders.length > MAX_ORDERS) issues.push(issue(['orderBy'], orders.length, `have at most ${MAX_ORDERS} orders`))
  if (issues.length > 0) throw new InputFault(issues)

  const parts = [...orders, BY_NAME].map(({ field, direction, resourceClass }) => ({
    ...readers[field],
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

/** A host reports these, or has none of them. */
const STANDARD = ['VCPU', 'MEMORY_MB', 'DISK_GB']

function checkOrder({ field, resourceClass }: HostOrder, path: readonly string[], known: ReadonlySet<string>): Issue[] {
  const at = [...path, 'resourceClass']
  const isOfClass = classOrderFields.includes(field)
  if (!isOfClass && typeof resourceClass === 'string')
    return [issue(at, resourceClass, `be left out with ${field}; it goes with ${classOrderFields.join(', ')}`)]
  if (!isOfClass || (typeof resourceClass === 'string' && known.has(resourceClass))) return []
  return [issue(at, resourceClass ?? null, `be a class that hosts report: ${[...known].sort(byCodeUnit).join(', ')}`)]
}

interface Reader {
  readonly type: 'string' | 'number'
  readonly read: (view: HostView, resourceClass: string) => Value
}

/** Hosts that do not tell it come before all that do. */
const toldReader = ({ kind, tell }: ToldField): Reader =>
  kind === 'number'
    ? { type: 'number', read: ({ record }) => tell(record.stats) ?? -1 }
    : { type: 'string', read: ({ record }) => tell(record.stats) ?? '' }

const readers: Readonly<Record<HostOrderField, Reader>> = {
  // no name has the separator: nodes come behind their host, before any other
  NAME: { type: 'string', read: ({ record }) => `${record.host}\u0000${record.node}` },
  AVAILABILITY_ZONE: { type: 'string', read: ({ record }) => record.zone },
  STATE: { type: 'string', read: stateOf },
  STATUS: { type: 'string', read: statusOf },
  CAPACITY: { type: 'number', read: totalOf },
  FREE: { type: 'number', read: freeOf },
  USED_PERCENT: { type: 'number', read: usedPercentOf },
  GPU_COUNT: { type: 'number', read: ({ record }) => record.gpus.length },
  GPU_FREE: { type: 'number', read: gpuFreeMilliOf },
  CLAIM_COUNT: { type: 'number', read: claimCountOf },
  INSTANCE_COUNT: { type: 'number', read: instancesOf },
  LAST_REPORT: { type: 'number', read: ({ record }) => record.reportedAt },
  ...ofEachTold('column', toldReader),
}

const compareValues = (a: Value, b: Value): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : byCodeUnit(String(a), String(b))
