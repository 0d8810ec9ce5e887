import type { Report, Row } from '../report.ts'
import { figuresOf, type OpenbFigures } from './figures.ts'
import type { OpenbResult } from './openb.ts'

/** All runs on one target. */
export interface OpenbColumn {
  readonly name: string
  readonly runs: readonly OpenbResult[]
}

/** A report with one column per target, all for the same workloads. The other columns are compared with the first. */
export function openbReport(title: string, columns: readonly OpenbColumn[], base: Readonly<Record<string, unknown>>): Report {
  const all = columns.map(({ runs }) => figuresOf(runs))
  const row = (what: string, value: (figures: OpenbFigures) => number | undefined, unit: string): Row => [what, all.map(value), unit]
  const [first] = all
  const asked = all.some(({ effort }) => effort !== undefined)
  const seeds = (columns[0]?.runs ?? []).map(({ seed }) => seed)
  return {
    title,
    heads: columns.map(({ name }) => name),
    rows: [
      ...seeds.map((seed, at): Row => [`GPUs allocated, seed ${seed}`, columns.map(({ runs }) => runs[at]?.gpuAllocatedPct), '%']),
      row('GPUs allocated, mean', ({ gpuAllocatedPct }) => gpuAllocatedPct, '%'),
      row('standard deviation', ({ sd }) => sd, '%'),
      ...(all.length > 1
        ? [row('difference from the first', ({ gpuAllocatedPct }) => gpuAllocatedPct - (first?.gpuAllocatedPct ?? Number.NaN), 'points')]
        : []),
      row('pods placed', ({ placed }) => placed, ''),
      row('pods refused', ({ rejected }) => rejected, ''),
      row('pods that left', ({ departed }) => departed, ''),
      row('over-commits', ({ overCommits }) => overCommits, ''),
      ...(asked
        ? [
            row('hosts with other amounts', ({ differences }) => differences, ''),
            row('conflicting proposals', ({ effort }) => effort?.voidPct, '%'),
            row('proposals refused early', ({ effort }) => effort?.refusedEarlyPct, '%'),
            row('retries per claim', ({ effort }) => effort?.retriesPerClaim, ''),
            row('repeated calls', ({ effort }) => effort?.repeated, ''),
            row('claims per second', ({ claimsPerSecond }) => claimsPerSecond, ''),
            row('answers per second', ({ answersPerSecond }) => answersPerSecond, ''),
          ]
        : []),
    ],
    figures:
      columns.length === 1
        ? { ...base, ...first, runs: columns[0]?.runs }
        : { ...base, targets: columns.map(({ name, runs }, at) => ({ name, ...all[at], runs })) },
  }
}

/** The first violations as texts: over-commitments, and differences between a replica's state and the answers to the caller. */
export function problemsOf(columns: readonly OpenbColumn[], most: number): readonly string[] {
  return columns
    .flatMap(({ name, runs }) =>
      runs.flatMap((run) => [...run.overCommits, ...run.differences].map((found) => `${name}, seed ${run.seed}: ${found}`)),
    )
    .slice(0, most)
}
