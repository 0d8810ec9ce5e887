import type { HostStatsInput } from '@gantt/scheduler-core'
import type { Draw } from './draw.ts'
import type { AggregatePlan, FleetAllocationPlan, OverridePlan } from './plan.ts'

/**
 * Adds the part in Nova's form to 15 % of the reports. Most ratios in it are not set, so that Nova's
 * configuration determines them. Of the classes in the report's inventories, half leave their ratio or their reserved amount to the
 * settings of the fleet.
 */
export function withDocument(draw: Draw, stats: HostStatsInput): HostStatsInput {
  if (!draw.chance(15)) return stats
  const { inventories = [] } = stats
  const open = () => inventories.map(({ resourceClass }) => resourceClass).filter(() => draw.chance(50))
  const ratio = () => draw.of([0, 0, null, 2])
  const computeNode = {
    cpu_allocation_ratio: ratio(),
    ram_allocation_ratio: ratio(),
    ...(draw.chance(50) && { disk_allocation_ratio: ratio() }),
  }
  return {
    ...stats,
    nova: { computeNode, service: null, cellUuid: null, flavors: {}, images: {}, openRatios: open(), openReserves: open() },
  }
}

/** Adds each of Nova's three allocation ratios to the aggregate with a probability of 15 %. Some of the values are invalid. */
export function withRatios(draw: Draw, aggregate: AggregatePlan): AggregatePlan {
  const ratios = ['cpu_allocation_ratio', 'ram_allocation_ratio', 'disk_allocation_ratio']
    .filter(() => draw.chance(15))
    .map((key) => [key, draw.of(['2', '1.5', ' 3 ', '0.5', 'many', '0', ''])])
  return { ...aggregate, metadata: { ...aggregate.metadata, ...Object.fromEntries(ratios) } }
}

/** Draws the ratios and reserved amounts that an import of a nova.conf would write. */
export function drawAllocation(draw: Draw): FleetAllocationPlan {
  const ofClass = (unit: number) => ({
    ...(draw.chance(60) && { ratio: draw.of([1, 2, 1.5, 0.333]) }),
    ...(draw.chance(40) && drawReserved(draw, unit)),
  })
  return {
    release: draw.of([null, 26, 27]),
    classes: {
      ...(draw.chance(60) && { VCPU: ofClass(1) }),
      ...(draw.chance(50) && { MEMORY_MB: ofClass(512) }),
      ...(draw.chance(30) && { DISK_GB: ofClass(1) }),
    },
  }
}

/** Draws a reserved amount. In a third of the cases, only a part of it is in the used amounts of reports. */
function drawReserved(draw: Draw, unit: number): { readonly reserved: number; readonly reservedInUse?: number } {
  const reserved = unit * draw.between(0, 2)
  return draw.chance(33) ? { reserved, reservedInUse: Math.max(0, reserved - unit) } : { reserved }
}

export function drawOverride(draw: Draw, hosts: number): OverridePlan {
  const resourceClass = draw.of(['VCPU', 'VCPU', 'MEMORY_MB', 'DISK_GB', 'CUSTOM_FPGA'])
  return {
    host: draw.between(0, Math.max(0, hosts - 1)),
    resourceClass,
    ratio: draw.of([null, 1, 2, 1.5, 4, 0.333]),
    reserved: draw.chance(60) ? null : draw.between(0, 4) * (resourceClass === 'MEMORY_MB' ? 512 : 1),
    isLate: draw.chance(40),
  }
}
