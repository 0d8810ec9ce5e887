import { type Operation, textOf } from './wire.ts'

/** What the address of GraphiQL holds, and its editors. */
interface InAddress {
  readonly query: string
  /** The text of a JSON object. */
  readonly variables?: string
}

/** What is longer stays out of an address: the service reads heads of requests up to 32 KB. */
const MOST_CHARACTERS = 12_000

export const isTooLong = ({ query = '', variables = '' }: Partial<InAddress>): boolean =>
  encodeURIComponent(`${query}${variables}`).length > MOST_CHARACTERS

/** A call as the editors of GraphiQL hold it. */
export const inEditors = (document: string | Operation, variables: Readonly<Record<string, unknown>> = {}): InAddress => ({
  query: typeof document === 'string' ? document : textOf(document),
  ...(Object.keys(variables).length === 0 ? {} : { variables: JSON.stringify(variables, null, 2) }),
})

/** The address of GraphiQL behind its question mark, with a call in its editors; undefined where the call is too long for one. */
export function toGraphiql(document: string | Operation, variables?: Readonly<Record<string, unknown>>): InAddress | undefined {
  const call = inEditors(document, variables)
  return isTooLong(call) ? undefined : call
}
