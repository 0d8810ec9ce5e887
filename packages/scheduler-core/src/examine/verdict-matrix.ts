import { type Findings, NOT_PRESENT, PASSES_ALL } from '../pipeline/findings.ts'
import type { Code } from '../text/codes.ts'
import { amountMissing } from '../text/missing.ts'
import type { Reason } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import { atOnce, type Steps } from '../values/steps.ts'
import { distanceOfReasons } from './distance.ts'
import type { HostChecks } from './examine.ts'

/** The value in `reason` for a host that no filter refuses. */
export const NO_REASON = 255

/** The verdicts of all filters on all hosts, as columns by host index. A host that has left the fleet has no verdict. */
export interface VerdictMatrix {
  /** Count of the hosts in the fleet. */
  readonly hostCount: number
  /** All filters of the profile, in execution order. */
  readonly filters: readonly string[]
  /**
   * The index in `filters` of the first filter that refuses the host. PASSES_ALL if no filter refuses the host, and NOT_PRESENT if the host
   * has left the fleet.
   */
  readonly firstRefusing: Uint8Array
  readonly codes: readonly Code[]
  /** The index in `codes` of the first refusing filter's reason. NO_REASON if no filter refuses the host. */
  readonly reason: Uint8Array
  /**
   * The unit of the amounts in the reasons with a code, in the order of `codes`. Null if the reasons with this code have no amounts or have
   * different units.
   */
  readonly units: readonly (string | null)[]
  /** The missing amount in the first refusing filter's reason, in the unit of its code. 0 if the reason has no amount. */
  readonly missing: Float64Array
  readonly bytesPerHost: number
  /** `bytesPerHost` bytes for each host. Bit f is set if filter f refuses the host, regardless of earlier filters. */
  readonly refusedBy: Uint8Array
  /** The rank of the host. 1 is the best rank. 0 if a filter refuses the host. */
  readonly rank: Uint32Array
  /** How far the host is from passing all filters (`distanceOf`). */
  readonly distance: Float64Array
}

/** Makes the matrix of an examination. `reasonOf` must read the state of the fleet on which the examination was made. */
export const verdictMatrix = (findings: Findings, checks: Pick<HostChecks, 'reasonOf'>): VerdictMatrix =>
  atOnce(verdictMatrixInSteps(findings, checks))

/** The generator yields after computing the reasons of this many hosts. */
const SLICE = 128

/** `verdictMatrix` as a generator that yields regularly. The state that `reasonOf` reads must not change until the generator ends. */
export function* verdictMatrixInSteps(findings: Findings, { reasonOf }: Pick<HostChecks, 'reasonOf'>): Steps<VerdictMatrix> {
  const { hostCount, steps, firstRefusing, ranked, weighed, bytesPerHost, refusedBy } = findings
  const { length: count } = firstRefusing
  const codes: Code[] = []
  const reason = new Uint8Array(count).fill(NO_REASON)
  const units: (string | null)[] = []
  const missing = new Float64Array(count)
  const rank = new Uint32Array(count)
  const distance = new Float64Array(count)
  const codeIndexOf = (code: Code): number => {
    const index = codes.indexOf(code)
    return index < 0 ? codes.push(code) - 1 : index
  }
  for (const [i, position] of ranked.entries()) rank[weighed.hosts[position] as number] = i + 1
  for (let host = 0; host < count; host++) {
    if (host % SLICE === SLICE - 1) yield
    const first = firstRefusing[host] as number
    if (first === PASSES_ALL || first === NOT_PRESENT) continue
    const reasons: Reason[] = []
    for (let f = first; f < steps.length; f++)
      if (((refusedBy[host * bytesPerHost + (f >> 3)] as number) >> (f & 7)) & 1) reasons.push(reasonOf(host as HostIndex, f))
    const { code, unit = null } = reasons[0] as Reason
    const amount = amountMissing(reasons[0] as Reason)
    const codeIndex = codeIndexOf(code)
    reason[host] = codeIndex
    if (amount !== undefined) {
      missing[host] = amount
      units[codeIndex] = units[codeIndex] === undefined || units[codeIndex] === unit ? unit : null
    }
    distance[host] = distanceOfReasons(reasons)
  }
  return {
    hostCount,
    filters: steps.map(({ filter }) => filter),
    firstRefusing,
    codes,
    reason,
    units: codes.map((_, codeIndex) => units[codeIndex] ?? null),
    missing,
    bytesPerHost,
    refusedBy,
    rank,
    distance,
  }
}

/** Removes the hosts that have left the fleet from the columns. The remaining hosts are in the order of their first reports. */
export function withoutGone(matrix: VerdictMatrix): VerdictMatrix {
  const { firstRefusing, reason, missing, rank, distance, refusedBy, bytesPerHost } = matrix
  const there = (_: number, host: number): boolean => firstRefusing[host] !== NOT_PRESENT
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
