import { examine } from '../../examine/examine.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Profile } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { Cause } from '../cause.ts'
import { causeText } from '../cause-text.ts'
import { afterFound } from './drawn.ts'

/** The indexes of the hosts that the request admits. */
export function admittedOf(fleet: Fleet, asked: RequestSpec, profile: Profile): ReadonlySet<number> {
  const { admitted } = afterFound(fleet, asked, profile, (found, judged) =>
    examine(fleet, asked, judged, 's', Math.min(found, asked.numInstances - 1)),
  )
  return new Set([...admitted.keys()].filter((host) => admitted[host] === 1))
}

/**
 * The parts of a cause that hosts outside of the admitted hosts must not change. The counts of each condition and the sets of conditions
 * that exclude each other are left out. If no host is admitted, the nearest host is left out too.
 */
export function comparableParts(cause: Cause): unknown {
  const nearest = cause.admitted > 0 ? cause.nearest : null
  return [
    causeText({
      ...cause,
      nearest,
      ...{ exclusive: [], within: null },
      admission: cause.admission.map((step) => ({ ...step, alone: 0, each: [] })),
    }),
    ...[cause.admitted, cause.refusals, nearest, cause.admitted > 0 ? cause.code : null],
  ]
}
