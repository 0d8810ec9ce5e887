import type { Code } from '../codes.ts'
import { atOnce, type Steps } from '../fleet/steps.ts'
import type { HostIndex } from '../host-index.ts'
import { amountMissing } from '../missing.ts'
import type { Reason } from '../reason.ts'
import { distanceOfReasons } from './distance.ts'
import type { HostChecks } from './examine.ts'
import { type Findings, NOT_THERE, PASSES_ALL } from './findings.ts'

/** No filter refuses the host, so there is no reason. */
export const NO_REASON = 255

/** Every filter's word on every host, as columns by index; of a host that is gone there is none. */
export interface VerdictMatrix {
  /** Hosts that are there. */
  readonly hostCount: number
  /** All filters of the profile, in execution order. */
  readonly filters: readonly string[]
  /** Position in `filters` of the first that refuses; PASSES_ALL where none does, NOT_THERE of a host that is gone. */
  readonly firstRefusing: Uint8Array
  readonly codes: readonly Code[]
  /** Position in `codes` of the first refusing filter's reason; NO_REASON where none refuses. */
  readonly reason: Uint8Array
  /** By position in `codes`: in what the amounts of its reasons are; null where they are none, or are not all in the same. */
  readonly units: readonly (string | null)[]
  /** How much is missing by the first refusing filter's reason, in its unit; 0 where what is missing is no amount. */
  readonly missing: Float64Array
  readonly bytesPerHost: number
  /** `bytesPerHost` bytes for each host: bit f is set where filter f refuses it, whatever the filters before it said. */
  readonly refusedBy: Uint8Array
  /** 1 = best; 0 where a filter refuses. */
  readonly rank: Uint32Array
  /** See distanceOf. */
  readonly distance: Float64Array
}

/** Adds reasons to findings; `reasonOf` reads the state that they were made on. */
export const verdictMatrix = (findings: Findings, checks: Pick<HostChecks, 'reasonOf'>): VerdictMatrix =>
  atOnce(verdictMatrixInSteps(findings, checks))

/** Hosts whose reasons are told between two pauses. */
const SLICE = 128

/** The same with pauses; the state that `reasonOf` reads must stay as it is until the end. */
export function* verdictMatrixInSteps(findings: Findings, { reasonOf }: Pick<HostChecks, 'reasonOf'>): Steps<VerdictMatrix> {
  const { hostCount, steps, firstRefusing, ranked, weighed, bytesPerHost, refusedBy } = findings
  const { length: count } = firstRefusing
  const codes: Code[] = []
  const reason = new Uint8Array(count).fill(NO_REASON)
  const units: (string | null)[] = []
  const missing = new Float64Array(count)
  const rank = new Uint32Array(count)
  const distance = new Float64Array(count)
  const placeOf = (code: Code): number => {
    const place = codes.indexOf(code)
    return place < 0 ? codes.push(code) - 1 : place
  }
  for (const [i, position] of ranked.entries()) rank[weighed.hosts[position] as number] = i + 1
  for (let host = 0; host < count; host++) {
    if (host % SLICE === SLICE - 1) yield
    const first = firstRefusing[host] as number
    if (first === PASSES_ALL || first === NOT_THERE) continue
    const reasons: Reason[] = []
    for (let f = first; f < steps.length; f++)
      if (((refusedBy[host * bytesPerHost + (f >> 3)] as number) >> (f & 7)) & 1) reasons.push(reasonOf(host as HostIndex, f))
    const { code, unit = null } = reasons[0] as Reason
    const amount = amountMissing(reasons[0] as Reason)
    const place = placeOf(code)
    reason[host] = place
    if (amount !== undefined) {
      missing[host] = amount
      units[place] = units[place] === undefined || units[place] === unit ? unit : null
    }
    distance[host] = distanceOfReasons(reasons)
  }
  return {
    hostCount,
    filters: steps.map(({ filter }) => filter),
    firstRefusing,
    codes,
    reason,
    units: codes.map((_, place) => units[place] ?? null),
    missing,
    bytesPerHost,
    refusedBy,
    rank,
    distance,
  }
}

/** The matrix without hosts that are gone: columns by position among those that are there, in the order of first sight. */
export function withoutGone(matrix: VerdictMatrix): VerdictMatrix {
  const { firstRefusing, reason, missing, rank, distance, refusedBy, bytesPerHost } = matrix
  const there = (_: number, host: number): boolean => firstRefusing[host] !== NOT_THERE
  if (matrix.hostCount === firstRefusing.length) return matrix
  return {
    ...matrix,
    firstRefusing: firstRefusing.filter(there),
    reason: reason.filter(there),
    missing: missing.filter(there),
    rank: rank.filter(there),
    distance: distance.filter(there),
    refusedBy: refusedBy.filter((_, byte) => there(0, Math.floor(byte / bytesPerHost))),
  }
}
