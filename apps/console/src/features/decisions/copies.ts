import { quoteForShell } from '../../lib/shell.ts'
import { hostOfName } from './names.ts'

/** The CLI command that explains a decision. `instance` is an index from 0. With null, the service chooses the instance. */
export const commandExplain = (id: string, instance: number | null): string =>
  `gantt explain ${id}${instance === null ? '' : ` --instance ${instance}`}`

interface ForProject {
  readonly headline: string
  readonly demands: readonly { readonly text: string }[]
}

/**
 * A text for the owners of the request: a sentence, and each requirement with its result. It has no facts that the tenant (the OpenStack
 * project) must not see.
 */
export const textForProject = ({ headline, demands }: ForProject): string =>
  [headline, ...(demands.length === 0 ? [] : ['', ...demands.map(({ text }) => `- ${text}`)])].join('\n')

export function commandWhyNot(id: string, instance: number | null, name: string): string {
  const { host, node } = hostOfName(name)
  const options = [node === null ? '' : ` --node ${quoteForShell(node)}`, instance === null ? '' : ` --instance ${instance}`]
  return `gantt why-not ${id} ${quoteForShell(host)}${options.join('')}`
}
