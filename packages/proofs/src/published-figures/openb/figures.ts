import { mean, standardDeviation } from '../statistics.ts'
import type { OpenbResult } from './openb.ts'

/** The combined figures of several seeds on one target. */
export interface OpenbFigures {
  readonly gpuAllocatedPct: number
  /** The standard deviation of `gpuAllocatedPct` over the seeds, in percentage points. */
  readonly sd: number
  readonly placed: number
  readonly rejected: number
  readonly departed: number
  /** Claims per second of placement time. */
  readonly claimsPerSecond: number
  /** Answered requests, placed or refused, per second of placement time. */
  readonly answersPerSecond: number
  readonly overCommits: number
  readonly differences: number
  /** Counts of proposals. Undefined if the trace is replayed in this process, without a service. */
  readonly effort: OpenbEffort | undefined
}

/** Counts of proposals. Shares are percentages of all proposals. */
export interface OpenbEffort {
  readonly proposals: number
  /** Proposals that conflicted with an earlier entry of the log, and so have no effect (void). */
  readonly voidPct: number
  /** Proposals whose log entry the store refused, because another replica had written an entry at this position before. */
  readonly refusedEarlyPct: number
  /**
   * How many times a request was decided again, per claim: because its proposal conflicted with an earlier entry, or the store refused its
   * entry.
   */
  readonly retriesPerClaim: number
  /** Counts of the proposals that did not become claims, by reason code: those that conflicted with an earlier entry of the log (void), and
   * those whose entry the store refused (`append.refused`). */
  readonly byRule: Readonly<Record<string, number>>
  /** How many calls the replay retried. */
  readonly repeated: number
}

const REFUSED_EARLY = 'append.refused'

export function figuresOf(runs: readonly OpenbResult[]): OpenbFigures {
  const shares = runs.map(({ gpuAllocatedPct }) => gpuAllocatedPct)
  const total = (count: (run: OpenbResult) => number): number => runs.reduce((sum, run) => sum + count(run), 0)
  const seconds = total(({ placingMs }) => placingMs) / 1_000
  const placed = total((run) => run.placed)
  return {
    gpuAllocatedPct: mean(shares),
    sd: standardDeviation(shares),
    placed,
    rejected: total((run) => run.rejected),
    departed: total((run) => run.departed),
    claimsPerSecond: placed / seconds,
    answersPerSecond: total((run) => run.pods) / seconds,
    overCommits: total((run) => run.overCommits.length),
    differences: total((run) => run.differences.length),
    effort: effortOf(runs),
  }
}

function effortOf(runs: readonly OpenbResult[]): OpenbEffort | undefined {
  const efforts = runs.flatMap(({ effort }) => (effort === undefined ? [] : [effort]))
  if (efforts.length === 0) return undefined
  const byRule: Record<string, number> = {}
  let counted = 0
  let repeated = 0
  for (const effort of efforts) {
    counted += effort.counted
    repeated += effort.repeated
    for (const [rule, times] of Object.entries(effort.fruitless)) byRule[rule] = (byRule[rule] ?? 0) + times
  }
  const fruitless = Object.values(byRule).reduce((sum, times) => sum + times, 0)
  const early = byRule[REFUSED_EARLY] ?? 0
  const proposals = counted + fruitless
  const share = (times: number): number => (proposals === 0 ? 0 : (100 * times) / proposals)
  return {
    proposals,
    voidPct: share(fruitless - early),
    refusedEarlyPct: share(early),
    retriesPerClaim: counted === 0 ? 0 : fruitless / counted,
    byRule,
    repeated,
  }
}
