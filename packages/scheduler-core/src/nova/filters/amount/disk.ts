import { z } from 'zod'
import type { Reason } from '../../../text/reason.ts'
import type { HostState } from '../../objects/host-state.ts'
import type { NovaFlavor, NovaRequest } from '../../objects/request.ts'
import { aggregateRatio, hostRatio, isAgainstItself, type RatioOf } from '../../parts/allocation-ratio.ts'
import { type CheckContext, novaFilter, withLimits } from '../../parts/nova-filter.ts'

const RATIO = 'disk_allocation_ratio'
const rule = {
  resourceClass: 'DISK_GB',
  own: ({ diskAllocationRatio }: HostState) => diskAllocationRatio,
  byDefault: 1,
  optionByDefault: 1,
} as const
const [ownRatio, leastRatio] = [hostRatio(rule), aggregateRatio(rule)]

/**
 * The ratio for all hosts. With 0, the default of releases after Liberty, the ratio of each host applies, or 1 if the host has no ratio.
 * The default is 1, or 0 if claims are judged by the ratios of hosts.
 */
const options = z.strictObject({ [RATIO]: z.number().min(0).optional() })

/**
 * Passes hosts with enough free disk, including overcommit. Swap is included in the need, although Nova does not subtract swap from the
 * free disk after a placement.
 */
export const diskFilter = novaFilter({
  name: 'DiskFilter',
  description: 'The host has enough free disk.',
  reads: ['localGb', 'localGbUsed', 'freeDiskGb', 'diskAvailableLeast', 'diskAllocationRatio'],
  options,
  prepare: (request, { [RATIO]: option }, context) => checkDisk(request, ownRatio(option), context),
})

/** DiskFilter with the lowest ratio of the host's aggregates. */
export const aggregateDiskFilter = novaFilter({
  name: 'AggregateDiskFilter',
  description: 'The host has enough free disk by the allocation ratio of its aggregates.',
  reads: ['localGb', 'localGbUsed', 'freeDiskGb', 'diskAvailableLeast', 'diskAllocationRatio'],
  readsMetadata: [{ key: RATIO }],
  options,
  prepare: (request, { [RATIO]: option }, context) => checkDisk(request, leastRatio(option), context),
})

/** Passes hosts on which exactly the requested amount of disk is free, without overcommit. */
export const exactDiskFilter = novaFilter({
  name: 'ExactDiskFilter',
  description: 'The host has exactly as much free disk as requested.',
  reads: ['localGb', 'localGbUsed', 'freeDiskGb', 'diskAvailableLeast', 'diskAllocationRatio'],
  prepare({ flavor }) {
    const need = wantedMb(flavor)
    return ({ freeDiskMb: have }) => (have === need ? undefined : { code: 'disk.not_exact', subject: 'disk', need, have, unit: 'MiB' })
  },
})

const wantedMb = ({ rootGb, ephemeralGb, swap }: NovaFlavor) => 1024 * (rootGb + ephemeralGb) + swap

function checkDisk({ flavor }: NovaRequest, ratioOf: RatioOf, context: CheckContext) {
  const need = wantedMb(flavor)
  const check = (host: HostState): Reason | undefined => {
    const totalMb = host.totalUsableDiskGb * 1024
    if (isAgainstItself(need, totalMb, context))
      return { code: 'disk.too_little', subject: 'disk', need: Math.ceil(need / 1024), have: host.totalUsableDiskGb, unit: 'GiB' }
    const { value, source } = ratioOf(host)
    const have = totalMb * value - (totalMb - host.freeDiskMb)
    return have >= need ? undefined : { code: 'disk.short', subject: 'disk', need, have, unit: 'MiB', source }
  }
  return withLimits(check, (host) => ({ diskGb: (host.totalUsableDiskGb * 1024 * ratioOf(host).value) / 1024 }))
}
