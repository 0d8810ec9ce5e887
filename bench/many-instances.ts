import { aRequest, aUuid } from '@gantt/scheduler-core/testing'
import { aLogOf, scan } from './fleet.ts'
import { measureInTurns } from './measure.ts'
import type { Figure, Question } from './question.ts'

/** Requests that all or some hosts pass. The last one has a group, so a filter must check which hosts the earlier instances got. */
const asked = {
  'all pass': { vcpus: 0, memoryMb: 0 },
  'free capacity matters': { vcpus: 1, memoryMb: 1_024 },
  'anti-affinity': { vcpus: 1, memoryMb: 1_024, instanceGroup: { uuid: aUuid(1), policy: 'ANTI_AFFINITY' } },
} as const

/** Measures many instances in one request. Each instance must be decided with the resources of the earlier instances treated as used. */
export const manyInstances: Question = {
  name: 'many-instances',
  asks: 'What does a request for 100 instances cost?',
  floor: 'the same request for one instance',
  rounds: 20,
  async run({ hosts = 10_000, rounds }) {
    const { fleet } = aLogOf(hosts)
    const figures: Figure[] = []
    for (const [name, ask] of Object.entries(asked)) {
      const request = (numInstances: number) => aRequest({ ...ask, numInstances })
      const { one, many } = await measureInTurns(rounds, {
        one: () => scan(fleet, request(1), { isExhaustive: false }),
        many: () => scan(fleet, request(100), { isExhaustive: false }),
      })
      figures.push(
        { what: `${hosts} hosts, ${name}; one instance`, unit: 'ms', ...one, ratio: null },
        {
          what: `${hosts} hosts, ${name}; 100 instances`,
          unit: 'ms',
          ...many,
          ratio: many.median / one.median,
          target: { of: 'ratio', most: 2.5 },
        },
      )
    }
    return figures
  },
}
