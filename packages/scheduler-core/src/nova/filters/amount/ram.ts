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
const [ownRatio, minRatio] = [hostRatio(rule), aggregateRatio(rule)]

/**
 * The allocation ratio for all hosts, which is an option of Juno and Kilo. If it is 0, which is the default from Liberty on, the ratio of
 * each host applies. A host without a ratio gets 1.5.
 */
const options = z.strictObject({ [RATIO]: z.number().min(0).default(0) })

/** Passes hosts with enough free memory, including overcommit. */
export const ramFilter = novaFilter({
  name: 'RamFilter',
  description: 'The host has enough free memory.',
  reads: classFields.MEMORY_MB,
  cachedBy: ['flavor'],
  options,
  prepare: (request, { [RATIO]: option }, context) => checkRam(request, ownRatio(option), context),
})

/** Like RamFilter, but with the lowest allocation ratio in the metadata of the host's aggregates. */
export const aggregateRamFilter = novaFilter({
  name: 'AggregateRamFilter',
  description: 'The host has enough free memory by the allocation ratio of its aggregates.',
  reads: classFields.MEMORY_MB,
  cachedBy: ['flavor'],
  readsMetadata: [{ key: RATIO }],
  options,
  prepare: (request, { [RATIO]: option }, context) => checkRam(request, minRatio(option), context),
})

/** Passes hosts that have exactly the requested amount of free memory. Overcommit is ignored. */
export const exactRamFilter = novaFilter({
  name: 'ExactRamFilter',
  description: 'The host has exactly as much free memory as requested.',
  reads: classFields.MEMORY_MB,
  cachedBy: ['flavor'],
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
