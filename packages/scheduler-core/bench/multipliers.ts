/**
 * What weighing 10,000 hosts costs by the weighers of the profile `nova`: with aggregates not asked, asked where none says
 * anything, and where one says something for a tenth of the hosts. The three take turns, so that all meet the same machine. Run:
 * npx esbuild packages/scheduler-core/bench/multipliers.ts --bundle --format=esm | node --input-type=module -
 */
import { compileProfile } from '../src/pipeline/compile.ts'
import { prepareWeighers, runWeighers } from '../src/pipeline/run-weighers.ts'
import { builtInProfiles } from '../src/profiles/built-in.ts'
import { aLog, aReport, aRequest, aUuid } from '../src/testing/index.ts'

const HOSTS = 10_000
const ROUNDS = 400

const request = aRequest({ memoryMb: 512 })
const all = Int32Array.from({ length: HOSTS }, (_, i) => i)

function aFleetWith(metadata: Readonly<Record<string, string>>) {
  const log = aLog()
  for (let i = 0; i < HOSTS; i++) log.append([aReport(`h${i}`, { memoryMb: 65_536, memoryMbUsed: i, runningVms: i % 50 })])
  for (let a = 0; a < 100; a++) {
    const hosts = Array.from({ length: HOSTS / 10 }, (_, i) => `h${(i * 10 + a) % HOSTS}`)
    log.append([
      {
        type: 'aggregate',
        uuid: aUuid(a),
        expectedVersion: 0,
        next: { name: `a${a}`, hosts, metadata: a === 0 ? metadata : { rack: `${a}` } },
      },
    ])
  }
  return log.fleet
}

const compiledAs = (aggregateMultiplier: boolean) => {
  const nova = builtInProfiles.find(({ name }) => name === 'nova')
  if (nova === undefined) throw new Error('there is no profile nova')
  return compileProfile({ ...nova, weighers: nova.weighers.map((weigher) => ({ ...weigher, options: { aggregateMultiplier } })) })
}

const silent = aFleetWith({ rack: '0' })
const told = aFleetWith({ ram_weight_multiplier: '2' })
const stories = [
  { name: 'aggregates are not asked', compiled: compiledAs(false), fleet: silent },
  { name: 'asked; none of 100 says anything', compiled: compiledAs(true), fleet: silent },
  { name: 'asked; one says RAM x 2 for 1,000 hosts', compiled: compiledAs(true), fleet: told },
].map((story) => ({ ...story, times: [] as number[] }))

for (let round = 0; round < ROUNDS; round++)
  for (const { compiled, fleet, times } of stories) {
    const from = performance.now()
    runWeighers(prepareWeighers(compiled, request, fleet), all)
    times.push(performance.now() - from)
  }

for (const { name, times } of stories) {
  const sorted = times.slice(ROUNDS / 4).sort((a, b) => a - b)
  const at = (share: number) => `${(sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(3)} ms`
  console.log(`${name}: median ${at(0.5)}, a tenth below ${at(0.1)}, a tenth above ${at(0.9)}`)
}
