import { type Fleet, type HostIndex, hostNamesOf, isLive } from '@gantt/scheduler-core'
import { compileQuery, hostFields, ofEachTold, parseQuery, type QueryField, type QueryReaders } from '@gantt/scheduler-core/query'
import { type HostView, stateOf, statusOf } from './host-view.ts'
import { InputFault } from './outcome.ts'
import { inputProblems } from './query-problems.ts'

/** Live claims of a host. */
export function claimCountOf({ record }: HostView): number {
  let count = 0
  for (const claim of record.claims) if (isLive(claim)) count++
  return count
}

/** What can still be given of a class; 0 where the host does not report it. */
export const freeOf = ({ fleet, record }: HostView, resourceClass: string): number =>
  fleet.hosts.classes.get(resourceClass)?.free[record.index] ?? 0

export const totalOf = ({ fleet, record }: HostView, resourceClass: string): number =>
  fleet.hosts.classes.get(resourceClass)?.capacity[record.index] ?? 0

/** Used and claimed as a share of the capacity, 0 to 100 and above where the host is over-full; 0 without capacity. */
export function usedPercentOf(view: HostView, resourceClass: string): number {
  const capacity = totalOf(view, resourceClass)
  return capacity === 0 ? 0 : (100 * (capacity - freeOf(view, resourceClass))) / capacity
}

/** Thousandths of GPUs that are free. */
export const gpuFreeMilliOf = ({ fleet, record }: HostView): number => fleet.hosts.columns.gpuFreeMilli[record.index as HostIndex] ?? 0

export const instancesOf = ({ fleet, record }: HostView): number => fleet.hosts.columns.instances[record.index] ?? 0

/** Names of the aggregates that a host is in. */
const aggregateNamesOf = ({ fleet, record }: HostView): string[] => record.aggregates.map(aggregateNamesIn(fleet))

/** The name of an aggregate, by its uuid. */
export const aggregateNamesIn =
  ({ aggregates }: Fleet) =>
  (uuid: string): string =>
    aggregates.byUuid.get(uuid)?.name ?? uuid

/** How the fields of the filter grammar are read from a host. Ages are counted to `now`, milliseconds since 1970. */
const readersAt = (now: () => number): QueryReaders<HostView> => ({
  '': ({ record }) => [record.node === record.host ? record.host : `${record.host}/${record.node}`, ...hostNamesOf(record).slice(1)],
  host: ({ record }) => hostNamesOf(record),
  node: ({ record }) => record.node,
  az: ({ record }) => record.zone,
  agg: aggregateNamesOf,
  state: stateOf,
  status: statusOf,
  trait: ({ record }) => [...record.traits],
  'cpu.free': (view) => freeOf(view, 'VCPU'),
  'cpu.total': (view) => totalOf(view, 'VCPU'),
  'cpu.used': (view) => usedPercentOf(view, 'VCPU'),
  'mem.free': (view) => freeOf(view, 'MEMORY_MB'),
  'mem.used': (view) => usedPercentOf(view, 'MEMORY_MB'),
  'disk.free': (view) => freeOf(view, 'DISK_GB'),
  'disk.used': (view) => usedPercentOf(view, 'DISK_GB'),
  'gpu.count': ({ record }) => record.gpus.length,
  'gpu.free': (view) => gpuFreeMilliOf(view) / 1_000,
  claims: claimCountOf,
  instances: instancesOf,
  age: ({ record }) => (record.reportedAt === 0 ? undefined : (now() - record.reportedAt) / 1_000),
  ...ofEachTold(
    'name',
    ({ tell }) =>
      ({ record }: HostView) =>
        tell(record.stats) ?? undefined,
  ),
})

/** A test of one host by a line of the filter grammar. Throws InputFault that lists every problem with its place. */
export function compileHostQuery(
  text: string | null | undefined,
  path: readonly string[] = ['query'],
  now: () => number = Date.now,
): (view: HostView) => boolean {
  return compileLine(text, hostFields, readersAt(now), path)
}

/** A test of rows by a line of the filter grammar. Throws InputFault that lists every problem with its place. */
export function compileLine<Row>(
  text: string | null | undefined,
  fields: readonly QueryField[],
  read: QueryReaders<Row>,
  path: readonly string[] = ['query'],
): (row: Row) => boolean {
  const { query, problems } = parseQuery(text ?? '', fields)
  if (problems.length > 0) throw new InputFault(inputProblems(problems, text ?? '', path))
  return compileQuery(query, fields, read)
}
