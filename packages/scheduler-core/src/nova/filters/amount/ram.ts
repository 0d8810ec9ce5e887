import { z } from 'zod'
import { classFields } from '../../../report/stats-fields.ts'
import type { Reason } from '../../../text/reason.ts'
import type { HostState } from '../../objects/host-state.ts'
import type { NovaRequest } from '../../objects/request.ts'
import { aggregateRatio, hostRatio, isAgainstItself, type RatioOf } from '../../parts/allocation-ratio.ts'
import { type CheckContext, novaFilter, withLimits } from '../../parts/nova-filter.ts'

const RATIO = 'ram_allocation_ratio'
const rule = {
  resourceClass: 'MEMORY_MB',
  own: ({ ramAllocationRatio }: HostState) => ramAllocationRatio,
  byDefault: 1.5,
  optionByDefault: 0,
} as const
const [ownRatio, leastRatio] = [hostRatio(rule), aggregateRatio(rule)]

/** The option of Juno and Kilo for all hosts. With 0, the value of Liberty, each host's own ratio applies, or 1.5 where it has none. */
const options = z.strictObject({ [RATIO]: z.number().min(0).default(0) })

/** Enough of the host's memory is left, overcommit included. */
export const ramFilter = novaFilter({
  name: 'RamFilter',
  description: 'The host has enough memory left.',
  reads: classFields.MEMORY_MB,
  options,
  prepare: (request, { [RATIO]: option }, context) => checkRam(request, ownRatio(option), context),
})

/** The same as RamFilter, with the lowest ratio of the host's aggregates. */
export const aggregateRamFilter = novaFilter({
  name: 'AggregateRamFilter',
  description: 'The host has enough memory left by the ratio of its aggregates.',
  reads: classFields.MEMORY_MB,
  readsMetadata: [{ key: RATIO }],
  options,
  prepare: (request, { [RATIO]: option }, context) => checkRam(request, leastRatio(option), context),
})

/** Exactly as much memory is left as asked for, without overcommit. */
export const exactRamFilter = novaFilter({
  name: 'ExactRamFilter',
  description: 'The host has exactly the memory left that is asked for.',
  reads: classFields.MEMORY_MB,
  prepare:
    ({ flavor: { memoryMb: need } }) =>
    ({ freeRamMb: have }) =>
      have === need ? undefined : { code: 'memory.not_exact', subject: 'memory', need, have, unit: 'MiB' },
})

function checkRam({ flavor: { memoryMb: need } }: NovaRequest, ratioOf: RatioOf, context: CheckContext) {
  const check = (host: HostState): Reason | undefined => {
    if (isAgainstItself(need, host.totalUsableRamMb, context))
      return { code: 'memory.too_little', subject: 'memory', need, have: host.totalUsableRamMb, unit: 'MiB' }
    const { value, source } = ratioOf(host)
    const have = host.totalUsableRamMb * value - (host.totalUsableRamMb - host.freeRamMb)
    return have >= need ? undefined : { code: 'memory.short', subject: 'memory', need, have, unit: 'MiB', source }
  }
  return withLimits(check, (host) => ({ memoryMb: host.totalUsableRamMb * ratioOf(host).value }))
}
