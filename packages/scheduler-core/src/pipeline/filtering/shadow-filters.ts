import type { Fleet } from '../../fleet/fleet.ts'
import type { Profile } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { ReasonCount } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { Steps } from '../../values/steps.ts'
import { type Findings, NOT_PRESENT, PASSES_ALL } from '../findings.ts'
import { judgedInstance } from '../rounds.ts'
import { passesSafely } from './passes-safely.ts'
import { isAsked, prepareFilters } from './run-filters.ts'
import { reasonOf } from './step-reasons.ts'

/** The hosts that a filter in shadow mode would refuse. In shadow mode, the refusals of a filter have no effect. */
export interface ShadowStep {
  readonly filter: string
  /** False if the filter does not apply to the request. */
  readonly asked: boolean
  /** The count of hosts that the filter would refuse. */
  readonly wouldRefuse: number
  /**
   * The count of hosts that the filter would refuse and all other filters pass. If the filter were enforced, these hosts could not be
   * chosen.
   */
  readonly ofThosePassing: number
  readonly reasons: readonly ReasonCount[]
}

/** The generator yields after this many hosts. */
const SLICE = 128

/** Calls each filter that is in shadow mode for every host, for one instance of a request. */
export function* examineShadows(
  fleet: Fleet,
  asked: RequestSpec,
  profile: Profile,
  instance: number,
  { firstRefusing }: Pick<Findings, 'firstRefusing'>,
): Steps<ShadowStep[]> {
  const { request, compiled } = judgedInstance(fleet, asked, profile, instance)
  const { shadows } = compiled
  if (shadows.length === 0) return []
  const found: ShadowStep[] = []
  for (const step of prepareFilters({ ...compiled, filters: shadows }, request, fleet).slice(1)) {
    const applies = isAsked(step)
    const reasons = new Map<ReasonCount['code'], ReasonCount>()
    let [wouldRefuse, ofThosePassing] = [0, 0]
    for (let host = 0; applies && host < firstRefusing.length; host++) {
      if (host % SLICE === SLICE - 1) yield
      if (firstRefusing[host] === NOT_PRESENT) continue
      if (step.prepared !== undefined && passesSafely(step.prepared, host as HostIndex) === true) continue
      wouldRefuse++
      if (firstRefusing[host] === PASSES_ALL) ofThosePassing++
      const reason = reasonOf(step, host as HostIndex)
      const count = reasons.get(reason.code)
      reasons.set(reason.code, {
        filter: step.name,
        code: reason.code,
        example: count?.example ?? reason,
        hosts: (count?.hosts ?? 0) + 1,
      })
    }
    found.push({
      filter: step.name,
      asked: applies,
      wouldRefuse,
      ofThosePassing,
      reasons: [...reasons.values()].sort((a, b) => b.hosts - a.hosts),
    })
  }
  return found
}
