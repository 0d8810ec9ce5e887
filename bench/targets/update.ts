import { goals } from './goals.ts'
import { LivingFleet, REQUEST_CLASSES } from './living-fleet.ts'
import { measureRounds, timed } from './processor-time.ts'
import type { TargetQuestion } from './target.ts'

const UPDATES = 1_000
/** The loop over bare columns is so short that it is repeated. */
const REPEATED = 100

/**
 * P5: one update of a host. Caches and indexes follow an update when the next decision uses them. Their share is the time of decisions
 * after many updates, minus the time of the same decisions without updates before them.
 */
export const updateTarget: TargetQuestion = {
  name: 'p5',
  goals: [goals.update],
  rounds: 12,
  run({ hosts = 100_000, rounds }) {
    const living = new LivingFleet(hosts)
    const count = Math.min(hosts, UPDATES)
    const bare = { ioOps: new Int32Array(hosts), free: new Float64Array(hosts), used: new Float64Array(hosts) }
    const decideAll = (): number => {
      let us = 0
      for (const scenario of ['mixed', 'open'] as const)
        for (let requestClass = 0; requestClass < REQUEST_CLASSES; requestClass++) {
          const request = living.request(scenario, requestClass)
          us += timed(() => living.decide(request)).us
        }
      return us
    }
    const { sum, applied, followed, columns } = measureRounds(rounds, (round) => {
      decideAll()
      const quiet = decideAll()
      const updates = living.updates(count)
      const { us } = timed(() => living.apply(updates))
      const changed = decideAll()
      const floor = timed(() => writeColumns(bare, count, round))
      const [applied, followed] = [us / count, Math.max(0, changed - quiet) / count]
      return { sum: applied + followed, applied, followed, columns: floor.us / (count * REPEATED) }
    })
    return [
      {
        goal: goals.update,
        size: `${hosts} hosts, ${count} updates in an entry`,
        values: sum,
        baseline: { what: 'three numbers written into bare columns', unit: 'us', values: columns },
        parts: [
          { what: 'judged and applied to the fleet', unit: 'us', values: applied },
          { what: 'caches and indexes of 16 classes of requests, by the next decisions', unit: 'us', values: followed },
        ],
      },
    ]
  },
}

/** Writes the numbers of a report into the columns of hosts that are far apart. */
function writeColumns(
  { ioOps, free, used }: { readonly ioOps: Int32Array; readonly free: Float64Array; readonly used: Float64Array },
  count: number,
  round: number,
): void {
  for (let repeated = 0; repeated < REPEATED; repeated++)
    for (let i = 0; i < count; i++) {
      const host = (i * 7_919 + round) % ioOps.length
      ioOps[host] = i % 5
      used[host] = (i * 31) % 4_096
      free[host] = 8_192 - (used[host] as number)
    }
}
