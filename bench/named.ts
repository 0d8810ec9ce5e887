import { aRequest } from '@gantt/scheduler-core/testing'
import { aLogOf, scan } from './fleet.ts'
import { measureInTurns } from './measure.ts'
import type { Figure, Question } from './question.ts'

/** Measures requests that name their host: a move to a chosen host, or an instance that is forced onto a host. */
export const named: Question = {
  name: 'named',
  asks: 'What does a decision cost if the request names its host?',
  floor: 'the same request without the name',
  rounds: 200,
  async run({ hosts, rounds }) {
    const size = hosts ?? 10_000
    const { fleet } = aLogOf(size)
    const host = fleet.hosts.records[size - 1]?.host ?? ''
    const room = { vcpus: 1, memoryMb: 1_024 }
    const asked = {
      any: aRequest(room),
      requested: aRequest({ ...room, requestedDestination: { host } }),
      forced: aRequest({ ...room, forceHosts: [host] }),
    }
    const figures = await measureInTurns(rounds, {
      any: () => scan(fleet, asked.any),
      requested: () => scan(fleet, asked.requested),
      forced: () => scan(fleet, asked.forced),
    })
    const figure = (name: keyof typeof figures, words: string): Figure => ({
      what: `${size} hosts; ${words}`,
      unit: 'ms',
      ...figures[name],
      ratio: name === 'any' ? null : figures[name].median / figures.any.median,
    })
    return [figure('any', 'any host'), figure('requested', 'a requested destination'), figure('forced', 'a forced host')]
  },
}
