import type { Profile } from '../profiles/profile.ts'
import { membersOf } from '../request/members.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { currentSpec, type PublishedSpec } from '../request/versions.ts'
import type { OutsideAnswer } from './answer.ts'
import { requestKey } from './shown.ts'

/** Answers by request, and by part with its options. */
type Answers = ReadonlyMap<string, ReadonlyMap<string, OutsideAnswer>>

const ANSWERS = Symbol('answers of parts outside of this process')

/** A profile with the answers that its outside parts gave. A copy with other filters has them too; JSON and comparisons do not see them. */
type Answered = Profile & { readonly [ANSWERS]?: Answers }

/** A request, and what was answered about it: all kinds of its instances. */
export interface AskedAndAnswered {
  readonly request: RequestSpec
  readonly answers: readonly OutsideAnswer[]
}

const partKey = (part: string, options = ''): string => `${part}\u0000${options}`

/** The profile as it decides these requests: what is asked outside has the answers at hand. Answers that it has already stay. */
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

/** Whether anything was answered about any request: decisions by this profile may rest on it. */
export const hasAnswers = (profile: Profile): boolean => (profile as Answered)[ANSWERS] !== undefined

/** What a part with these options answered about a request, as one of its instances asks it. */
export const answerOf = (profile: Profile, request: RequestSpec, part: string, options?: string): OutsideAnswer | undefined =>
  (profile as Answered)[ANSWERS]?.get(requestKey(request))?.get(partKey(part, options))

/** Who answered about anything under this name: enough to make the part's decisions again where it is not loaded any more. */
export function knownAnswer(profile: Profile, part: string, options?: string): OutsideAnswer | undefined {
  for (const answers of (profile as Answered)[ANSWERS]?.values() ?? []) {
    const answer = answers.get(partKey(part, options))
    if (answer !== undefined) return answer
  }
  return undefined
}

/** The answers that a decision about this request rests on, as its record keeps them; undefined: none. */
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

/** Of records, the answers of the first that asked outside parts the same as this request does: what was answered of another says nothing. */
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
