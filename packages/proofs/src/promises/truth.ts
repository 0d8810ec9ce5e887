import type { Checks } from '../checks.ts'
import { checkCases } from '../decision-correctness/run.ts'

export interface ProveTruthOptions {
  readonly cases: number
  readonly seed: number
  readonly from: number
  readonly say: (line: string) => void
}

/**
 * If a run has at least this many cases, each filter must be the first to refuse a host in 1 % of the cases. Each weigher must contribute
 * differently to hosts in 0.5 % of the cases.
 */
const MANY = 2_000

/** Decides random cases with the core and with the model, and reports how many cases of each kind there were. */
export function proveTruth(checks: Checks, { cases, seed, from, say }: ProveTruthOptions): void {
  let reportedAt = performance.now()
  const { tally, failures } = checkCases({
    seed,
    from,
    cases,
    maxFailures: 5,
    onCase(number) {
      if (performance.now() - reportedAt < 5_000) return
      reportedAt = performance.now()
      say(`${number - from + 1} of ${cases} cases`)
    },
  })
  for (const { number, difference, smallest } of failures) {
    say(`case ${number} of seed ${seed}: ${difference}`)
    say(`  again: gantt prove truth --seed ${seed} --from ${number} --cases 1`)
    say(`  the smallest case found that still differs: ${JSON.stringify(smallest)}`)
  }
  const { placed, inPart, refused, emptyFleets, chance, tied, instances, checks: words, refusedBy, weighedBy, codes } = tally
  say(`${tally.cases} cases: ${placed} fully placed, ${inPart} partly placed, ${refused} refused; ${emptyFleets} on an empty fleet`)
  say(`  ${instances} instances, ${words} verdicts of filters on hosts; ${chance} by chance, ${tied} with ties for the best`)
  logCounts('cases in which a filter was the first to refuse a host', refusedBy)
  logCounts('cases in which a weigher distinguished hosts', weighedBy)
  logCounts('cases in which a host was refused for a reason', codes)
  checks.check('record, replay, explanation and model agree to the last bit', failures.length === 0, () => failures[0]?.difference ?? '')
  checks.check('all cases were checked', failures.length > 0 || tally.cases === cases)
  if (cases < MANY) return
  for (const [name, count] of Object.entries(refusedBy))
    checks.check(
      'every filter is the first to refuse in at least one case of a hundred',
      count * 100 >= tally.cases,
      () => `${name}: ${count}`,
    )
  for (const [name, count] of Object.entries(weighedBy))
    checks.check(
      'every weigher distinguishes hosts in at least one case of two hundred',
      count * 200 >= tally.cases,
      () => `${name}: ${count}`,
    )

  function logCounts(title: string, counts: Readonly<Record<string, number>>): void {
    say(`  ${title}:`)
    for (const [name, count] of Object.entries(counts).sort(([, a], [, b]) => b - a))
      say(`    ${name.padEnd(38)}${String(count).padStart(7)}`)
  }
}
