import { isTooLong } from '../../lib/graphiql.ts'

/** What the address of GraphiQL says; the same names as every GraphiQL has. */
export interface GraphiqlSearch {
  /** The document, as it is written. */
  readonly query?: string
  /** Its variables, as the text of a JSON object. */
  readonly variables?: string
}

export function readGraphiqlSearch({ query, variables }: Record<string, unknown>): GraphiqlSearch {
  return { ...text('query', query), ...text('variables', variables) }
}

/** What the editors hold as an address; nothing of it where it is too long for one. */
export function toSearch({ query, variables }: { readonly query: string | null; readonly variables: string | null }): GraphiqlSearch {
  const search = readGraphiqlSearch({ query, variables })
  return isTooLong(search) ? {} : search
}

const text = <Name extends string>(name: Name, value: unknown): { readonly [name in Name]?: string } =>
  typeof value === 'string' && value.trim() !== '' ? ({ [name]: value } as { readonly [name in Name]: string }) : {}
