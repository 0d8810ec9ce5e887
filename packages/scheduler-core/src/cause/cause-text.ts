import { counted } from '../text/amount-text.ts'
import type { ReasonCode } from '../text/codes.ts'
import type { Cause } from './cause.ts'
import { roomText } from './members/room.ts'
import { tooFewText } from './members/too-few.ts'
import type { NearestHost, Refusals } from './refusal.ts'
import { shortfallsOf, shortfallsText } from './shortfalls.ts'
import { unknownText } from './unknown-instances.ts'
import { refusedHosts } from './words.ts'

/** A sentence names at most this many codes. `Cause.refusals` has all codes. */
const NAMED = 3

/** Describes the cause of a refusal in a few sentences. `way` is a sentence about a change that would make the placement possible. */
export const causeText = (cause: Cause, way?: string): string => [sentencesOf(cause), ...(way === undefined ? [] : [way])].join(' ')

function sentencesOf(cause: Cause): string {
  const { admission, admitted, refusals, nearest } = cause
  if (admitted === 0 && admission.length === 0) return 'No host has reported.'
  const near = nearest === null ? '' : ` ${hostText(cause, nearest, `${nearestText(cause)} `)}`
  // duplicates are removed, because a profile can list a filter twice
  const scope = listText([...new Set(admission.map(({ which }) => which))])
  if (admitted === 0) return `There is no host ${scope}.${aloneText(cause)}${exclusiveText(cause)}${near}`
  const which = scope === '' ? '' : ` ${scope}`
  const { before, what } = askedText(cause)
  // if only one host is admitted, the sentences about this host suffice
  if (admitted === 1 && nearest !== null)
    return `${before}The only host${which} does not take ${what}.${limitText(cause)} ${hostText(cause, nearest)}`
  if (cause.elsewhere !== null) return `${before}${elsewhereText(cause, cause.elsewhere, which)}${limitText(cause)}${near}`
  return `${before}${scope === '' ? 'Of' : 'Of the'} ${counted(admitted, 'host')}${which} none takes ${what}${countsText(refusals, admitted)}.${limitText(cause)}${near}`
}

/**
 * The beginning of the sentence about the nearest host. If other instances of the request are placed, its amounts are those that are left
 * then.
 */
function nearestText({ instances, onOneHost }: Cause): string {
  const found = onOneHost === null && instances !== null ? instances.found : 0
  if (found === 0) return 'Nearest is'
  return `With ${found === 1 ? 'this one' : 'these'} placed, the nearest is`
}

/** Describes that some hosts have room for all members of a server group, but the first one was placed on a host without enough room. */
function elsewhereText(
  { admitted, refusals, onOneHost }: Cause,
  { hosts, chosen }: NonNullable<Cause['elsewhere']>,
  which: string,
): string {
  const lacking = admitted - hosts
  const have = hosts === 1 ? '1 host has' : `${hosts} hosts have`
  const all = `all ${onOneHost} instances`
  return (
    `${counted(lacking, 'host')}${which} ${lacking === 1 ? 'does' : 'do'} not take ${all}${lacking === 1 ? '' : countsText(refusals, lacking)}. ` +
    `${have} room for ${all}, but the first one is placed on ${chosen}.`
  )
}

/** Describes how many instances are placed (`before`), and what no host takes (`what`). */
function askedText({ instances, onOneHost }: Cause): { readonly before: string; readonly what: string } {
  if (onOneHost !== null) return { before: '', what: `all ${onOneHost} instances` }
  if (instances === null) return { before: '', what: 'it' }
  const { found, asked, kind } = instances
  if (found === 0) return { before: `None of the ${asked} instances finds a host. `, what: `the first${kind === null ? '' : ` (${kind})`}` }
  return {
    before: `Only ${found} of the ${asked} instances would find a host. `,
    what: kind === null ? 'one more' : `the next one (${kind})`,
  }
}

/**
 * Describes how many hosts each condition alone would admit. If some hosts match all hosts, zones and aggregates that the request names,
 * only these hosts are counted. If a filter has several conditions, each condition is listed. Their combination is listed only if hosts
 * meet each condition but no host meets all of them.
 */
function aloneText({ admission, within }: Cause): string {
  const known = admission.filter(({ alone, each }) => alone !== null || each.length > 0)
  const all = known.flatMap(({ which, alone, each }) => {
    const isTogether = alone === 0 && each.length > 1 && each.every((one) => one.alone > 0)
    return each.length === 0 ? [{ which, alone }] : [...each, ...(isTogether && known.length > 1 ? [{ which, alone }] : [])]
  })
  const counts = all.map(({ which, alone }) => `${alone} ${which}`).join('; ')
  if (within !== null) {
    const there = ` There ${within.hosts === 1 ? 'is' : 'are'} ${counted(within.hosts, 'host')} ${listText(within.which)}`
    // the first sentence says already that no host meets the only other condition
    return all.length < 2 ? `${there}.` : `${there}: ${counts}.`
  }
  return all.length < 2 ? '' : ` Each by itself: ${counts}.`
}

/** Describes which conditions exclude each other: some hosts meet each condition, but no host meets all of them. */
function exclusiveText({ exclusive, within }: Cause): string {
  if (exclusive.length === 0) return ''
  const texts = exclusive.map((things) => (things.length === 2 ? `both ${things.join(' and ')}` : `all of: ${things.join('; ')}`))
  return ` ${within === null ? 'No host' : 'None of these'} is ${texts.join(', or ')}.`
}

/** Joins phrases about hosts: `in zone a, with b and with c`. */
function listText(phrases: readonly string[]): string {
  const last = phrases.at(-1) ?? ''
  return phrases.length < 2 ? last : `${phrases.slice(0, -1).join(', ')} and ${last}`
}

/** The counts of hosts by code. If the counts overlap, the text says so. */
function countsText(refusals: readonly Refusals[], admitted: number): string {
  const named = refusals.slice(0, NAMED).map(({ code, hosts }) => `${hosts} ${refusedHosts[code as ReasonCode] ?? `refused with ${code}`}`)
  const others = refusals.length - named.length
  const list = [...named, ...(others > 0 ? [`and ${others} more ${others === 1 ? 'reason' : 'reasons'}`] : [])].join(', ')
  const isOverlapping = refusals.reduce((sum, { hosts }) => sum + hosts, 0) > admitted
  return `${isOverlapping ? ', some for several reasons' : ''}: ${list}`
}

/**
 * Describes what limits the placement of all instances: one host must have enough for all members of a server group, there are too few hosts
 * or domains for the members, or the hosts are too small in total.
 */
function limitText({ tooFew, onOneHost, room, admitted }: Cause): string {
  if (onOneHost !== null) return ' The instances belong to one server group with an affinity policy, so one host must fit all of them.'
  if (tooFew !== null) return ` ${tooFewText(tooFew)}`
  return room === null ? '' : ` ${roomText(room, admitted)}`
}

/** The sentences about the nearest host. If no host has the instances that the request names, no host is nearer than others. */
const hostText = ({ unknown }: Cause, host: NearestHost, before = ''): string =>
  unknown.length > 0 ? unknownText(unknown) : `${before}${host.address}: ${shortfallsText(shortfallsOf(host))}`
