import { formatCount } from '../../../lib/format.ts'

/** The fields of a collector that say whether it sends its documents. */
export interface CollectorProgress {
  readonly state: 'WAITING' | 'SENDING' | 'SLOWED' | 'PAUSED' | 'FAILING'
  readonly intervalSeconds: number | null
}

/** The state of a collector in words. What is not sent is called not sent, and not absent. */
export function collectorState({ state, intervalSeconds }: CollectorProgress): string {
  const every = intervalSeconds === null ? '' : ` every ${formatCount(intervalSeconds)} s`
  switch (state) {
    case 'WAITING':
      return 'not run yet'
    case 'SENDING':
      return `sent${every}`
    case 'SLOWED':
      return `sent only${every}: no profile in use reads it`
    case 'PAUSED':
      return 'not sent: no profile in use reads it'
    default:
      return 'failing'
  }
}

/** A sentence for a document that its collector no longer sends, or seldom sends. Undefined if it is sent. */
export function unsentNote({ state, intervalSeconds }: CollectorProgress, name: string): string | undefined {
  switch (state) {
    case 'PAUSED':
      return `Not sent now: no profile in use reads it, so the collector ${name} is paused. This is the last document that it sent.`
    case 'SLOWED':
      return `Sent only every ${formatCount(intervalSeconds ?? 0)} s: no profile in use reads it, so the collector ${name} is slowed.`
    case 'FAILING':
      return `Not sent now: the collector ${name} fails. This is its last good document.`
    default:
      return undefined
  }
}
