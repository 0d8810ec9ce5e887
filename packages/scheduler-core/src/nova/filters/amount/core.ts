import { z } from 'zod'
import { classFields } from '../../../report/stats-fields.ts'
import type { Reason } from '../../../text/reason.ts'
import type { HostState } from '../../objects/host-state.ts'
import type { NovaRequest } from '../../objects/request.ts'
import { aggregateRatio, hostRatio, isAgainstItself, type RatioOf } from '../../parts/allocation-ratio.ts'
import { type CheckContext, novaFilter, withLimits } from '../../parts/nova-filter.ts'

const RATIO = 'cpu_allocation_ratio'
const rule = {
  resourceClass: 'VCPU',
  own: ({ cpuAllocationRatio }: HostState) => cpuAllocationRatio,
  byDefault: 16,
  optionByDefault: 0,
} as const
const [ownRatio, minRatio] = [hostRatio(rule), aggregateRatio(rule)]

/**
 * The allocation ratio for all hosts, which is an option of Juno and Kilo. If it is 0, which is the default from Liberty on, the ratio of
 * each host applies. A host without a ratio gets 16.
 */
const options = z.strictObject({ [RATIO]: z.number().min(0).default(0) })

/** Passes hosts with enough free vCPUs, including overcommit. As in Nova, a host whose report has no vCPU count passes. */
export const coreFilter = novaFilter({
  name: 'CoreFilter',
  description: 'The host has enough free vCPUs.',
  reads: classFields.VCPU,
  cachedBy: ['flavor'],
  options,
  prepare: (request, { [RATIO]: option }, context) => checkCores(request, ownRatio(option), context),
})

/** Like CoreFilter, but with the lowest allocation ratio in the metadata of the host's aggregates. */
export const aggregateCoreFilter = novaFilter({
  name: 'AggregateCoreFilter',
  description: 'The host has enough free vCPUs by the allocation ratio of its aggregates.',
  reads: classFields.VCPU,
  cachedBy: ['flavor'],
  readsMetadata: [{ key: RATIO }],
  options,
  prepare: (request, { [RATIO]: option }, context) => checkCores(request, minRatio(option), context),
})

/** Passes hosts that have exactly the requested number of free vCPUs. Overcommit is ignored. */
export const exactCoreFilter = novaFilter({
  name: 'ExactCoreFilter',
  description: 'The host has exactly as many free vCPUs as requested.',
  reads: classFields.VCPU,
  cachedBy: ['flavor'],
  prepare:
    ({ flavor: { vcpus: need } }) =>
    ({ vcpusTotal, vcpusUsed }) => {
      const have = vcpusTotal - vcpusUsed
      return vcpusTotal !== 0 && have === need ? undefined : { code: 'cpu.not_exact', subject: 'vCPUs', need, have, unit: 'vCPUs' }
    },
})

function checkCores({ flavor: { vcpus: need } }: NovaRequest, ratioOf: RatioOf, context: CheckContext) {
  const check = (host: HostState): Reason | undefined => {
    if (host.vcpusTotal === 0) return undefined
    const { value, source } = ratioOf(host)
    // With a ratio of 0, Nova does not compare the request with the host's total. By this ratio, the host has no vCPUs, so it is refused
    // below.
    if (isAgainstItself(need, host.vcpusTotal, context) && value > 0)
      return { code: 'cpu.too_few', subject: 'vCPUs', need, have: host.vcpusTotal, unit: 'vCPUs' }
    const have = host.vcpusTotal * value - host.vcpusUsed
    return have >= need ? undefined : { code: 'cpu.short', subject: 'vCPUs', need, have, unit: 'vCPUs', source }
  }
  return withLimits(check, (host) => {
    const vcpu = host.vcpusTotal * ratioOf(host).value
    return vcpu > 0 ? { vcpu } : {}
  })
}
