import type { ReasonCode } from '../codes.ts'
import { reasonText } from '../decision/reason-text.ts'
import type { Fact } from '../evidence.ts'
import { hostKey } from '../fleet/hosts.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Admission, Cause, Refusals } from './cause.ts'
import { admittedHosts, refusedHosts } from './words.ts'

/** How many codes a sentence names; `refusals` has them all. */
const NAMED = 3

/** The cause of a refusal in one or two sentences with the numbers of the nearest host. `request`: as it was asked. */
export function causeText(cause: Cause, request: RequestSpec): string {
  const { admission, admitted, refusals, nearest } = cause
  if (admission.length === 0 && admitted === 0) return 'No host has reported.'
  const near = nearest === null ? '' : nearText(nearest)
  const last = admission.at(-1)
  if (last?.left === 0) return `${nobody(last, admission.slice(0, -1), request)}${near}`
  const scope = admission.map((step) => ` ${wordsOf(step, request)}`).join(',')
  const hosts = `${admission.length === 0 ? 'Of' : 'Of the'} ${admitted} ${admitted === 1 ? 'host' : 'hosts'}${scope}`
  return `${hosts} none takes it: ${countsText(refusals)}.${groupText(cause)}${near}`
}

/** That a filter leaves none of the hosts which those before it let in. */
function nobody(last: Admission, before: readonly Admission[], request: RequestSpec): string {
  const among = before.map((step) => wordsOf(step, request)).join(', ')
  const where = before.length === 0 ? '' : ` among the ${last.entered} ${among}`
  return `There is no host ${wordsOf(last, request)}${where}.`
}

const wordsOf = ({ reasons }: Admission, request: RequestSpec): string =>
  [...new Set(reasons.map((reason) => admittedHosts(reason, request)))].join(', ')

function countsText(refusals: readonly Refusals[]): string {
  const named = refusals.slice(0, NAMED).map(({ code, hosts }) => `${hosts} ${refusedHosts[code as ReasonCode] ?? `refused with ${code}`}`)
  const others = refusals.length - named.length
  return [...named, ...(others > 0 ? [`and ${others} more reasons`] : [])].join(', ')
}

/** Hosts are what is short where each of them has its members of the group already. */
function groupText({ refusals, admitted, groupSize }: Cause): string {
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
