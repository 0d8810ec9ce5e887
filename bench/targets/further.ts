import { goals } from './goals.ts'
import { LivingFleet, REQUEST_CLASSES } from './living-fleet.ts'
import { measureRounds, timed } from './processor-time.ts'
import type { TargetQuestion } from './target.ts'

const INSTANCES = 100

/** P7: each further instance of one request. Requests for one instance and for a hundred take turns on the same state. */
export const furtherTarget: TargetQuestion = {
  name: 'p7',
  goals: [goals.further],
  rounds: 16,
  run({ hosts = 10_000, rounds }) {
    const living = new LivingFleet(hosts)
    const { further, one, many, ratio } = measureRounds(rounds, () => {
      const sums = { one: 0, many: 0 }
      for (let requestClass = 0; requestClass < REQUEST_CLASSES; requestClass++) {
        const single = living.request('open', requestClass)
        const { result, us } = timed(() => living.decide(single))
        const request = living.request('open', requestClass, INSTANCES)
        sums.one += us / REQUEST_CLASSES
        sums.many += timed(() => living.decide(request)).us / REQUEST_CLASSES
        living.settle(single, result)
      }
      return { further: Math.max(0, sums.many - sums.one) / (INSTANCES - 1), ...sums, ratio: sums.many / sums.one }
    })
    return [
      {
        goal: goals.further,
        size: `${hosts} hosts, all pass`,
        values: further,
        baseline: { what: 'a request for one instance', unit: 'us', values: one },
        parts: [
          { what: `a request for ${INSTANCES} instances`, unit: 'us', values: many },
          { what: `${INSTANCES} instances over one`, unit: 'times', values: ratio },
        ],
      },
    ]
  },
}
