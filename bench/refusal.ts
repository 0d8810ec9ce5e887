import { causeOf, type RequestSpec, refusalsOf } from '@gantt/scheduler-core'
import { aLogOf, defaultProfile, requests, scan } from './fleet.ts'
import { measureInTurns } from './measure.ts'
import type { Figure, Question } from './question.ts'

const { short } = requests

/**
 * Requests that no host passes. For the first, all hosts have too little memory; for the second, each third of the hosts lacks something
 * different.
 */
const hopeless: Readonly<Record<string, RequestSpec>> = {
  'too big': { ...short, flavor: { ...short.flavor, memoryMb: 9_999_999, extraSpecs: {} } },
  'for many reasons': { ...short, flavor: { ...short.flavor, rootGb: 1_999 } },
}

/**
 * Measures the additional cost of a request that finds no host: counting the hosts that each filter refused with each code, and finding the
 * cause.
 */
export const refusal: Question = {
  name: 'refusal',
  asks: 'What do the reasons and the cause of a refusal cost if a request finds no host?',
  floor: 'a plain decision of the same request: filters and weighers only',
  rounds: 40,
  async run({ hosts, rounds }) {
    const figures: Figure[] = []
    for (const size of hosts === undefined ? [10_000, 100_000] : [hosts]) {
      const { fleet } = aLogOf(size)
      const profile = defaultProfile(fleet)
      for (const [name, request] of Object.entries(hopeless)) {
        const { plain, reasons, cause } = await measureInTurns(size > 20_000 ? Math.ceil(rounds / 4) : rounds, {
          plain: () => scan(fleet, request),
          reasons: () => refusalsOf(fleet, request, profile),
          cause: () => causeOf(fleet, request, profile),
        })
        const what = `${size} hosts, ${name}`
        figures.push(
          { what: `${what}; scan`, unit: 'ms', ...plain, ratio: null },
          { what: `${what}; reasons`, unit: 'ms', ...reasons, ratio: reasons.median / plain.median },
          { what: `${what}; cause`, unit: 'ms', ...cause, ratio: cause.median / plain.median },
        )
      }
    }
    return figures
  },
}
