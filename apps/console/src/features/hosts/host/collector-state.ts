import { formatCount } from '../../../lib/format.ts'

/** The fields of a collector that say whether it sends its documents. */
export interface CollectorProgress {
  readonly state: 'WAITING' | 'SENDING' | 'SLOWED' | 'PAUSED' | 'FAILING'
  readonly intervalSeconds: number | null
}

/** The state of a collector in words. If it sends no documents, the text says "not sent", because the data can exist on the host. */
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

/**
 * A sentence for a namespace that a collector does not send, or seldom sends. Undefined if it is sent. `hasDocument`: the host has an
 * earlier document of the namespace.
 */
export function unsentNote({ state, intervalSeconds }: CollectorProgress, name: string, hasDocument: boolean): string | undefined {
  const last = (document: string): string => (hasDocument ? `This is ${document}.` : 'The host has no document.')
  switch (state) {
    case 'PAUSED':
      return `Not sent now: no profile in use reads it, so the collector ${name} is paused. ${last('the last document that it sent')}`
    case 'SLOWED':
      return `Sent only every ${formatCount(intervalSeconds ?? 0)} s: no profile in use reads it, so the collector ${name} is slowed. ${last('its last document')}`
    case 'FAILING':
      return `Not sent now: the collector ${name} fails. ${last('its last good document')}`
    case 'WAITING':
      return `Not sent yet: the collector ${name} was not run yet. ${last('an earlier document')}`
    default:
      return undefined
  }
}
