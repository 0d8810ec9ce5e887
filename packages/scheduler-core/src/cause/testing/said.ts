import type { Fleet } from '../../fleet/fleet.ts'
import { examine } from '../../pipeline/examine.ts'
import type { Profile } from '../../profiles/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { Cause } from '../cause.ts'
import { causeText } from '../cause-text.ts'
import { NOTHING_EXCLUSIVE } from '../not-admitted.ts'
import { afterFound } from './drawn.ts'

/** Positions of the hosts that the request admits. */
export function admittedOf(fleet: Fleet, asked: RequestSpec, profile: Profile): ReadonlySet<number> {
  const { admitted } = afterFound(fleet, asked, profile, (found) =>
    examine(fleet, asked, profile, 's', Math.min(found, asked.numInstances - 1)),
  )
  return new Set([...admitted.keys()].filter((host) => admitted[host] === 1))
}

/**
 * All that a cause says, but how many hosts each condition lets in by itself, which of them exclude each other, and which host comes nearest to all
 * that the request asks for where none has it: those are of these hosts too.
 */
export function saidOf(cause: Cause): unknown {
  const nearest = cause.admitted > 0 ? cause.nearest : null
  return [
    causeText({
      ...cause,
      nearest,
      exclusive: NOTHING_EXCLUSIVE,
      admission: cause.admission.map((step) => ({ ...step, alone: 0, each: [] })),
    }),
    ...[cause.admitted, cause.refusals, nearest, cause.admitted > 0 ? cause.code : null],
  ]
}
