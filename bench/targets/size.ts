import { goals } from './goals.ts'
import { LivingFleet, REQUEST_CLASSES } from './living-fleet.ts'
import { measureRounds, timed } from './processor-time.ts'
import type { TargetQuestion } from './target.ts'

/** The small fleet has this part of the hosts. */
const PART = 10

/** P4: a decision on a large fleet over one on a fleet with a tenth of its hosts. The two fleets live on, and take turns. */
export const sizeTarget: TargetQuestion = {
  name: 'p4',
  goals: [goals.size],
  rounds: 24,
  run({ hosts = 100_000, rounds }) {
    const few = Math.ceil(hosts / PART)
    const fleets = { small: new LivingFleet(few), large: new LivingFleet(hosts) }
    const { ratio, small, large } = measureRounds(rounds, () => {
      const sums = { small: 0, large: 0 }
      for (let requestClass = 0; requestClass < REQUEST_CLASSES; requestClass++)
        for (const name of ['small', 'large'] as const) {
          const request = fleets[name].request('mixed', requestClass)
          const { result, us } = timed(() => fleets[name].decide(request))
          fleets[name].settle(request, result)
          sums[name] += us / REQUEST_CLASSES
        }
      return { ratio: sums.large / sums.small, ...sums }
    })
    return [
      {
        goal: goals.size,
        size: `${hosts} and ${few} hosts`,
        values: ratio,
        baseline: { what: `a decision on ${few} hosts`, unit: 'us', values: small },
        parts: [{ what: `a decision on ${hosts} hosts`, unit: 'us', values: large }],
      },
    ]
  },
}
