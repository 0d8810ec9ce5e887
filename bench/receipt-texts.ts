import { decidedText, inputsText } from '@gantt/scheduler-core'
import { aRequest } from '@gantt/scheduler-core/testing'
import { aLogOf, scan } from './fleet.ts'
import { measureInTurns } from './measure.ts'
import type { Figure, Question } from './question.ts'

/** How often each text is written for one figure, because once takes only microseconds. */
const TIMES = 1_000

/** Measures the texts that the receipt of a decision hashes. */
export const receiptTexts: Question = {
  name: 'receipt-texts',
  asks: 'How long does it take to write the canonical JSON of a decision, which its receipt hashes?',
  floor: 'JSON.stringify of the same decision, whose keys have no fixed order',
  rounds: 40,
  async run({ hosts = 1_000, rounds }) {
    const { fleet } = aLogOf(hosts)
    const { record, answer } = scan(fleet, aRequest({ vcpus: 1, memoryMb: 1_024 }))
    const decision = { record, answer }
    const place = { basis: 1, entryId: 'entry', position: 0 }
    const figures = await measureInTurns(rounds, {
      plain: () => repeat(() => JSON.stringify(decision)),
      canonical: () => repeat(() => inputsText(decision, place) + decidedText(decision)),
    })
    const figure = (name: keyof typeof figures, words: string): Figure => ({
      what: `${TIMES} times; ${words}`,
      unit: 'ms',
      ...figures[name],
      ratio: name === 'plain' ? null : figures[name].median / figures.plain.median,
    })
    return [figure('plain', 'JSON.stringify'), figure('canonical', 'canonical JSON of the inputs and the result')]
  },
}

function repeat(write: () => string): number {
  let length = 0
  for (let i = 0; i < TIMES; i++) length += write().length
  return length
}
