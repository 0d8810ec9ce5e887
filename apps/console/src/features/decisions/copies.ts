import { print } from 'graphql'
import { quoteForShell } from '../../lib/shell.ts'
import type { Operation } from '../../lib/wire.ts'
import { hostOfName } from './names.ts'

/** A decision as something to paste elsewhere. */

/** The call that a page made, with its variables, for GraphiQL and programs. */
export const graphqlOf = (document: Operation, variables: Readonly<Record<string, unknown>>): string =>
  `${print(document)}\n\n# variables\n${JSON.stringify(variables, null, 2)}\n`

/** A command line that asks the same; the key comes from the environment, never from a page. */
export function curlOf(origin: string, document: Operation, variables: Readonly<Record<string, unknown>>): string {
  const body = JSON.stringify({ query: print(document).replace(/\s+/g, ' '), variables })
  return `curl -s ${origin}/graphql -H "authorization: Bearer $GANTT_KEY" -H 'content-type: application/json' -d ${quoteForShell(body)}`
}

/** `instance` counts from 0; null: the service's own choice. */
export const commandExplain = (id: string, instance: number | null): string =>
  `gantt explain ${id}${instance === null ? '' : ` --instance ${instance}`}`

export function commandWhyNot(id: string, instance: number | null, name: string): string {
  const { host, node } = hostOfName(name)
  const options = [node === null ? '' : ` --node ${quoteForShell(node)}`, instance === null ? '' : ` --instance ${instance}`]
  return `gantt why-not ${id} ${quoteForShell(host)}${options.join('')}`
}
