import type { CollectorView } from './collector.ts'

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
      ...(error !== null && { error: { code: error.code, text: cut(error.text), at: timeOf(error.at) } }),
      // while documents are sent, the time of the last good one changes with every run, and the document itself shows it
      ...(lastGoodAt !== null && (state === 'FAILING' || state === 'PAUSED') && { lastGoodAt: timeOf(lastGoodAt) }),
    })),
  }
}

const timeOf = (ms: number): string => new Date(ms).toISOString()

/** Shortens a text, and replaces characters that no name or text of the service may have. */
const cut = (text: string): string => {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 3)}...` : text
  // also replaces the half of a character that was cut in two
  return short.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
}
