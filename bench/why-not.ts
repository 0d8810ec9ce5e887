import { atOnce, checkAgainInSteps, type HostIndex } from '@gantt/scheduler-core'
import { aLogOf, requests, scan } from './fleet.ts'
import { measureInTurns } from './measure.ts'
import type { Figure, Question } from './question.ts'

/** Measures the verdicts of all filters on one host, at the state of a stored decision. */
export const whyNot: Question = {
  name: 'why-not',
  asks: 'What does it cost to explain why a stored decision did not choose one host: all checks, with their facts?',
  floor: 'a plain decision of the same request: filters and weighers only',
  rounds: 400,
  async run({ hosts = 10_000, rounds }) {
    const { fleet } = aLogOf(hosts)
    const figures: Figure[] = []
    for (const [name, request] of Object.entries(requests)) {
      const { record } = scan(fleet, request)
      let host = 0
      const { plain, one } = await measureInTurns(rounds, {
        plain: () => scan(fleet, request),
        one: () => {
          host = (host + 7_919) % hosts
          const checks = checkAgainInSteps(fleet, [], record, 0, function* ({ checksOf }) {
            yield
            return checksOf(host as HostIndex)
          })
          atOnce(checks)
        },
      })
      figures.push(
        { what: `${hosts} hosts, ${name}; scan`, unit: 'ms', ...plain, ratio: null },
        { what: `${hosts} hosts, ${name}; why not`, unit: 'ms', ...one, ratio: one.median / plain.median },
      )
    }
    return figures
  },
}
