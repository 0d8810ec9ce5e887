import { counted } from '../text/amount-text.ts'
import type { ReasonCode } from '../text/codes.ts'
import type { Cause } from './cause.ts'
import type { NearestHost, Refusals } from './refusal.ts'
import { shortfallsOf, shortfallsText } from './shortfalls.ts'
import { tooFewText } from './too-few.ts'
import { refusedHosts } from './words.ts'

/** A sentence names at most this many codes. `refusals` contains all codes. */
const NAMED = 3

/**
 * The cause of a refusal in a few sentences: the shortfalls of the nearest host, then, if it is known, what would make a placement possible
 * (schedulers/way-out.ts).
 */
export const causeText = (cause: Cause, way?: string): string => [sentencesOf(cause), ...(way === undefined ? [] : [way])].join(' ')

function sentencesOf(cause: Cause): string {
  const { admission, admitted, refusals, nearest } = cause
  if (admitted === 0 && admission.length === 0) return 'No host has reported.'
  const near = nearest === null ? '' : ` Nearest is ${nearest.address}: ${nearText(nearest)}`
  // a profile may list a filter twice
  const scope = [...new Set(admission.map(({ which }) => which))].join(', ')
  if (admitted === 0) return `There is no host ${scope}.${aloneText(cause)}${exclusiveText(cause)}${near}`
  const which = scope === '' ? '' : ` ${scope}`
  const { before, what } = askedText(cause)
  // for a single host, counts add nothing to the sentences about the host
  if (admitted === 1 && nearest !== null)
    return `${before}The only host${which} does not take ${what}.${groupText(cause)} ${nearest.address}: ${nearText(nearest)}`
  return `${before}${scope === '' ? 'Of' : 'Of the'} ${counted(admitted, 'host')}${which} none takes ${what}: ${countsText(refusals)}.${groupText(cause)}${near}`
}

/** The number of placed instances, and the first instance that is not placed. */
function askedText({ instances, onOneHost }: Cause): { readonly before: string; readonly what: string } {
  if (onOneHost !== null) return { before: '', what: `all ${onOneHost} instances` }
  if (instances === null) return { before: '', what: 'it' }
  const { found, asked, kind } = instances
  const which = kind === null ? '' : ` (${kind})`
  if (found === 0) return { before: `None of ${asked} instances finds a host. `, what: `the first${which}` }
  return { before: `${found} of ${asked} instances ${found === 1 ? 'finds' : 'find'} a host. `, what: `one more${which}` }
}

/**
 * The number of hosts that each condition alone would admit. If a condition admits no host, it is the cause, regardless of the other
 * conditions. If hosts are in all the places that the request names, only these hosts are counted. For a filter with several conditions,
 * each condition is named separately. Their combination is named only if hosts meet each condition but no host meets all.
 */
function aloneText({ admission, within }: Cause): string {
  const counted = admission.filter(({ alone, each }) => alone !== null || each.length > 0)
  const all = counted.flatMap(({ which, alone, each }) => {
    const isTogether = alone === 0 && each.length > 1 && each.every((one) => one.alone > 0)
    return each.length === 0 ? [{ which, alone }] : [...each, ...(isTogether && counted.length > 1 ? [{ which, alone }] : [])]
  })
  const counts = all.map(({ which, alone }) => `${alone} ${which}`).join('; ')
  if (within !== null) return ` There ${within.hosts === 1 ? 'is' : 'are'} ${within.hosts} ${within.which.join(', ')}, of these ${counts}.`
  return all.length < 2 ? '' : ` Each by itself: ${counts}.`
}

/** Describes which conditions no host meets together, although hosts meet each of them. */
function exclusiveText({ exclusive, within }: Cause): string {
  if (exclusive.length === 0) return ''
  const texts = exclusive.map((things) => (things.length === 2 ? `both ${things.join(' and ')}` : `all of: ${things.join('; ')}`))
  return ` ${within === null ? 'No host' : 'None of these'} is ${texts.join(', or ')}.`
}

function countsText(refusals: readonly Refusals[]): string {
  const named = refusals.slice(0, NAMED).map(({ code, hosts }) => `${hosts} ${refusedHosts[code as ReasonCode] ?? `refused with ${code}`}`)
  const others = refusals.length - named.length
  return [...named, ...(others > 0 ? [`and ${others} more ${others === 1 ? 'reason' : 'reasons'}`] : [])].join(', ')
}

/**
 * Text about a server group. If members must share a host, one host must have space for all. If every host already has its members of the
 * group, there are too few hosts.
 */
function groupText({ tooFew, onOneHost }: Cause): string {
  if (onOneHost !== null) return ' They are of one server group that lives together: one host needs room for all of them.'
  return tooFew === null ? '' : ` ${tooFewText(tooFew)}`
}

const nearText = (host: NearestHost): string => shortfallsText(shortfallsOf(host))
