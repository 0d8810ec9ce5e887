import fc from 'fast-check'
import { expect, test } from 'vitest'
import { weighers } from '../../bundled.ts'
import { profileSchema } from '../../records/profile.ts'
import { aLog, aReport, aRequest } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { compileProfile } from '../compile.ts'
import { prepareWeighers } from './run-weighers.ts'

const amount = fc.integer({ min: 0, max: 64 })
const host = fc.record({ vcpus: amount, vcpusUsed: amount, memoryMb: amount, memoryMbUsed: amount, localGb: amount, localGbUsed: amount })

test.each(weighers.map((weigher) => [weigher.name, weigher] as const))(
  'law: %s gives each host the same score alone and in a loop over all hosts',
  (name, weigher) => {
    const compiled = compileProfile(profileSchema.parse({ name: 'one', number: 0, filters: [], weighers: [{ name, multiplier: 1 }] }))
    fc.assert(
      fc.property(fc.array(host, { minLength: 1, maxLength: 8 }), (drawn) => {
        const log = aLog()
        log.append(drawn.map((stats, i) => aReport(`h${i}`, stats)))
        const request = aRequest()
        const [step] = prepareWeighers(compiled, request, log.fleet)
        const alone = weigher.prepare(request, log.fleet, compiled.weighers[0]?.options ?? {}, 1)
        const found = step?.rawOf(Int32Array.from(drawn.keys()))
        expect([...(found ?? [])]).toEqual(drawn.map((_, i) => alone(i as HostIndex)))
      }),
      { numRuns: 30 },
    )
  },
)
