import { formatCount } from '../../../lib/format.ts'

/** The fields of a collector that say whether it sends its documents. */
export interface CollectorProgress {
  readonly state: 'WAITING' | 'SENDING' | 'SLOWED' | 'PAUSED' | 'FAILING'
  readonly intervalSeconds: number | null
  /** True if the agent has not repeated the state, so that it is only known what it was. */
  readonly outdated: boolean
}

const everyOf = ({ intervalSeconds }: CollectorProgress): string =>
  intervalSeconds === null ? '' : ` every ${formatCount(intervalSeconds)} s`

/**
 * The state of a collector in words. If it sends no documents, the text says "not sent", because the data can exist on the host. The text
 * for an outdated state is in the past tense.
 */
export function collectorState(collector: CollectorProgress): string {
  const every = everyOf(collector)
  const texts: Readonly<Record<CollectorProgress['state'], readonly [now: string, then: string]>> = {
    WAITING: ['not run yet', 'had not been run yet'],
    SENDING: [`sent${every}`, `was sent${every}`],
    SLOWED: [`sent only${every}: no profile in use reads it`, `was sent only${every}: no profile in use read it`],
    PAUSED: ['not sent: no profile in use reads it', 'was not sent: no profile in use read it'],
    FAILING: ['failing', 'was failing'],
  }
  const [now, then] = texts[collector.state]
  return collector.outdated ? then : now
}

/**
 * A sentence for a namespace that a collector does not send, or seldom sends, or of which this is not known now, because the state is
 * outdated. Undefined if it is sent. `hasDocument`: the host has an earlier document of the namespace.
 */
export function unsentNote(collector: CollectorProgress, name: string, hasDocument: boolean): string | undefined {
  const { state, outdated } = collector
  const every = everyOf(collector)
  const texts: Readonly<Record<CollectorProgress['state'], readonly [now: string | undefined, then: string, document: string]>> = {
    WAITING: [`Not sent yet: the collector ${name} was not run yet.`, `The collector ${name} had not been run yet.`, 'an earlier document'],
    SENDING: [undefined, `The collector ${name} sent it${every}.`, 'its last document'],
    SLOWED: [
      `Sent only${every}: no profile in use reads it, so the collector ${name} is slowed.`,
      `The collector ${name} sent it only${every}: no profile in use read it.`,
      'its last document',
    ],
    PAUSED: [
      `Not sent now: no profile in use reads it, so the collector ${name} is paused.`,
      `The collector ${name} was paused: no profile in use read it.`,
      'the last document that it sent',
    ],
    FAILING: [`Not sent now: the collector ${name} fails.`, `The collector ${name} was failing.`, 'its last good document'],
  }
  const [now, then, document] = texts[state]
  const sentence = outdated ? then : now
  return sentence && `${sentence} ${hasDocument ? `This is ${document}.` : 'The host has no document.'}`
}
