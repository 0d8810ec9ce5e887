import type { ReasonCode } from '../codes.ts'
import { reasonText } from '../decision/reason-text.ts'
import type { Fact } from '../evidence.ts'
import { hostKey } from '../fleet/hosts.ts'
import type { Admission, Cause, Refusals } from './cause.ts'
import { refusedHosts } from './words.ts'

/** How many codes a sentence names; `refusals` has them all. */
const NAMED = 3

/** The cause of a refusal in a few sentences, with the numbers of the nearest host. */
export function causeText(cause: Cause): string {
  const { admission, admitted, refusals, nearest } = cause
  if (admitted === 0 && admission.length === 0) return 'No host has reported.'
  const near = nearest === null ? '' : nearText(nearest)
  const scope = admission.map(({ which }) => which).join(', ')
  if (admitted === 0) return `There is no host ${scope}.${aloneText(admission)}${near}`
  const hosts = `${scope === '' ? 'Of' : 'Of the'} ${admitted} ${admitted === 1 ? 'host' : 'hosts'}${scope === '' ? '' : ` ${scope}`}`
  return `${hosts} none takes it: ${countsText(refusals)}.${groupText(cause)}${near}`
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
function groupText({ refusals, admitted, groupSize, onOneHost }: Cause): string {
  if (onOneHost !== null)
    return ` Its ${onOneHost} instances are of one server group that lives together: one host needs room for all of them.`
  const full = refusals.find(({ code }) => code === 'group.anti_affinity')
  if (groupSize === null || full?.hosts !== admitted) return ''
  return ` The group needs room for ${groupSize} members apart from each other, and the request admits ${admitted} ${admitted === 1 ? 'host' : 'hosts'}.`
}

/** Each thing that is short is said once, whichever filters refuse the host for it. */
function nearText({ name, refusals }: NonNullable<Cause['nearest']>): string {
  const said = new Set<string>()
  const isNew = (subject = ''): boolean => subject === '' || (!said.has(subject) && said.add(subject) !== undefined)
  const sentences = refusals.flatMap(({ reason, facts }) => [
    ...(isNew(reason.subject) ? [reasonText(reason)] : []),
    ...facts.filter(({ subject }) => isNew(subject)).map(factText),
  ])
  return ` Nearest is ${hostKey(name)}: ${sentences.join(' ')}`
}

function factText({ subject, required, actual, unit }: Fact): string {
  const sides = [
    ...(required === undefined ? [] : [[required, unit, 'needed']]),
    ...(actual === undefined ? [] : [[actual, required === undefined ? unit : undefined, 'here']]),
  ]
  return `${subject}: ${sides.map((words) => words.filter((word) => word !== undefined).join(' ')).join(', ')}.`
}
