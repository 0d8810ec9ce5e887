/**
 * Measures what-if calls on 10,000 hosts with claims: a simulation of 50 requests, a count of the instances that fit, and
 * a search for changes that would make a request fit. Each call has a new copy of the fleet. Times are CPU times of this
 * process. Run: npx esbuild packages/scheduler-core/bench/what-if.ts --bundle --format=esm | node --input-type=module -
 */
import { copyFleet } from '../src/fleet/copy.ts'
import { builtInProfiles } from '../src/profiles/built-in.ts'
import type { Profile } from '../src/records/profile.ts'
import { aClaim, aLog, aReport, aRequest, aUuid } from '../src/testing/index.ts'
import { atOnce } from '../src/values/steps.ts'
import { countCapacity } from '../src/what-if/capacity.ts'
import { simulate } from '../src/what-if/simulate.ts'
import { whatWouldFit } from '../src/what-if/would-fit/what-would-fit.ts'

const HOSTS = 10_000
const RUNS = 5

const log = aLog()
log.append(
  Array.from({ length: HOSTS }, (_, i) =>
    aReport(`h${i}`, { memoryMbUsed: (i * 7_919) % 60_000, vcpusUsed: (i * 31) % 14, traits: i % 10 === 0 ? ['FAST'] : [] }),
  ),
)
for (let zone = 0; zone < 4; zone++) {
  const hosts = Array.from({ length: HOSTS / 4 }, (_, i) => `h${i * 4 + zone}`)
  const next = { name: `az${zone}`, hosts, metadata: { availability_zone: `az${zone}` } }
  log.append([{ type: 'aggregate', uuid: aUuid(zone), expectedVersion: 0, next }])
}
for (let i = 0; i < HOSTS; i += 10) log.append([aClaim({ key: `k${i}`, hosts: [`h${i}`] })])
const { fleet } = log

const profile = builtInProfiles.find(({ name }) => name === 'default') as Profile
const small = aRequest({ vcpus: 2, memoryMb: 4_096 })
const hard = aRequest({ vcpus: 8, memoryMb: 70_000, availabilityZone: 'az1' })
const isOver = () => false
const groupsOf = ({ zone }: { readonly zone: string }) => [zone]

const questions: Readonly<Record<string, () => unknown>> = {
  'private copy': () => copyFleet(fleet),
  'simulate 50 requests': () =>
    atOnce(simulate(copyFleet(fleet), { requests: [{ request: small, count: 50 }], profile, seed: 's', isOver })),
  'capacity, plain': () =>
    atOnce(countCapacity(copyFleet(fleet), { request: small, profile, seed: 's', limit: 1_000_000, groupsOf, isOver })).fits,
  'what would fit, ten answers': () => {
    const kinds = ['REQUEST', 'FLEET', 'POLICY'] as const
    const limits = { maxChanges: 2, first: 10, minHosts: 1, maxRuns: 100 }
    const { runs, counterfactuals } = atOnce(
      whatWouldFit(copyFleet(fleet), { request: hard, profile, seed: 's', kinds, isOver, ...limits }),
    )
    return `${counterfactuals.length} answers of ${runs} tried`
  },
}

for (const [name, ask] of Object.entries(questions)) {
  const times: number[] = []
  let said: unknown
  for (let run = 0; run < RUNS; run++) {
    const before = process.cpuUsage()
    said = ask()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1_000)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.min(RUNS - 1, Math.floor(RUNS * share))] as number)
  const found = typeof said === 'number' || typeof said === 'string' ? ` (${said})` : ''
  console.log(`${name}: median ${at(0.5)} ms, most ${at(1)} ms of processor time over ${RUNS} runs${found}`)
}
