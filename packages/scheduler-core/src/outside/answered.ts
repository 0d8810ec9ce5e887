import type { OutsideAnswer } from '../records/answer.ts'
import type { Profile } from '../records/profile.ts'
import { membersOf } from '../request/members.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { currentSpec, type PublishedSpec } from '../request/versions.ts'
import { requestKey } from './shown.ts'

/** Answers by the key of the request, then by the name of the filter or weigher with its options. */
type Answers = ReadonlyMap<string, ReadonlyMap<string, OutsideAnswer>>

const ANSWERS = Symbol('answers of parts outside of this process')

/**
 * A profile together with the answers of its filters and weighers outside of the process. The key of the answers is a symbol. Therefore,
 * they are copied with the profile but are not part of its JSON.
 */
type Answered = Profile & { readonly [ANSWERS]?: Answers }

/** A request with all answers about it. Instances with different demands have separate answers. */
export interface AskedAndAnswered {
  readonly request: RequestSpec
  readonly answers: readonly OutsideAnswer[]
}

const partKey = (part: string, options = ''): string => `${part}\u0000${options}`

/** Adds the answers about these requests to a profile. Answers that the profile already has stay valid. */
export function withAnswers(profile: Profile, asked: readonly AskedAndAnswered[]): Profile {
  const before = (profile as Answered)[ANSWERS] ?? new Map()
  const answers = new Map<string, ReadonlyMap<string, OutsideAnswer>>(before)
  for (const { request, answers: given } of asked)
    for (const [position, members] of membersOf(request).entries()) {
      const key = requestKey(members.request)
      const own = given
        .filter(({ members: of = 0 }) => of === position)
        .map((answer) => [partKey(answer.part, answer.options), answer] as const)
      if (own.length > 0) answers.set(key, new Map([...own, ...(before.get(key) ?? [])]))
    }
  return answers.size === 0 ? profile : ({ ...profile, [ANSWERS]: answers } as Answered)
}

/** True if the profile has answers of filters or weighers outside of the process. Its decisions can then depend on these answers. */
export const hasAnswers = (profile: Profile): boolean => (profile as Answered)[ANSWERS] !== undefined

/** The answer of the filter or weigher `part` about a request whose instances all have equal demands. */
export const answerOf = (profile: Profile, request: RequestSpec, part: string, options?: string): OutsideAnswer | undefined =>
  (profile as Answered)[ANSWERS]?.get(requestKey(request))?.get(partKey(part, options))

/**
 * Any answer of the filter or weigher `part`, about any request. It shows which plug-in or extender answered. Therefore, decisions can be
 * replayed even after the plug-in was removed.
 */
export function knownAnswer(profile: Profile, part: string, options?: string): OutsideAnswer | undefined {
  for (const answers of (profile as Answered)[ANSWERS]?.values() ?? []) {
    const answer = answers.get(partKey(part, options))
    if (answer !== undefined) return answer
  }
  return undefined
}

/**
 * The answers on which a decision about this request depends, in the form of the decision's record. Undefined if the profile has no
 * answers.
 */
export function answersFor(profile: Profile, request: RequestSpec): readonly OutsideAnswer[] | undefined {
  const all = (profile as Answered)[ANSWERS]
  if (all === undefined) return undefined
  const seen = new Set<string>()
  const answers = membersOf(request).flatMap((members, position) => {
    const key = requestKey(members.request)
    const own = all.get(key)
    if (own === undefined || seen.has(key)) return []
    seen.add(key)
    return [...own.values()].map(({ members: _, ...answer }) => (position === 0 ? answer : { ...answer, members: position }))
  })
  return answers.length === 0 ? undefined : answers
}

/**
 * The recorded answers of the first record whose request has the same `requestKey`, and therefore looks the same to filters and weighers
 * outside of the process. Undefined if no record has such a request.
 */
export const answersLike = (
  request: RequestSpec,
  records: readonly { readonly request: PublishedSpec; readonly outside?: readonly OutsideAnswer[] }[],
): readonly OutsideAnswer[] | undefined => records.find((record) => asksSame(request, currentSpec(record.request)))?.outside

const asksSame = (a: RequestSpec, b: RequestSpec): boolean =>
  membersOf(a)
    .map(({ request }) => requestKey(request))
    .join() ===
  membersOf(b)
    .map(({ request }) => requestKey(request))
    .join()
