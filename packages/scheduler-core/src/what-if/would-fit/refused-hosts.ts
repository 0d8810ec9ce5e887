import { reasonsOn } from '../../cause/refused.ts'
import { distanceOfReasons } from '../../examine/distance.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { FilterStep } from '../../pipeline/filtering/filter-step.ts'
import { isAsked, prepareFiltersInSteps } from '../../pipeline/filtering/run-filters.ts'
import { factsOf } from '../../pipeline/filtering/step-reasons.ts'
import { judgedInstance } from '../../pipeline/rounds.ts'
import type { Profile } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { shareMissing } from '../../text/missing.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { Steps } from '../../values/steps.ts'
import { remedyFor } from './remedies/index.ts'

/** A host that refuses the instance, with all of its refusals. */
export interface RefusedHost {
  readonly host: HostIndex
  /** The refusals of the profile's filters in order, and then the refusals of the rules that every claim must meet. */
  readonly lacks: readonly Lack[]
  /**
   * The refusals as text, without amounts. Hosts with the same text get proposals that differ only in their numbers and in changes of
   * single hosts.
   */
  readonly kind: string
  /** For each amount that is left out of `kind`, in order: the missing fraction of the needed amount. */
  readonly missing: readonly number[]
  readonly distance: number
}

interface Lack {
  readonly filter: string
  readonly reason: Reason
}

/** The generator yields after this many hosts. */
const SLICE = 64

/**
 * All hosts that refuse the instance. The result contains all refusals of each host: evaluation continues after the first filter or rule
 * for claims that refuses the host.
 */
export function* refusedHosts(fleet: Fleet, asked: RequestSpec, profile: Profile, instance: number): Steps<readonly RefusedHost[]> {
  const { request, compiled } = judgedInstance(fleet, asked, profile, instance)
  const steps = (yield* prepareFiltersInSteps(compiled, request, fleet)).filter(isAsked)
  const byName = new Map(steps.map((step) => [step.name, step]))
  const found: RefusedHost[] = []
  let count = 0
  for (const index of fleet.hosts.presentIndexes) {
    if (count++ % SLICE === SLICE - 1) yield
    const host = index as HostIndex
    const lacks = reasonsOn(steps, host)
    if (lacks.length === 0) continue
    const missing: number[] = []
    const kind = lacks.map(({ filter, reason }) => {
      const known = kindOf({ filter, reason }, byName.get(filter), host, missing)
      const looked = remedyFor(reason.code)?.looksAt?.({ fleet, request, profile, host, filter, reason }) ?? ''
      return `${known} ${looked}`
    })
    found.push({ host, lacks, kind: kind.join('\n'), missing, distance: distanceOfReasons(lacks.map(({ reason }) => reason)) })
  }
  return found
}

/** The refusal of one filter as text, from its reason and facts without amounts. Adds the missing fraction of each amount to `missing`. */
function kindOf({ filter, reason }: Lack, step: FilterStep | undefined, host: HostIndex, missing: number[]): string {
  const keyParts = [filter, reason.code, reason.subject ?? '']
  const note = (required: number | string | undefined, actual: number | string | undefined): void => {
    if (typeof actual === 'number') missing.push(shareMissing({ need: required, have: actual }))
    else if (required !== undefined) keyParts.push(String(required))
  }
  note(reason.need, reason.have)
  for (const fact of step === undefined ? [] : factsOf(step, host, reason)) {
    keyParts.push(fact.subject, fact.amountOf ?? '')
    note(fact.required, fact.actual)
  }
  return keyParts.join(' ')
}
