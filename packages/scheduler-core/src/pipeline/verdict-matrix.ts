import type { Code } from '../codes.ts'
import type { Reason } from '../filters/filter.ts'
import type { HostIndex } from '../fleet/columns.ts'
import { type Check, type Examination, PASSES_ALL } from './examine.ts'

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

/** Valid for the state that the examination was made on, and to be made before that state changes. */
export function verdictMatrix(examination: Examination): VerdictMatrix {
  const { hostCount, steps, firstRefusing, ranked, weighed } = examination
  const bytesPerHost = Math.ceil(steps.length / 8)
  const matrix = {
    hostCount,
    filters: steps.map(({ filter }) => filter),
    firstRefusing,
    codes: [] as Code[],
    reason: new Uint8Array(hostCount).fill(NO_REASON),
    bytesPerHost,
    refusedBy: new Uint8Array(hostCount * bytesPerHost),
    rank: new Uint32Array(hostCount),
    distance: new Float64Array(hostCount),
  }
  const places = new Map<Code, number>()
  const placeOf = (code: Code): number => {
    const known = places.get(code)
    if (known !== undefined) return known
    places.set(code, matrix.codes.length)
    return matrix.codes.push(code) - 1
  }
  for (const [position, rank] of ranked.entries()) matrix.rank[weighed.hosts[rank] as number] = position + 1
  for (let host = 0; host < hostCount; host++) {
    if (firstRefusing[host] === PASSES_ALL) continue
    const checks = examination.checksOf(host as HostIndex)
    for (const [f, { reason }] of checks.entries()) {
      if (reason === undefined) continue
      const byte = host * bytesPerHost + (f >> 3)
      matrix.refusedBy[byte] = (matrix.refusedBy[byte] as number) | (1 << (f & 7))
      if (f === firstRefusing[host]) matrix.reason[host] = placeOf(reason.code)
    }
    matrix.distance[host] = distanceOf(checks)
  }
  return matrix
}

/** One more refusing filter weighs less than any shortfall that people would notice. */
const PER_REFUSAL = 0.001

/**
 * How far a host is from passing; 0 = it passes. The worst shortfall among the filters that refuse it, as a share of what
 * was needed (8 GiB of 32 missing: 0.25; what is not a number, such as a trait, is missing whole: 1), and a thousandth for
 * each further filter that refuses.
 */
export function distanceOf(checks: readonly Check[]): number {
  const reasons = checks.flatMap(({ reason }) => reason ?? [])
  if (reasons.length === 0) return 0
  return Math.max(...reasons.map(shareMissing)) + PER_REFUSAL * (reasons.length - 1)
}

function shareMissing({ need, have }: Reason): number {
  if (typeof need !== 'number' || typeof have !== 'number' || need <= 0 || have >= need) return 1
  return (need - have) / need
}
