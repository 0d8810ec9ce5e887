import { createRandom, type Random, type RequestSpec } from '@gantt/scheduler-core'
import { aRequest, aUuid } from '@gantt/scheduler-core/testing'
import { goals } from './goals.ts'
import { LivingFleet } from './living-fleet.ts'
import { createPlainPipeline } from './plain-pipeline.ts'
import { isSame, placedBy } from './same.ts'
import type { TargetQuestion } from './target.ts'

const DECISIONS = 100

/**
 * P3: random decisions on a fleet that lives on, compared with calling each filter and weigher for each host: claims, answers, counts of
 * each filter, the ten best hosts with their scores, and ties.
 */
export const equalityTarget: TargetQuestion = {
  name: 'p3',
  goals: [goals.equality],
  rounds: 10,
  run({ hosts = 1_000, rounds }) {
    const living = new LivingFleet(hosts)
    const decidePlainly = createPlainPipeline(living.fleet, living.profile)
    const random = createRandom('equality')
    const refused: number[] = []
    const equal = Array.from({ length: rounds }, (_, round) => {
      let [same, none] = [0, 0]
      for (let i = 0; i < DECISIONS; i++) {
        const request = randomRequest(random, living)
        const decided = living.decide(request)
        if (isSame(placedBy(decided), decidePlainly(request, decided.record.seed))) same++
        else process.stderr.write(`P3: decision ${i} of round ${round} differs from the plain scan: ${JSON.stringify(request)}\n`)
        if (decided.parts.length === 0) none++
        living.settle(request, decided)
      }
      refused.push(none)
      return (100 * same) / DECISIONS
    })
    return [
      {
        goal: goals.equality,
        size: `${hosts} hosts, ${rounds * DECISIONS} random decisions`,
        values: equal,
        baseline: { what: 'decisions that the plain scan made in each round', unit: '', values: refused.map(() => DECISIONS) },
        parts: [{ what: 'of these, requests that found no host', unit: '', values: refused }],
      },
    ]
  },
}

const policies = ['ANTI_AFFINITY', 'SOFT_ANTI_AFFINITY', 'SOFT_AFFINITY'] as const

const groupOf = (number: number) => ({ uuid: aUuid(900_000 + number), policy: policies[number % policies.length] ?? policies[0] })

/** A request with random amounts, places, traits, groups and names of hosts. */
function randomRequest(random: Random, living: LivingFleet): RequestSpec {
  const isOften = (): boolean => random.below(3) === 0
  const isRare = (): boolean => random.below(12) === 0
  const name = (): string => living.fleet.hosts.records[random.below(living.fleet.hosts.count)]?.host ?? ''
  const vcpus = isRare() ? 90 : random.below(9)
  return aRequest({
    flavor: {
      vcpus,
      memoryMb: 1_024 * (isRare() ? 400 : random.below(16)),
      rootGb: 20 * random.below(4),
      extraSpecs: { ...(isOften() && { 'trait:CUSTOM_FAST': random.below(2) === 0 ? 'required' : 'forbidden' }) },
    },
    ...(isOften() && { availabilityZone: `z${random.below(27)}` }),
    ...(isOften() && { instanceGroup: groupOf(random.below(21)) }),
    ...(isRare() && { ignoreHosts: [name(), name()] }),
    ...(isRare() && { forceHosts: [name()] }),
    ...(isRare() && { requestedDestination: { aggregates: [aUuid(random.below(25))] } }),
    ...living.instances(isOften() ? 1 + random.below(4) : 1),
  })
}
