import { compareSearches, noneCompared } from '@gantt/scheduler-core/testing'
import type { Checks } from '../checks.ts'

export interface ProveIndexOptions {
  /** How many decisions to compare. */
  readonly decisions: number
  /** The most hosts of a fleet at its beginning. */
  readonly hosts: number
  readonly seed: number
  /** The number of the first fleet. */
  readonly from: number
  readonly say: (line: string) => void
}

/** So many decisions are made on each fleet. */
const PER_FLEET = 200

/** Makes random decisions on random fleets under churn, each by a search of the index and by examining every host. */
export function proveIndex(checks: Checks, { decisions, hosts, seed, from, say }: ProveIndexOptions): void {
  const tally = noneCompared()
  let reportedAt = performance.now()
  let difference: string | undefined
  for (let fleet = from; tally.decisions < decisions && difference === undefined; fleet++) {
    difference = compareSearches(`${seed}/${fleet}`, Math.min(PER_FLEET, decisions - tally.decisions), hosts, tally)
    if (difference !== undefined) say(`again: gantt prove index --seed ${seed} --from ${fleet} --hosts ${hosts} --decisions ${PER_FLEET}`)
    if (performance.now() - reportedAt < 5_000) continue
    reportedAt = performance.now()
    say(`${tally.decisions} of ${decisions} decisions`)
  }
  const { placed, several, grouped, batched } = tally
  say(
    `${tally.decisions} decisions: ${placed} placed, ${several} for several instances, ${grouped} in groups, ${batched} with others in a batch`,
  )
  checks.check('a search of the index and examining every host agree to the last bit', difference === undefined, () => difference ?? '')
  checks.check('all decisions were compared', difference !== undefined || tally.decisions === decisions)
}
