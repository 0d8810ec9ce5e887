import { examineAgain, verdictMatrix } from '@gantt/scheduler-core'
import { aLogOf, requests, scan } from './fleet.ts'
import { measureInTurns } from './measure.ts'
import type { Figure, Question } from './question.ts'

/** P10: every filter on every host, all reasons and all scores of a stored decision, against deciding it. */
export const explanation: Question = {
  name: 'explanation',
  asks: 'What does the full explanation of a stored decision cost: every filter on every host, reasons, ranks?',
  floor: 'the plain scan of the same request',
  rounds: 40,
  async run({ hosts, rounds }) {
    const figures: Figure[] = []
    for (const size of hosts === undefined ? [10_000, 100_000] : [hosts]) {
      const { fleet } = aLogOf(size)
      for (const [name, request] of Object.entries(requests)) {
        const { record } = scan(fleet, request)
        const { plain, whole } = await measureInTurns(size > 20_000 ? Math.ceil(rounds / 4) : rounds, {
          plain: () => scan(fleet, request),
          whole: () => examineAgain(fleet, [], record, 0, (examined) => verdictMatrix(examined, examined)),
        })
        const passed = record.instances[0]?.filters.at(-1)?.passed ?? size
        const what = `${size} hosts, ${name}: ${passed} pass`
        figures.push(
          { what: `${what}; scan`, unit: 'ms', ...plain, ratio: null },
          { what: `${what}; explanation`, unit: 'ms', ...whole, ratio: whole.median / plain.median, target: { of: 'ratio', most: 20 } },
        )
      }
    }
    return figures
  },
}
