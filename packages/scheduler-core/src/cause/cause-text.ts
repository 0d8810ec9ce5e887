import { counted } from '../amount-text.ts'
import type { ReasonCode } from '../codes.ts'
import { hostKey } from '../fleet/hosts.ts'
import type { Admission } from './admission.ts'
import type { Cause } from './cause.ts'
import type { NearestHost, Refusals } from './refusal.ts'
import { shortfallsOf, shortfallsText } from './shortfalls.ts'
import { tooFewText } from './too-few.ts'
import { refusedHosts } from './words.ts'

/** How many codes a sentence names; `refusals` has them all. */
const NAMED = 3

/** The cause of a refusal in a few sentences, with the numbers of the nearest host, then the way out where there is one (schedulers/way-out.ts). */
export const causeText = (cause: Cause, way?: string): string => [sentencesOf(cause), ...(way === undefined ? [] : [way])].join(' ')

function sentencesOf(cause: Cause): string {
  const { admission, admitted, refusals, nearest } = cause
  if (admitted === 0 && admission.length === 0) return 'No host has reported.'
  const near = nearest === null ? '' : ` Nearest is ${hostKey(nearest.name)}: ${nearText(nearest)}`
  const scope = admission.map(({ which }) => which).join(', ')
  if (admitted === 0) return `There is no host ${scope}.${aloneText(admission)}${exclusiveText(cause)}${near}`
  const which = scope === '' ? '' : ` ${scope}`
  const { before, what } = askedText(cause)
  // of one host its own sentences say all that counts would
  if (admitted === 1 && nearest !== null)
    return `${before}The only host${which} does not take ${what}.${groupText(cause)} ${hostKey(nearest.name)}: ${nearText(nearest)}`
  return `${before}${scope === '' ? 'Of' : 'Of the'} ${counted(admitted, 'host')}${which} none takes ${what}: ${countsText(refusals)}.${groupText(cause)}${near}`
}

/** How many instances find a host, and which of them finds none. */
function askedText({ instances, onOneHost }: Cause): { readonly before: string; readonly what: string } {
  if (onOneHost !== null) return { before: '', what: `all ${onOneHost} instances` }
  if (instances === null) return { before: '', what: 'it' }
  const { found, asked, kind } = instances
  const which = kind === null ? '' : ` (${kind})`
  if (found === 0) return { before: `None of ${asked} instances finds a host. `, what: `the first${which}` }
  return { before: `${found} of ${asked} instances ${found === 1 ? 'finds' : 'find'} a host. `, what: `one more${which}` }
}

/**
 * How many hosts each condition would let in by itself: one that lets in none is in the way whatever the others are. Of a filter that asks for
 * several things each of them is said, and all together only where hosts have each but not together.
 */
function aloneText(admission: readonly Admission[]): string {
  const all = admission.flatMap(({ which, alone, each }) => {
    const isTogether = alone === 0 && each.length > 0 && each.every((one) => one.alone > 0)
    return each.length === 0 ? [{ which, alone }] : [...each, ...(isTogether && admission.length > 1 ? [{ which, alone }] : [])]
  })
  return all.length < 2 ? '' : ` Each by itself: ${all.map(({ which, alone }) => `${alone} ${which}`).join('; ')}.`
}

/** Which of several things exclude each other, where hosts have each of them. */
function exclusiveText({ exclusive }: Cause): string {
  const { within, sets } = exclusive
  if (sets.length === 0) return ''
  const texts = sets.map((things) => (things.length === 2 ? `both ${things.join(' and ')}` : `all of: ${things.join('; ')}`))
  return ` No host${within.length === 0 ? '' : ` ${within.join(', ')}`} is ${texts.join(', or ')}.`
}

function countsText(refusals: readonly Refusals[]): string {
  const named = refusals.slice(0, NAMED).map(({ code, hosts }) => `${hosts} ${refusedHosts[code as ReasonCode] ?? `refused with ${code}`}`)
  const others = refusals.length - named.length
  return [...named, ...(others > 0 ? [`and ${others} more ${others === 1 ? 'reason' : 'reasons'}`] : [])].join(', ')
}

/** Members that live together need one host for all; hosts are what is short where each of them has its members of the group already. */
function groupText({ tooFew, onOneHost }: Cause): string {
  if (onOneHost !== null) return ' They are of one server group that lives together: one host needs room for all of them.'
  return tooFew === null ? '' : ` ${tooFewText(tooFew)}`
}

const nearText = (host: NearestHost): string => shortfallsText(shortfallsOf(host))
