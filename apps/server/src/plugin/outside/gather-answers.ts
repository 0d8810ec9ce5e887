import { answerFromKey } from '../../replica/propose/answer-from-key.ts'
import { findInstances } from '../../replica/propose/attempts.ts'
import { findSource, requestNow } from '../../replica/propose/moves.ts'
import type { Gather } from '../../replica/propose/placement.ts'
import type { Timers } from '../../timers.ts'
import type { Outside } from './outside.ts'

/** Milliseconds of a call's time that are reserved for deciding and for the log. */
const RESERVED_MS = 250

/**
 * Calls the filters and weighers outside of this process before a request is decided, and adds their answers. The same version of the
 * profile then decides, even if another version is activated in the meantime.
 */
export const gatherAnswers =
  (outside: Outside, others: Gather, timers: Timers): Gather =>
  (fleet, call) => {
    const now = fleet()
    const profile = now.profiles.pick(call.profile, call.account, call.key)
    const found = findInstances(now, call, now.now)
    if (found?.type === 'taken') return others(fleet, call)
    const source = call.source === null ? found?.source : findSource(now, call.source)
    // No answers are gathered for a call that is refused later because its profile or the source of its move is invalid, or for a call that
    // was answered before.
    if (profile === undefined || typeof source === 'string' || answerFromKey(now, call) !== undefined) return others(fleet, call)
    const request = requestNow(now, call, source, found?.request)
    const since = timers.now()
    const answering = outside.gather(now, profile, [request], {
      source,
      ends: found?.ends,
      intent: call.intent,
      waitMs: Math.max(1, call.deadlineMs - RESERVED_MS),
    })
    if (answering === undefined) return others(fleet, call)
    return answering.then(async (answered) => {
      const deadlineMs = Math.max(1, call.deadlineMs - (timers.now() - since))
      return { profile: answered, ...(await others(fleet, { ...call, deadlineMs }, answered)) }
    })
  }
