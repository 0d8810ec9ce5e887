import type { ProfileInput } from '@gantt/scheduler-core'
import type { Draw, Theme } from './draw.ts'
import { filters, nets } from './model/filters.ts'
import { weighers } from './model/weighers.ts'

const ownFilters = Object.keys(filters).filter((name) => name !== 'Candidates')
const optional = ownFilters.filter((name) => !nets.includes(name))
const ownWeighers = Object.keys(weighers)
const themed: Readonly<Record<Theme, (name: string) => boolean>> = {
  plain: () => true,
  gpu: (name) => name.startsWith('Gpu'),
  numa: (name) => name.startsWith('NUMA'),
  group: (name) => name.startsWith('ServerGroup'),
}

/** Draws a profile with random filters and weighers of those that the model knows, in random order. */
export function drawProfile(draw: Draw, theme: Theme): ProfileInput {
  const listed = draw.some(draw.chance(40) ? ownFilters : optional, draw.of([0, 4, 10, 16]))
  const twice = draw.chance(5) ? listed.slice(0, 1) : []
  return {
    name: 'truth',
    number: 1,
    filters: [...listed, ...twice].map((name) => ({ name })),
    weighers: draw
      .some(ownWeighers.filter(draw.chance(theme === 'group' ? 95 : 80) ? themed[theme] : themed.plain), draw.of([0, 1, 2, 3, 5, 15]))
      .map((name) => ({
        name,
        multiplier: draw.of([1, 1, 1, -1, 0.5, 10, 0, 1 / 3, 0.1, -0.7]),
        options: drawOptions(draw, name),
      })),
    normalisation: draw.of(['minmax', 'minmax', 'fixed', 'rank']),
    tieOrder: draw.of(['first-seen', 'seeded']),
    scheduler: draw.chance(7) ? 'chance' : 'filter',
    hostSubsetSize: draw.chance(75) ? 1 : draw.between(2, 5),
    assignment: {
      ...(draw.chance(50) && { numa: { rule: draw.of(['first', 'emptiest', 'tightest']) } }),
      ...(draw.chance(50) && { gpu: drawGpuRule(draw) }),
    },
  }
}

type Options = NonNullable<ProfileInput['weighers'][number]['options']>

function drawOptions(draw: Draw, name: string): Options {
  if (weighers[name]?.key !== undefined) return draw.chance(40) ? { aggregateMultiplier: draw.chance(80) } : {}
  // Without typical requests, this weigher would give no scores.
  if (name === 'GpuFragmentationWeigher') return { typical: drawTypical(draw) }
  if (draw.chance(40)) return {}
  if (name === 'BestFitWeigher' || name === 'DotProductWeigher')
    return {
      resources: draw.some(['VCPU', 'MEMORY_MB', 'GPU_MILLI', 'CUSTOM_FPGA', 'CUSTOM_NONE'], draw.between(1, 3)).map((resourceClass) => ({
        resourceClass,
        ...(draw.chance(40) && { scale: draw.of([3, 7, 1_000]) }),
      })),
      points: draw.chance(40),
    }
  if (name === 'FullnessWeigher') return { resources: draw.some(['VCPU', 'MEMORY_MB', 'DISK_GB', 'CUSTOM_FPGA'], draw.between(1, 3)) }
  if (name === 'GpuClusteringWeigher') return { scale: draw.of([1_000, 3_000]) }
  return {}
}

function drawGpuRule(draw: Draw): { rule: string; options?: Options } {
  const rule = draw.of(['fullest', 'emptiest', 'first', 'least-fragmentation'])
  return rule === 'least-fragmentation' && draw.chance(80) ? { rule, options: { typical: drawTypical(draw) } } : { rule }
}

const drawTypical = (draw: Draw) =>
  draw.list(draw.between(1, 3), () => ({
    frequency: draw.of([0.1, 0.25, 0.3, 1]),
    cpu: draw.between(0, 3),
    gpus: draw.between(0, 2),
    shareMilli: draw.of([0, 250, 500, 1_000]),
    models: draw.chance(70) ? [] : ['A'],
  }))
