import type { RequestSpec } from '@gantt/scheduler-core'
import { aRequest, aUuid } from '@gantt/scheduler-core/testing'
import { samplesOf } from '../measure.ts'
import type { Figure, Question } from '../question.ts'
import { createColumnarScan } from '../targets/columnar-scan.ts'
import { LivingFleet } from '../targets/living-fleet.ts'
import { measureRounds, timed } from '../targets/processor-time.ts'
import { assertSame, placedBy } from '../targets/same.ts'

/** Each kind of requests has this many flavors. */
const FLAVORS = 4
/** The decision of each flavor is made by calling everything for every host once in this many rounds, because that takes long. */
const EXHAUSTIVE = 8

interface Kind {
  readonly what: string
  readonly numInstances: number
  fields(flavor: number): Partial<Parameters<typeof aRequest>[0]>
}

const kinds: readonly Kind[] = [
  { what: 'one instance', numInstances: 1, fields: () => ({}) },
  {
    what: 'one instance whose image has properties',
    numInstances: 1,
    fields: () => ({ image: { properties: { os_type: 'linux', hw_disk_bus: 'virtio' } } }),
  },
  { what: 'one instance in one of 25 zones', numInstances: 1, fields: (flavor) => ({ availabilityZone: `z${flavor * 3}` }) },
  {
    what: 'one instance in a group with anti-affinity',
    numInstances: 1,
    fields: () => ({ instanceGroup: { uuid: aUuid(0x900), policy: 'ANTI_AFFINITY' } }),
  },
  { what: '3 instances', numInstances: 3, fields: () => ({}) },
  { what: '10 instances', numInstances: 10, fields: () => ({}) },
]

/**
 * Measures decisions by the rules of Nova on a fleet that lives on, and compares them with a columnar scan for each instance. Some decisions
 * are also made by calling each filter and weigher for each host in each round; throws an error if the results differ.
 */
export const novaDecisions: Question = {
  name: 'nova-decisions',
  asks: 'What does a decision by the profile nova-compat cost, with its record?',
  floor: 'a columnar scan for each instance, which filters and weighs as the profile default',
  rounds: 40,
  run({ hosts = 10_000, rounds }) {
    const living = new LivingFleet(hosts, 'nova-compat')
    return kinds.flatMap((kind): Figure[] => {
      const scan = createColumnarScan(living.fleet)
      const exhaustive: number[] = []
      const { decided, scanned } = measureRounds(rounds, (round) => {
        const sums = { decided: 0, scanned: 0 }
        for (let flavor = 0; flavor < FLAVORS; flavor++) {
          const request = requestOf(living, kind, flavor)
          const { result, us } = timed(() => living.decide(request))
          sums.decided += us / FLAVORS
          sums.scanned += (kind.numInstances * timed(() => scan(plainOf(request))).us) / FLAVORS
          if (round % EXHAUSTIVE === 0) {
            const { result: expected, us: longer } = timed(() => living.decide(request, { isExhaustive: true }))
            assertSame(result, placedBy(expected))
            exhaustive.push(longer)
          }
          living.settle(request, result)
        }
        return sums
      })
      const floor = samplesOf(scanned).median
      const figure = (what: string, us: readonly number[], most?: number): Figure => {
        const { median, p99 } = samplesOf(us)
        return {
          ...{ what: `${hosts} hosts, ${kind.what}${what}`, unit: 'ms', median: median / 1_000, p99: p99 / 1_000 },
          ratio: floor === 0 ? null : median / floor,
          ...(most !== undefined && { target: { of: 'ratio', most } }),
        }
      }
      return [figure('', decided, 3), figure('; calling everything for every host', exhaustive)]
    })
  },
}

function requestOf(living: LivingFleet, { numInstances, fields }: Kind, flavor: number): RequestSpec {
  const vcpus = 1 + flavor
  return aRequest({ flavor: { vcpus, memoryMb: 2_048 * vcpus, rootGb: 10 }, ...living.instances(numInstances), ...fields(flavor) })
}

/** The request for one instance with nothing that the columnar scan does not know. */
const plainOf = ({ flavor, availabilityZone, instanceUuids }: RequestSpec): RequestSpec =>
  aRequest({ flavor, availabilityZone, instanceUuids: instanceUuids.slice(0, 1) })
