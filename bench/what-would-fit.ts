import { changeKinds, copyFleet, type RequestSpec, whatWouldFit } from '@gantt/scheduler-core'
import { aRequest } from '@gantt/scheduler-core/testing'
import { aLogOf, defaultProfile, scan } from './fleet.ts'
import { measureInTurns } from './measure.ts'
import type { Figure, Question } from './question.ts'

/** Requests that no host passes because of an amount, of a zone, or of two properties at the same time. */
const refused: Readonly<Record<string, RequestSpec>> = {
  'too much memory': aRequest({ vcpus: 2, memoryMb: 40_000 }),
  'a zone that does not exist': aRequest({ vcpus: 2, memoryMb: 4_096, availabilityZone: 'nowhere' }),
  'too many CPUs, and a trait': aRequest({
    flavor: { vcpus: 12, memoryMb: 4_096, extraSpecs: { 'trait:CUSTOM_NEW': 'required' } },
  }),
}

/** Measures the search for the smallest changes with which a request fits. Each change is tried on a copy of the fleet. */
export const whatWouldFitQuestion: Question = {
  name: 'what-would-fit',
  asks: 'What does it cost to find the smallest changes with which a refused request fits, each verified by deciding?',
  floor: 'a plain decision of the same request: filters and weighers only',
  rounds: 20,
  async run({ hosts = 10_000, rounds }) {
    const { fleet } = aLogOf(hosts)
    // The search changes the fleet, so it gets a private copy.
    const own = copyFleet(fleet)
    const figures: Figure[] = []
    for (const [name, request] of Object.entries(refused)) {
      const { plain, search } = await measureInTurns(rounds, {
        plain: () => scan(fleet, request),
        search: () => {
          const steps = whatWouldFit(own, {
            request,
            profile: defaultProfile(own),
            seed: 'seed',
            kinds: changeKinds,
            maxChanges: 2,
            first: 5,
            minHosts: 1,
            maxRuns: 100,
            isOver: () => false,
          })
          while (steps.next().done !== true);
        },
      })
      figures.push(
        { what: `${hosts} hosts, ${name}; scan`, unit: 'ms', ...plain, ratio: null },
        { what: `${hosts} hosts, ${name}; what would fit`, unit: 'ms', ...search, ratio: search.median / plain.median },
      )
    }
    return figures
  },
}
