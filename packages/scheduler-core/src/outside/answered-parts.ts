import type { Filter } from '../contracts/filter.ts'
import type { Weigher } from '../contracts/weigher.ts'
import { fromRuns, type OutsideAnswer } from '../records/answer.ts'
import type { Profile } from '../records/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Reason } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import { answerOf } from './answered.ts'
import { OutsideError } from './outside-error.ts'

/** The description of a filter or weigher outside of this process. */
type Named = Pick<Filter, 'name' | 'description' | 'reads'>

/**
 * Makes a filter from the answers that a filter outside of this process gave before the decision. A host without an answer is refused with
 * the verdict ERROR. If there is no answer about the request, all hosts are refused.
 */
export const answeredFilter = (profile: Profile, { name, description, reads }: Named, options: string | undefined): Filter => ({
  name,
  description,
  reads,
  readsHostOnly: true,
  // The options need no check here: the filter of the plug-in checked them when the profile was written.
  checkOptions: () => undefined,
  prepare(request) {
    const answer = getAnswer(profile, request, name, options)
    if (answer.isNotAsked) return undefined
    const words = readWords(answer)
    return {
      passes: (host) => wordOn(words, host, answer) === true,
      reason(host) {
        const word = wordOn(words, host, answer)
        if (word === true) throw new Error(`expected a host that ${name} refuses, found a host that passes`)
        return word
      },
    }
  },
})

/** Makes a weigher from the scores that a weigher outside of this process gave before the decision. */
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

/** The name of the filter that `weighedFilter` makes for a weigher. */
export const weighedName = (weigher: string): string => `${weigher} (answered)`

/**
 * Makes a filter that refuses the hosts for which a weigher outside of this process gave no score. Such a host must not be chosen, and a
 * weigher cannot refuse it.
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
  if (answer === undefined) throw new OutsideError('outside.no_answer', `${part} was not called for this request`)
  if (answer.failure !== undefined) throw new OutsideError('outside.failed', `${answer.by}: ${answer.failure}`)
  return answer
}

/** The answer for each host: true (the host passes), a refusal, or an error that describes the problem with the answer. */
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

/** Returns the answer for a host. Throws if there is no valid answer; a filter that throws refuses the host. */
function wordOn(words: Words, host: HostIndex, { part, by }: OutsideAnswer): true | Reason {
  const word = words.get(host)
  if (word === undefined) throw new OutsideError('outside.no_answer', `${by}, ${part}: it was not called for the host, or did not answer`)
  if (word instanceof OutsideError) throw word
  return word
}
