import { quoteForShell } from './shell.ts'
import { type Operation, textOf } from './wire.ts'

// What a page shows as something to paste elsewhere.

type Variables = Readonly<Record<string, unknown>>

const textIn = (document: Operation | string): string => (typeof document === 'string' ? document : textOf(document))

/** A call with its variables, for GraphiQL and programs. */
export const graphqlOf = (document: Operation | string, variables: Variables = {}): string =>
  Object.keys(variables).length === 0 ? textIn(document) : `${textIn(document)}\n\n# variables\n${JSON.stringify(variables, null, 2)}\n`

/** A command line that asks the same; the key comes from the environment, never from a page. */
export function curlOf(origin: string, document: Operation | string, variables: Variables = {}): string {
  const query = textIn(document).replace(/\s+/g, ' ')
  const body = JSON.stringify(Object.keys(variables).length === 0 ? { query } : { query, variables })
  return `curl -s ${origin}/graphql -H "authorization: Bearer $GANTT_KEY" -H 'content-type: application/json' -d ${quoteForShell(body)}`
}

/** A command of the CLI with its options; those without a value are left out. */
export const commandOf = (command: string, options: Readonly<Record<string, string | null | undefined>> = {}): string =>
  [
    command,
    ...Object.entries(options).flatMap(([name, value]) =>
      value === undefined || value === null || value === '' ? [] : [`--${name} ${quoteForShell(value)}`],
    ),
  ].join(' ')
