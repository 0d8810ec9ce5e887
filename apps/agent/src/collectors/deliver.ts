import type { CallOptions, Gantt, ResourceName, ResourceStatsResult } from '@gantt/client'
import type { CollectorError } from './processes/run-process.ts'
import { concealing } from './secrets.ts'
import type { CollectorSettings } from './settings.ts'
import { plainText } from './text.ts'

/** A document of a namespace. */
export interface NamespaceDocument {
  readonly version: string
  readonly document: Readonly<Record<string, unknown>>
}

/**
 * The answer of the service to a document. `required` lists the namespaces that are read; undefined if the answer has no such list.
 * `unknown`: the host has not sent a full report yet.
 */
export type Answer =
  | { readonly type: 'accepted'; readonly required: readonly string[] | undefined }
  | { readonly type: 'refused'; readonly text: string }
  | { readonly type: 'unknown'; readonly text: string }

/**
 * Creates a function that sends the documents of one namespace about one host. It stores the incarnation and the sequence of its reports,
 * and sends a document only after the answer to the previous one. It rejects if the call fails.
 */
export function createDelivery(gantt: Gantt, name: ResourceName, namespace: string) {
  let incarnation = crypto.randomUUID()
  let sequence = 0
  let turn: Promise<unknown> = Promise.resolve()
  const send = async (held: NamespaceDocument, options: CallOptions): Promise<Answer> => {
    sequence += 1
    const update = { name, reporter: { incarnation, sequence }, report: { namespace: { namespace, ...held } } }
    const [result] = (await gantt.updateResourceStats([update], { ...options, required: true })).results
    if (result === undefined) throw new Error('expected one result for the report, found none')
    if (result.__typename !== 'ResourceStatsStale') return answerOf(result)
    // A copy of this report whose answer was lost was accepted, or another agent has reported for this host, perhaps with the same sequence.
    // In both cases the document is sent again by a new incarnation.
    incarnation = crypto.randomUUID()
    sequence = 0
    return await send(held, options)
  }
  return (held: NamespaceDocument, options: CallOptions): Promise<Answer> => {
    const answer = turn.then(() => send(held, options))
    turn = answer.catch(() => undefined)
    return answer
  }
}

function answerOf(result: Exclude<ResourceStatsResult, { __typename: 'ResourceStatsStale' }>): Answer {
  switch (result.__typename) {
    case 'ResourceStatsApplied':
      return { type: 'accepted', required: result.required?.namespaces.map(({ namespace }) => namespace) }
    case 'ResourceStatsNeedFull':
      return { type: 'unknown', text: result.message }
    default: {
      const issues = result.__typename === 'ValidationError' ? result.issues : []
      return { type: 'refused', text: issues.length === 0 ? result.message : issues.map(issueText).join('; ') }
    }
  }
}

/** The error of a collector whose document the service refused. The service quotes parts of the document, which can have any text. */
export const refusal = ({ text }: { readonly text: string }, settings: CollectorSettings): CollectorError => ({
  code: 'REFUSED',
  text: plainText(concealing(settings)(text)),
})

/** An error of the service in a document, with its code. The path within the call is left out, because it is the same for all documents. */
const issueText = ({ rule, message }: { readonly rule: string; readonly message: string }): string =>
  `${rule}: ${message.replace(/^input\.updates\.0\.report\.namespace\./, '')}`
