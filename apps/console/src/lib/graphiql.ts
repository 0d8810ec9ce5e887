import { type Operation, textOf } from './service/wire.ts'

/** The content of GraphiQL's editors, which is also in the URL of the page. */
interface InAddress {
  readonly query: string
  /** The text of a JSON object. */
  readonly variables?: string
}

/** A URL can have texts of at most this many characters, because the service accepts request heads of up to 32 KB. */
const MAX_CHARACTERS = 12_000

export const isTooLong = ({ query = '', variables = '' }: Partial<InAddress>): boolean =>
  encodeURIComponent(`${query}${variables}`).length > MAX_CHARACTERS

/** Converts a call to the texts of GraphiQL's editors. */
export const inEditors = (document: string | Operation, variables: Readonly<Record<string, unknown>> = {}): InAddress => ({
  query: typeof document === 'string' ? document : textOf(document),
  ...(Object.keys(variables).length === 0 ? {} : { variables: JSON.stringify(variables, null, 2) }),
})

/** The query parameters that open GraphiQL with a call in its editors. Undefined if the call is too long for a URL. */
export function toGraphiql(document: string | Operation, variables?: Readonly<Record<string, unknown>>): InAddress | undefined {
  const call = inEditors(document, variables)
  return isTooLong(call) ? undefined : call
}
