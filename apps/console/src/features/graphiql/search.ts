import { isTooLong } from '../../lib/graphiql.ts'

/** The query parameters of GraphiQL's address, with the names that every GraphiQL uses. */
export interface GraphiqlSearch {
  /** The document, as it is written. */
  readonly query?: string
  /** The variables, as the text of a JSON object. */
  readonly variables?: string
}

export function readGraphiqlSearch({ query, variables }: Record<string, unknown>): GraphiqlSearch {
  return { ...text('query', query), ...text('variables', variables) }
}

/** The editors' content as an address; empty if it is too long. */
export function toSearch({ query, variables }: { readonly query: string | null; readonly variables: string | null }): GraphiqlSearch {
  const search = readGraphiqlSearch({ query, variables })
  return isTooLong(search) ? {} : search
}

const text = <Name extends string>(name: Name, value: unknown): { readonly [name in Name]?: string } =>
  typeof value === 'string' && value.trim() !== '' ? ({ [name]: value } as { readonly [name in Name]: string }) : {}
