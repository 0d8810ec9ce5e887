import { quoteForShell } from '../../lib/shell.ts'
import { hostOfName } from './names.ts'

/** A decision as something to paste elsewhere. */

/** `instance` counts from 0; null: the service's own choice. */
export const commandExplain = (id: string, instance: number | null): string =>
  `gantt explain ${id}${instance === null ? '' : ` --instance ${instance}`}`

interface ForProject {
  readonly headline: string
  readonly demands: readonly { readonly text: string }[]
}

/** What may be reported to whoever asked for the instance: a sentence, and each demand with what became of it. */
export const textForProject = ({ headline, demands }: ForProject): string =>
  [headline, ...(demands.length === 0 ? [] : ['', ...demands.map(({ text }) => `- ${text}`)])].join('\n')

export function commandWhyNot(id: string, instance: number | null, name: string): string {
  const { host, node } = hostOfName(name)
  const options = [node === null ? '' : ` --node ${quoteForShell(node)}`, instance === null ? '' : ` --instance ${instance}`]
  return `gantt why-not ${id} ${quoteForShell(host)}${options.join('')}`
}
