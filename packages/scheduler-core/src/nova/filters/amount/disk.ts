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
const [ownRatio, minRatio] = [hostRatio(rule), aggregateRatio(rule)]

/**
 * The allocation ratio for all hosts. If it is 0, the ratio of each host applies, or 1 for a host without a ratio. If the option is absent,
 * the ratio is 1 as in Liberty. At feature levels at which a ratio can be set for a host (`ratiosSet`), the host's ratio applies instead.
 */
const options = z.strictObject({ [RATIO]: z.number().min(0).optional() })

/**
 * Passes hosts with enough free disk space, including overcommit. The request needs space for its swap too. As in Nova, swap is not
 * subtracted from the host's free space after the instance is placed.
 */
export const diskFilter = novaFilter({
  name: 'DiskFilter',
  description: 'The host has enough free disk space.',
  reads: ['localGb', 'localGbUsed', 'freeDiskGb', 'diskAvailableLeast', 'diskAllocationRatio'],
  cachedBy: ['flavor'],
  options,
  prepare: (request, { [RATIO]: option }, context) => checkDisk(request, ownRatio(option), context),
})

/** Like DiskFilter, but with the lowest allocation ratio in the metadata of the host's aggregates. */
export const aggregateDiskFilter = novaFilter({
  name: 'AggregateDiskFilter',
  description: 'The host has enough free disk space by the allocation ratio of its aggregates.',
  reads: ['localGb', 'localGbUsed', 'freeDiskGb', 'diskAvailableLeast', 'diskAllocationRatio'],
  cachedBy: ['flavor'],
  readsMetadata: [{ key: RATIO }],
  options,
  prepare: (request, { [RATIO]: option }, context) => checkDisk(request, minRatio(option), context),
})

/** Passes hosts that have exactly the requested amount of free disk space. Overcommit is ignored. */
export const exactDiskFilter = novaFilter({
  name: 'ExactDiskFilter',
  description: 'The host has exactly as much free disk space as requested.',
  reads: ['localGb', 'localGbUsed', 'freeDiskGb', 'diskAvailableLeast', 'diskAllocationRatio'],
  cachedBy: ['flavor'],
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
