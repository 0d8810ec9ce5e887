import { amountText, counted, measureOf } from '../amount-text.ts'
import type { ReasonCode } from '../codes.ts'
import { reasonText } from '../decision/reason-text.ts'
import type { Fact } from '../evidence.ts'
import { hostKey } from '../fleet/hosts.ts'
import type { Admission, Cause, NearestHost, Refusals } from './cause.ts'
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
  if (admitted === 0) return `There is no host ${scope}.${aloneText(admission)}${near}`
  const which = scope === '' ? '' : ` ${scope}`
  // of one host its own sentences say all that counts would
  if (admitted === 1 && nearest !== null)
    return `The only host${which} does not take it.${groupText(cause)} ${hostKey(nearest.name)}: ${nearText(nearest)}`
  return `${scope === '' ? 'Of' : 'Of the'} ${counted(admitted, 'host')}${which} none takes it: ${countsText(refusals)}.${groupText(cause)}${near}`
}

/** How many hosts each condition would let in by itself: one that lets in none is in the way whatever the others are. */
function aloneText(admission: readonly Admission[]): string {
  if (admission.length < 2) return ''
  return ` Each by itself: ${admission.map(({ which, alone }) => `${alone} ${which}`).join('; ')}.`
}

function countsText(refusals: readonly Refusals[]): string {
  const named = refusals.slice(0, NAMED).map(({ code, hosts }) => `${hosts} ${refusedHosts[code as ReasonCode] ?? `refused with ${code}`}`)
  const others = refusals.length - named.length
  return [...named, ...(others > 0 ? [`and ${others} more ${others === 1 ? 'reason' : 'reasons'}`] : [])].join(', ')
}

/** Members that live together need one host for all; hosts are what is short where each of them has its members of the group already. */
function groupText({ tooFew, onOneHost }: Cause): string {
  if (onOneHost !== null)
    return ` Its ${onOneHost} instances are of one server group that lives together: one host needs room for all of them.`
  return tooFew === null ? '' : ` ${tooFewText(tooFew)}`
}

/** Each thing that is short is said once, whichever filters refuse the host for it. */
function nearText({ refusals }: NearestHost): string {
  const said = new Set<string>()
  const isNew = (what: string): boolean => what === '' || (!said.has(what) && said.add(what) !== undefined)
  const sentences = refusals.flatMap(({ reason, facts }) => [
    ...(isNew(whatIsShort(reason.subject, reason.unit, reason.need ?? reason.have)) ? [reasonText(reason)] : []),
    ...facts.filter(({ subject, unit, required, actual }) => isNew(whatIsShort(subject, unit, required ?? actual))).map(factText),
  ])
  return sentences.join(' ')
}

/** The thing that a sentence is about: an amount of something, whatever the number, or one word of several that may be asked for. */
function whatIsShort(subject: string | undefined, unit: string | undefined, value: string | number | undefined): string {
  if (subject === undefined || subject === '') return ''
  return [subject, measureOf(unit).several, typeof value === 'number' ? '' : (value ?? '')].join(' ')
}

function factText({ subject, required, actual, unit }: Fact): string {
  const sides = [
    ...(required === undefined ? [] : [`${amountText(required, unit)} needed`]),
    ...(actual === undefined ? [] : [`${amountText(actual, required === undefined ? unit : undefined)} here`]),
  ]
  return `${subject}: ${sides.join(', ')}.`
}
