import {
  anywhere,
  asksOf,
  BadAnswerError,
  checkAnswers,
  type Fleet,
  failedAnswer,
  type LookedAway,
  membersOf,
  type OutsideAnswer,
  type Profile,
  type Question,
  questionsOf,
  type RequestSpec,
  requestKey,
  withAnswers,
} from '@gantt/scheduler-core'
import { type Asker, toWire } from './asker.ts'

/** The timeout for callers without a deadline, in milliseconds. Each filter or weigher also has its own limit. */
export const TIMEOUT_MS = 10_000

/**
 * Calls the filters and weighers that run outside of this process, before the core decides. All code that makes decisions uses this
 * interface.
 */
export interface Outside {
  /**
   * The profile with all answers that these requests need about the hosts of the present fleet. Undefined if no filter or weigher of the
   * profile runs outside of this process. Never rejects: if a filter or weigher does not answer, the answer states the reason, with which
   * every host is refused.
   */
  gather(fleet: Fleet, profile: Profile, requests: readonly RequestSpec[], options?: GatherOptions): Promise<Profile> | undefined
}

export interface GatherOptions extends LookedAway {
  /** A decision waits at most this long for answers, in milliseconds. */
  readonly waitMs?: number
}

/** `askerOf` returns the thread or extender of a filter or weigher; undefined if it no longer exists. */
export function createOutside(askerOf: (part: string) => Asker | undefined): Outside {
  const ask = async (question: Question, waitMs: number): Promise<OutsideAnswer> => {
    const asker = askerOf(question.part)
    if (asker === undefined) return failedAnswer(question, 'this replica has no plug-in or extender that provides it')
    let given: unknown
    try {
      // `hosts` is empty if the fleet has no hosts, or if the answers for all hosts are known. Then no call is needed.
      given = question.hosts.length === 0 ? [] : await asker.ask(toWire(question), waitMs)
    } catch (error) {
      return failedAnswer(question, wordsOf(error))
    }
    try {
      const answer = checkAnswers(question, given)
      for (const { error } of answer.errors ?? []) asker.noteBad(question.part, error)
      return answer
    } catch (error) {
      if (!(error instanceof BadAnswerError)) throw error
      asker.noteBad(question.part, error.message)
      return failedAnswer(question, error.message)
    }
  }
  return {
    gather(fleet, profile, requests, { waitMs = TIMEOUT_MS, ...away } = {}) {
      if (asksOf(fleet, profile).length === 0) return undefined
      const asked = onceEach(requests).map((request) => ({ request, questions: questionsOf(fleet, profile, request, away) }))
      return Promise.all(
        asked.map(async ({ request, questions }) => ({
          request,
          answers: await Promise.all(questions.map((question) => ask(question, waitMs))),
        })),
      ).then((answered) => withAnswers(profile, answered))
    },
  }
}

/**
 * Merges requests that differ only in their hosts into one, so that filters and weighers outside of this process are called once for all of
 * these hosts.
 */
function onceEach(requests: readonly RequestSpec[]): readonly RequestSpec[] {
  if (requests.length < 2) return requests
  const seen = new Map(
    requests.map((request) => [
      membersOf(request)
        .map((members) => requestKey(members.request))
        .join(),
      request,
    ]),
  )
  return [...seen.values()].map(anywhere)
}

/** For a service without plug-ins in threads and without extenders. No filter or weigher is called outside of the process. */
export const nothingOutside: Outside = { gather: () => undefined }

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
