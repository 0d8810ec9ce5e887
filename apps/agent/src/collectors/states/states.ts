import type { CollectorView } from '../collector.ts'
import { cutText, plainText } from '../text.ts'

/** The namespace of the states. The service defines it. */
export const STATES = { namespace: 'collectors', version: '1.0' } as const

/** The maximum length of an error's text in the states, in characters. The service has the same limit. */
const MAX_TEXT = 500

/**
 * The document of the namespace `collectors`, version 1.0: the states of all collectors of a host. It contains no value that changes with
 * every run, because each changed document is written to the log of the service.
 */
export function statesDocument(views: readonly CollectorView[]): Readonly<Record<string, unknown>> {
  return {
    collectors: views.map(({ name, namespace, state, since, intervalSeconds, error, lastGoodAt }) => ({
      ...{ name, namespace, state, since: timeOf(since) },
      ...(intervalSeconds !== null && { intervalSeconds }),
      ...(error !== null && { error: { code: error.code, text: cutText(plainText(error.text), MAX_TEXT), at: timeOf(error.at) } }),
      // while documents are sent, the time of the last good one changes with every run, and the document itself shows it
      ...(lastGoodAt !== null && (state === 'FAILING' || state === 'PAUSED') && { lastGoodAt: timeOf(lastGoodAt) }),
    })),
  }
}

const timeOf = (ms: number): string => new Date(ms).toISOString()
