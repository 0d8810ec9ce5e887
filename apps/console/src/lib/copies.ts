import { type Operation, textOf } from './service/wire.ts'
import { quoteForShell } from './shell.ts'

// Texts that pages offer to copy.

type Variables = Readonly<Record<string, unknown>>

const textIn = (document: Operation | string): string => (typeof document === 'string' ? document : textOf(document))

/** A call with its variables, for GraphiQL and programs. */
export const graphqlOf = (document: Operation | string, variables: Variables = {}): string =>
  Object.keys(variables).length === 0 ? textIn(document) : `${textIn(document)}\n\n# variables\n${JSON.stringify(variables, null, 2)}\n`

/** A curl command for the same call. The command reads the key from the environment and never contains it. */
export function curlOf(origin: string, document: Operation | string, variables: Variables = {}): string {
  const query = textIn(document).replace(/\s+/g, ' ')
  const body = JSON.stringify(Object.keys(variables).length === 0 ? { query } : { query, variables })
  return `curl -s ${origin}/graphql -H "authorization: Bearer $GANTT_KEY" -H 'content-type: application/json' -d ${quoteForShell(body)}`
}

/** A command of the CLI with its options. Options without a value are omitted. */
export const commandOf = (command: string, options: Readonly<Record<string, string | null | undefined>> = {}): string =>
  [
    command,
    ...Object.entries(options).flatMap(([name, value]) =>
      value === undefined || value === null || value === '' ? [] : [`--${name} ${quoteForShell(value)}`],
    ),
  ].join(' ')
