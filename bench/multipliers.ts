import { compileProfile } from '../packages/scheduler-core/src/pipeline/compile.ts'
import { prepareWeighers, runWeighers } from '../packages/scheduler-core/src/pipeline/weighing/run-weighers.ts'
import { builtInProfiles } from '../packages/scheduler-core/src/profiles/built-in.ts'
import { aLog, aReport, aRequest, aUuid } from '../packages/scheduler-core/src/testing/index.ts'
import { measureInTurns } from './measure.ts'
import type { Figure, Question } from './question.ts'

/**
 * Measures weighing in three cases: aggregates are not read; aggregates are read, but set no multiplier; aggregates set a multiplier for a
 * tenth of the hosts.
 */
export const multipliers: Question = {
  name: 'multipliers',
  asks: 'What does it cost to weigh all hosts by the profile nova if aggregates may set multipliers?',
  floor: 'the same weighers without reading aggregates',
  rounds: 300,
  async run({ hosts = 10_000, rounds }) {
    const request = aRequest({ memoryMb: 512 })
    const all = Int32Array.from({ length: hosts }, (_, i) => i)
    const [silent, reporting] = [aFleetWith(hosts, { rack: '0' }), aFleetWith(hosts, { ram_weight_multiplier: '2' })]
    const weigh = (fleet: typeof silent, aggregateMultiplier: boolean) => {
      const compiled = compiledAs(aggregateMultiplier)
      return () => runWeighers(prepareWeighers(compiled, request, fleet), all)
    }
    const samples = await measureInTurns(rounds, {
      'aggregates are not read': weigh(silent, false),
      'read; none of 100 sets a multiplier': weigh(silent, true),
      'read; one sets RAM x 2 for a tenth of the hosts': weigh(reporting, true),
    })
    const floor = samples['aggregates are not read'].median
    return Object.entries(samples).map(
      ([name, sample], i): Figure => ({
        what: `${hosts} hosts; ${name}`,
        unit: 'ms',
        ...sample,
        ratio: i === 0 ? null : sample.median / floor,
      }),
    )
  },
}

function aFleetWith(hosts: number, metadata: Readonly<Record<string, string>>) {
  const log = aLog()
  for (let i = 0; i < hosts; i++) log.append([aReport(`h${i}`, { memoryMb: 65_536, memoryMbUsed: i, runningVms: i % 50 })])
  for (let a = 0; a < 100; a++) {
    const members = Array.from({ length: Math.ceil(hosts / 10) }, (_, i) => `h${(i * 10 + a) % hosts}`)
    log.append([
      {
        type: 'aggregate',
        uuid: aUuid(a),
        expectedVersion: 0,
        next: { name: `a${a}`, hosts: members, metadata: a === 0 ? metadata : { rack: `${a}` } },
      },
    ])
  }
  return log.fleet
}

function compiledAs(aggregateMultiplier: boolean) {
  const nova = builtInProfiles.find(({ name }) => name === 'nova')
  if (nova === undefined) throw new Error('there is no profile nova')
  return compileProfile({ ...nova, weighers: nova.weighers.map((weigher) => ({ ...weigher, options: { aggregateMultiplier } })) })
}
