import { quoteForShell } from '../../lib/shell.ts'
import { hostOfName } from './names.ts'

/** `instance` counts from 0; null leaves the choice to the service. */
export const commandExplain = (id: string, instance: number | null): string =>
  `gantt explain ${id}${instance === null ? '' : ` --instance ${instance}`}`

interface ForProject {
  readonly headline: string
  readonly demands: readonly { readonly text: string }[]
}

/** The text for the project of the request: a sentence, and each demand with its result. */
export const textForProject = ({ headline, demands }: ForProject): string =>
  [headline, ...(demands.length === 0 ? [] : ['', ...demands.map(({ text }) => `- ${text}`)])].join('\n')

export function commandWhyNot(id: string, instance: number | null, name: string): string {
  const { host, node } = hostOfName(name)
  const options = [node === null ? '' : ` --node ${quoteForShell(node)}`, instance === null ? '' : ` --instance ${instance}`]
  return `gantt why-not ${id} ${quoteForShell(host)}${options.join('')}`
}
