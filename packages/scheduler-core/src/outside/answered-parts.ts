import type { Filter } from '../filters/filter.ts'
import type { HostIndex } from '../host-index.ts'
import type { Profile } from '../profiles/profile.ts'
import type { Reason } from '../reason.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Weigher } from '../weighers/weigher.ts'
import { fromRuns, type OutsideAnswer } from './answer.ts'
import { answerOf } from './answered.ts'
import { OutsideError } from './outside-error.ts'

/** What is known of a part that is asked outside of this process. */
type Named = Pick<Filter, 'name' | 'description' | 'reads'>

/**
 * A filter that says what a part outside of this process answered before the decision. Fails closed: where the part did not answer, or not
 * about this request, all hosts are refused with the verdict ERROR; a host that it was not asked about, alone.
 */
export const answeredFilter = (profile: Profile, { name, description, reads }: Named, options: string | undefined): Filter => ({
  name,
  description,
  reads,
  readsHostOnly: true,
  // the profile was checked with the part itself
  checkOptions: () => undefined,
  prepare(request) {
    const answer = getAnswer(profile, request, name, options)
    if (answer.isNotAsked) return undefined
    const words = readWords(answer)
    return {
      passes: (host) => wordOn(words, host, answer) === true,
      reason(host) {
        const word = wordOn(words, host, answer)
        if (word === true) throw new Error(`${name} lets the host pass`)
        return word
      },
    }
  },
})

/** Ranks by the numbers that a part outside of this process answered before the decision. */
export const answeredWeigher = (
  profile: Profile,
  { name, description, reads, unit }: Named & Pick<Weigher, 'unit'>,
  options: string | undefined,
): Weigher => ({
  name,
  description,
  reads,
  unit,
  readsHostOnly: true,
  outside: { by: '' },
  checkOptions: () => undefined,
  prepare(request) {
    const { hosts, numbers = [] } = getAnswer(profile, request, name, options)
    const known = new Map<HostIndex, number>()
    let next = 0
    for (const host of fromRuns(hosts)) known.set(host, numbers[next++] ?? Number.NaN)
    return (host) => known.get(host) ?? Number.NaN
  },
})

/** What the filter before a weigher is called. */
export const weighedName = (weigher: string): string => `${weigher} (answered)`

/**
 * A weigher drops no host, and one that did not answer must not let a host through on no number: so each that is asked outside has a
 * filter before it, which refuses the hosts that it did not answer about.
 */
export const weighedFilter = (profile: Profile, { name }: Named, options: string | undefined): Filter => ({
  name: weighedName(name),
  description: `${name} answered about the host.`,
  reads: [],
  readsHostOnly: true,
  checkOptions: () => undefined,
  prepare(request) {
    const answer = getAnswer(profile, request, name, options)
    const words = readWords(answer)
    return {
      passes: (host) => wordOn(words, host, answer) === true,
      reason: () => ({ code: 'outside.no_answer', subject: name }),
    }
  },
})

function getAnswer(profile: Profile, request: RequestSpec, part: string, options: string | undefined): OutsideAnswer {
  const answer = answerOf(profile, request, part, options)
  if (answer === undefined) throw new OutsideError('outside.no_answer', `${part} was not asked about this request`)
  if (answer.failure !== undefined) throw new OutsideError('outside.failed', `${answer.by}: ${answer.failure}`)
  return answer
}

/** What was answered about single hosts: true, why it is refused, or what is wrong with the answer. */
type Words = ReadonlyMap<HostIndex, true | Reason | OutsideError>

function readWords({ part, by, hosts, refused = [], errors = [] }: OutsideAnswer): Words {
  const words = new Map<HostIndex, true | Reason | OutsideError>()
  for (const host of fromRuns(hosts)) words.set(host, true)
  for (const { reason, hosts: of } of refused) for (const host of fromRuns(of)) words.set(host, reason)
  for (const { error, hosts: of } of errors) {
    const thrown = new OutsideError('outside.bad_answer', `${by}, ${part}: ${error}`)
    for (const host of fromRuns(of)) words.set(host, thrown)
  }
  return words
}

/** Throws where there is no word, or none that counts: whoever throws at a host refuses it. */
function wordOn(words: Words, host: HostIndex, { part, by }: OutsideAnswer): true | Reason {
  const word = words.get(host)
  if (word === undefined) throw new OutsideError('outside.no_answer', `${by}, ${part}: it was not asked about the host, or did not answer`)
  if (word instanceof OutsideError) throw word
  return word
}
