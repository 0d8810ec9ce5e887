import { isTooLong } from '../../lib/graphiql.ts'

/** The query parameters of the GraphiQL page. Their names are those that GraphiQL itself uses in URLs. */
export interface GraphiqlSearch {
  /** The text of the GraphQL document. */
  readonly query?: string
  /** The variables, as the text of a JSON object. */
  readonly variables?: string
}

export function readGraphiqlSearch({ query, variables }: Record<string, unknown>): GraphiqlSearch {
  return { ...text('query', query), ...text('variables', variables) }
}

/** The content of the editors as query parameters. Empty if the content is too long for a URL. */
export function toSearch({ query, variables }: { readonly query: string | null; readonly variables: string | null }): GraphiqlSearch {
  const search = readGraphiqlSearch({ query, variables })
  return isTooLong(search) ? {} : search
}

const text = <Name extends string>(name: Name, value: unknown): { readonly [name in Name]?: string } =>
  typeof value === 'string' && value.trim() !== '' ? ({ [name]: value } as { readonly [name in Name]: string }) : {}
