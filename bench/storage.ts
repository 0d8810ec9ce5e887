import { packDecision, type RequestSpec } from '@gantt/scheduler-core'
import { aRequest, aUuid } from '@gantt/scheduler-core/testing'
import { aLogOf, scan } from './fleet.ts'
import type { Figure, Question } from './question.ts'

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** Measures the size of a stored decision without its request. */
export const storage: Question = {
  name: 'storage',
  asks: 'How many bytes per instance does a stored decision of the default profile take, without the request?',
  floor: 'the record and the answer as JSON',
  rounds: 1,
  run({ hosts = 10_000 }) {
    const { fleet } = aLogOf(hosts)
    const kinds: Readonly<Record<string, RequestSpec>> = {
      'one instance': aRequest({ vcpus: 1, memoryMb: 1_024 }),
      'one instance, in a zone': aRequest({ vcpus: 2, memoryMb: 4_096, availabilityZone: 'z7' }),
      'ten instances': aRequest({ vcpus: 1, memoryMb: 1_024, instanceUuids: numbers(10).map(aUuid) }),
      'none found': aRequest({ vcpus: 1, memoryMb: 9_000_000 }),
    }
    return Object.entries(kinds).flatMap(([name, request]): Figure[] => {
      const { record, answer } = scan(fleet, request)
      const { request: _, ...rest } = record
      const instances = Math.max(1, record.instances.length)
      const packed = lengthOf(packDecision({ record, answer })) / instances
      const asJson = JSON.stringify({ ...rest, answer }).length / instances
      return [
        { what: `${name}; as JSON`, unit: 'bytes', median: asJson, p99: null, ratio: null },
        { what: `${name}; packed`, unit: 'bytes', median: packed, p99: null, ratio: packed / asJson, target: { of: 'median', most: 400 } },
      ]
    })
  },
}

function lengthOf(bytes: Uint8Array | undefined): number {
  if (bytes === undefined) throw new Error('a decision of this release has no packed form')
  return bytes.length
}
