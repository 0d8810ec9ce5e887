import type { FieldChange } from '@gantt/scheduler-core'
import type { TimelineRow } from '../../db/tables/host-timeline.ts'
import { sentenceOf } from '../calls/outcome.ts'

/** The text of an event names at most this many changes. */
const NAMED = 3

/** The event in one sentence, without the time. */
export function timelineText(row: TimelineRow): string {
  const { kind, reason, aggregateName, changes, untold, instanceUuid, endedAs, code, attempt } = row
  const instance = instanceUuid === null ? 'an instance without a name' : `instance ${instanceUuid}`
  switch (kind) {
    case 'FIRST_REPORT':
      return 'The host reported for the first time.'
    case 'INVENTORY':
      return `The reported inventory changed: ${listOf(changes, untold)}.`
    case 'STATUS':
      return `The status was set: ${because(changes.length === 0 ? 'another reason' : listOf(changes, 0), reason)}.`
    case 'LIVENESS':
      return `The liveness changed: ${because(changes.length === 0 ? 'another reason' : listOf(changes, 0), reason)}.`
    case 'FORGOTTEN':
      return `The host was ${because('forgotten', reason)}.`
    case 'READMITTED':
      return 'The host was readmitted. Its next full report adds it to the fleet again.'
    case 'REPLACED':
      return `The host was ${because('replaced', reason)}: ${listOf(changes, untold)}.`
    case 'AGGREGATE_JOINED':
      return `The host was added to the aggregate ${aggregateName}${changes.length === 0 ? '' : `: ${listOf(changes, 0)}`}.`
    case 'AGGREGATE_LEFT':
      return `The host was removed from the aggregate ${aggregateName}${changes.length === 0 ? '' : `: ${listOf(changes, 0)}`}.`
    case 'AGGREGATE_EDITED':
      return `The aggregate ${aggregateName}, which contains the host, was edited: ${listOf(changes, untold)}.`
    case 'CLAIM_MADE':
      return `Resources were claimed for ${instance}.`
    case 'CLAIM_CONFIRMED':
      return `The claim for ${instance} was confirmed.`
    case 'CLAIM_ENDED':
      return `The claim for ${instance} ended: ${because((endedAs ?? 'ended').toLowerCase(), reason)}.`
    case 'TRY_LOST':
      return `Attempt ${attempt} of a decision chose the host but had no effect: ${code === null ? 'Another entry was written first.' : sentenceOf(code)}`
  }
}

const because = (what: string, reason: string | null): string => (reason === null ? what : `${what} (${reason})`)

const listOf = (changes: readonly FieldChange[], untold: number): string => {
  const named = changes.slice(0, NAMED).map(({ field, before, after }) => `${field} ${before ?? 'none'} -> ${after ?? 'none'}`)
  const more = changes.length - named.length + untold
  return `${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}
