import type { Code } from '../codes.ts'
import type { Reason } from '../filters/filter.ts'
import type { HostIndex } from '../fleet/columns.ts'
import { type Check, type Findings, type HostChecks, PASSES_ALL } from './examine.ts'

/** No filter refuses the host, so there is no reason. */
export const NO_REASON = 255

/** Every filter's word on every host, as columns by position in the order of first sight. */
export interface VerdictMatrix {
  readonly hostCount: number
  /** All filters of the profile, in execution order. */
  readonly filters: readonly string[]
  /** Position in `filters` of the first that refuses; PASSES_ALL where none does. */
  readonly firstRefusing: Uint8Array
  readonly codes: readonly Code[]
  /** Position in `codes` of the first refusing filter's reason; NO_REASON where none refuses. */
  readonly reason: Uint8Array
  readonly bytesPerHost: number
  /** `bytesPerHost` bytes for each host: bit f is set where filter f refuses it, whatever the filters before it said. */
  readonly refusedBy: Uint8Array
  /** 1 = best; 0 where a filter refuses. */
  readonly rank: Uint32Array
  /** See distanceOf. */
  readonly distance: Float64Array
}

/** Adds reasons to findings; `reasonOf` reads the state that they were made on. */
export function verdictMatrix(findings: Findings, { reasonOf }: Pick<HostChecks, 'reasonOf'>): VerdictMatrix {
  const { hostCount, steps, firstRefusing, ranked, weighed, bytesPerHost, refusedBy } = findings
  const codes: Code[] = []
  const reason = new Uint8Array(hostCount).fill(NO_REASON)
  const rank = new Uint32Array(hostCount)
  const distance = new Float64Array(hostCount)
  const placeOf = (code: Code): number => {
    const place = codes.indexOf(code)
    return place < 0 ? codes.push(code) - 1 : place
  }
  for (const [i, position] of ranked.entries()) rank[weighed.hosts[position] as number] = i + 1
  for (let host = 0; host < hostCount; host++) {
    const first = firstRefusing[host] as number
    if (first === PASSES_ALL) continue
    const reasons: Reason[] = []
    for (let f = first; f < steps.length; f++)
      if (((refusedBy[host * bytesPerHost + (f >> 3)] as number) >> (f & 7)) & 1) reasons.push(reasonOf(host as HostIndex, f))
    reason[host] = placeOf((reasons[0] as Reason).code)
    distance[host] = distanceFrom(reasons)
  }
  return { hostCount, filters: steps.map(({ filter }) => filter), firstRefusing, codes, reason, bytesPerHost, refusedBy, rank, distance }
}

/** One more refusing filter weighs less than any shortfall that people would notice. */
const PER_REFUSAL = 0.001

/**
 * How far a host is from passing; 0 = it passes. The worst shortfall among the filters that refuse it, as a share of what
 * was needed (8 GiB of 32 missing: 0.25; what is not a number, such as a trait, is missing whole: 1), and a thousandth for
 * each further filter that refuses.
 */
export const distanceOf = (checks: readonly Check[]): number => distanceFrom(checks.flatMap(({ reason }) => reason ?? []))

function distanceFrom(reasons: readonly Reason[]): number {
  if (reasons.length === 0) return 0
  let worst = 0
  for (const reason of reasons) worst = Math.max(worst, shareMissing(reason))
  return worst + PER_REFUSAL * (reasons.length - 1)
}

function shareMissing({ need, have }: Reason): number {
  if (typeof need !== 'number' || typeof have !== 'number' || need <= 0 || have >= need) return 1
  return (need - have) / need
}
