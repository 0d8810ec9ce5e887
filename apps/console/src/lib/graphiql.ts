import { type Operation, textOf } from './wire.ts'

/** The address of GraphiQL behind its question mark, with a call in its editors. */
export function toGraphiql(document: string | Operation, variables: Readonly<Record<string, unknown>> = {}) {
  return {
    query: typeof document === 'string' ? document : textOf(document),
    ...(Object.keys(variables).length === 0 ? {} : { variables: JSON.stringify(variables, null, 2) }),
  }
}
