import { z } from 'zod'
import type { Weigher, WeigherOptions } from '../contracts/weigher.ts'
import { at } from '../hosts/columns.ts'
import { fieldsOfClass } from '../report/stats-fields.ts'
import { checkOptions } from '../request/parse.ts'
import { memoByObject } from '../values/memo.ts'

const fullnessOptions = z.strictObject({
  /** The resource classes that are considered. */
  resources: z.array(z.string()).min(1).max(4).default(['VCPU', 'MEMORY_MB']),
})

const optionsOf = memoByObject((options: WeigherOptions) => checkOptions(fullnessOptions, options))

/**
 * Prefers the fullest host, whatever the request needs. The score is minus the product of the free amounts of all listed resources.
 * Therefore a host on which one listed resource is used up has the highest score. All amounts are integers, so rounding cannot make equal
 * hosts unequal.
 */
export const fullnessWeigher: Weigher = {
  name: 'FullnessWeigher',
  description: 'The product of the free amounts of the resources that the profile lists; less is better.',
  reads: (options) => [...new Set(optionsOf(options).resources.flatMap(fieldsOfClass))],
  unit: 'product of free units',
  readsHostOnly: true,
  cacheKey: () => '',
  checkOptions: (options) => void checkOptions(fullnessOptions, options),
  prepare(_request, { hosts }, options) {
    const columns = optionsOf(options).resources.map((resourceClass) => hosts.classColumns(resourceClass))
    return (host) => {
      let room = 1
      for (const { free } of columns) room *= Math.max(0, at(free, host))
      return -room
    }
  },
}
