import { hostNamesOf } from '@gantt/scheduler-core'
import { byField, compileQuery, hostFields, parseQuery, type QueryField, type QueryReaders, readField } from '@gantt/scheduler-core/query'
import { InputFault } from '../calls/outcome.ts'
import { inputProblems } from '../calls/query-problems.ts'
import type { HostView } from './host-view.ts'

/** Readers of the filter grammar's fields in a host. Ages are computed up to `now`, in milliseconds since 1970. */
const readersAt = (now: () => number): QueryReaders<HostView> => ({
  '': ({ record }) => [record.node === record.host ? record.host : `${record.host}/${record.node}`, ...hostNamesOf(record).slice(1)],
  ...byField(hostFields, 'name', (field) => (view: HostView) => readField(field, view, now())),
})

/** Compiles a line of the filter grammar to a test of one host. Throws InputFault that lists every problem with its position. */
export function compileHostQuery(
  text: string | null | undefined,
  path: readonly string[] = ['query'],
  now: () => number = Date.now,
): (view: HostView) => boolean {
  return compileLine(text, hostFields, readersAt(now), path)
}

/** Compiles a line of the filter grammar to a test of one row. Throws InputFault that lists every problem with its position. */
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
