import { byField, type FieldHolding, fieldsHolding } from '@gantt/scheduler-core/query'
import type { FleetStore } from './fleet-store.ts'

/** One host of the list, by field. Rows are created from the columns only for visible hosts and for copies. */
export interface HostRow {
  readonly host: string
  readonly node: string
  readonly hasOtherNodes: boolean
  readonly texts: Readonly<Record<FieldHolding<'code'>['name'], string>>
  /** The texts of a field with several texts, or the one text of an optional field. Empty if the host does not report it. */
  readonly sets: Readonly<Record<FieldHolding<'set'>['name'], readonly string[]>>
  /**
   * The values in the units of their fields. Only `age` is different: it has the time of the last report in milliseconds since 1970, or 0.
   */
  readonly numbers: Readonly<Record<FieldHolding<'number'>['name'], number>>
}

const [codes, sets, numbers] = [fieldsHolding('code'), fieldsHolding('set'), fieldsHolding('number')]

export const readHost = (store: FleetStore, ordinal: number): HostRow => ({
  host: store.nameOf(ordinal),
  node: store.nodeOf(ordinal),
  hasOtherNodes: store.hasOtherNodes(ordinal),
  texts: byField(codes, 'name', ({ column }) => store.dictionary(column).values[store.codes(column)[ordinal] ?? 0] ?? ''),
  sets: byField(sets, 'name', ({ column }) => store.sets(column).texts[store.codes(column)[ordinal] ?? 0] ?? []),
  numbers: byField(numbers, 'name', (field) => (store.numbers(field.column)[ordinal] ?? 0) / ('scale' in field ? field.scale : 1)),
})

/** The key of a host in URLs and verdicts: `host`, or `host/node` if the node has another name. `hostLabel` returns the text to show. */
export const keyOf = ({ host, node }: { readonly host: string; readonly node: string }): string =>
  host === node ? host : `${host}/${node}`

/** Parses a host that was typed as HOST or HOST/NODE, the form that `hostLabel` prints. */
export function readHostName(text: string): { readonly host: string; readonly node?: string } {
  const slash = text.indexOf('/')
  return slash <= 0 || slash === text.length - 1 ? { host: text } : { host: text.slice(0, slash), node: text.slice(slash + 1) }
}
