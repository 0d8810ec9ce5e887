import type { HostStatsInput } from '@gantt/scheduler-core'
import type { Draw, Theme } from './draw.ts'
import type { HostPlan } from './plan.ts'
import { uuidOf } from './uuid.ts'

export function drawHost(draw: Draw, theme: Theme, i: number): HostPlan {
  // With a probability of 10 %, this host has the host name h0 too, with another node.
  const isSecond = i > 0 && draw.chance(10)
  return {
    host: isSecond ? 'h0' : `h${i}`,
    node: isSecond ? `h0-${i}` : `h${i}`,
    stats: drawStats(draw, theme),
    status: draw.chance(93) ? 'ENABLED' : draw.of(['DISABLED', 'DRAINING', 'MAINTENANCE']),
    liveness: draw.chance(90) ? 'UP' : draw.of(['SUSPECT', 'DOWN']),
  }
}

export function drawStats(draw: Draw, theme: Theme): HostStatsInput {
  return {
    vcpus: draw.chance(10) ? draw.between(0, 2) : draw.between(3, 16),
    vcpusUsed: draw.of([0, 0, 1, 2, 5]),
    memoryMb: (draw.chance(15) ? draw.between(0, 2) : draw.between(3, 20)) * 512,
    memoryMbUsed: draw.of([0, 0, 512, 700, 2_048]),
    localGb: draw.chance(10) ? draw.between(0, 2) : draw.between(3, 20),
    localGbUsed: draw.of([0, 0, 1, 3]),
    cpuAllocationRatio: draw.of([1, 1, 1, 2, 2, 1.5, 0.333]),
    ramAllocationRatio: draw.of([1, 1, 1, 1.5, 2, 4]),
    diskAllocationRatio: draw.of([1, 1, 2]),
    runningVms: draw.of([0, 0, 1, 3]),
    numIoOps: draw.of([0, 0, 1, 2]),
    traits: draw.some(['FAST', 'SAFE', 'OLD'], draw.between(0, 2)),
    hypervisorVersion: draw.of([null, 7_002_000, 6_000_001, 2_012]),
    supportedInstances: draw.some(supported, draw.between(0, 2)),
    instances: draw.chance(40) ? null : draw.some(instancePool, draw.between(0, 4)),
    inventories: [
      ...(draw.chance(60) ? [drawInventory(draw, 'CUSTOM_FPGA')] : []),
      ...(draw.chance(10) ? [drawInventory(draw, draw.of(['VCPU', 'MEMORY_MB', 'CUSTOM_SLOT']))] : []),
    ],
    numaCells: draw.list(theme === 'numa' ? draw.of([1, 2, 2, 3]) : draw.of([0, 0, 1, 2]), (cell) => drawCell(draw, cell)),
    gpus: draw.list(theme === 'gpu' ? draw.between(1, 4) : draw.of([0, 0, 1, 2]), (gpu) => ({
      index: gpu * 2,
      model: draw.of([null, 'A', 'A', 'B']),
      usedMilli: draw.of([null, null, 0, 500, 1_000]),
    })),
  }
}

/** Gives some hosts of a case about GPUs more GPUs than a machine usually has, all of them idle. */
export function withManyGpus(draw: Draw, theme: Theme, stats: HostStatsInput): HostStatsInput {
  if (theme !== 'gpu' || !draw.chance(20)) return stats
  return { ...stats, gpus: draw.list(draw.between(15, 40), (index) => ({ index, model: 'A', usedMilli: 0 })) }
}

/** The uuids of the instances that random requests name and random reports list. */
export const instancePool = Array.from({ length: 8 }, (_, i) => uuidOf(i + 1))

const supported = [
  { arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' },
  { arch: 'aarch64', hvType: 'kvm', vmMode: 'hvm' },
  { arch: 'x86_64', hvType: 'xen', vmMode: 'xen' },
  { arch: 'amd64', hvType: 'KVM', vmMode: 'hv' },
]

function drawInventory(draw: Draw, resourceClass: string): NonNullable<HostStatsInput['inventories']>[number] {
  const total = resourceClass === 'MEMORY_MB' ? draw.between(0, 8) * 512 : draw.between(0, 6)
  return {
    resourceClass,
    total,
    reserved: draw.chance(20) ? Math.min(total, 1) : 0,
    allocationRatio: draw.of([1, 1, 1.25, 2]),
    minUnit: draw.of([1, 1, 2]),
    maxUnit: draw.of([null, null, 2, 4]),
    stepSize: draw.of([1, 1, 2]),
    used: draw.of([null, null, 0, 1]),
  }
}

function drawCell(draw: Draw, cell: number): NonNullable<HostStatsInput['numaCells']>[number] {
  const cpuset = draw.list(draw.between(1, 4), (cpu) => cpu + cell * 4)
  const memoryMb = draw.between(1, 6) * 512
  return {
    id: 2 - cell,
    cpuset,
    memoryMb,
    memoryUsageMb: draw.of([null, null, 0, 512]),
    cpuUsage: draw.of([null, null, 0, 1]),
    pinnedCpus: draw.chance(70) ? null : draw.some(cpuset, draw.between(0, 2)),
    pages: draw.chance(60) ? [] : drawPages(draw, memoryMb),
  }
}

/**
 * Draws the memory pages of a cell: huge pages for up to half of its memory, and plain pages for the rest. The plain pages can be missing
 * in the report, or be too few.
 */
function drawPages(draw: Draw, memoryMb: number): NonNullable<HostStatsInput['numaCells']>[number]['pages'] {
  const huge = draw.between(0, memoryMb / 256) * 128
  const total = huge / 2
  const plain = memoryMb - huge - (draw.chance(30) ? 100 : 0)
  return [
    ...(draw.chance(60) ? [{ sizeKib: 4, total: Math.max(0, plain) * 256 }] : []),
    { sizeKib: 2_048, total, used: draw.of([null, null, 0, Math.min(total, 64)]) },
  ]
}
