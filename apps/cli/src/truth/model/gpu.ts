import type { RequestSpec } from '@gantt/scheduler-core'
import type { ModelGpu } from './fleet.ts'
import type { Refusal } from './refusal.ts'

export type GpusAsked = NonNullable<RequestSpec['gpus']>

const isOfModel = ({ model }: ModelGpu, { models }: GpusAsked): boolean => models.length === 0 || (model !== null && models.includes(model))

export const fitting = (gpus: readonly ModelGpu[], asked: GpusAsked): ModelGpu[] =>
  gpus.filter((gpu) => isOfModel(gpu, asked) && gpu.free >= asked.shareMilli)

export function whyNoGpus(gpus: readonly ModelGpu[], asked: GpusAsked): Refusal | undefined {
  const { count, models } = asked
  if (fitting(gpus, asked).length >= count) return undefined
  if (gpus.length === 0) return { code: 'gpu.none', need: count, have: 0 }
  const matching = gpus.filter((gpu) => isOfModel(gpu, asked))
  const found = [...new Set(gpus.map(({ model }) => model ?? 'unnamed'))].join(', ')
  if (matching.length === 0) return { code: 'gpu.model', need: models.join(' or '), have: found }
  if (matching.length < count) return { code: 'gpu.count', need: count, have: matching.length }
  return { code: 'gpu.short', need: count, have: fitting(gpus, asked).length }
}

/** A request that is typical for a site; the frequencies weigh. */
export interface Typical {
  readonly frequency: number
  readonly cpu: number
  readonly gpus: number
  readonly shareMilli: number
  readonly models?: readonly string[]
}

export interface ScaledResource {
  readonly resourceClass: string
  readonly scale?: number
}

/** What the random profiles say to weighers and assignment rules; the core has checked it when it took the profile. */
export interface Options {
  readonly typical?: readonly Typical[]
  readonly cpuClass?: string
  readonly resources?: readonly (string | ScaledResource)[]
  readonly points?: boolean
  readonly scale?: number
}

/** What is free of the GPUs, weighed by frequency, that typical requests could not use. */
function unusable(gpus: readonly ModelGpu[], cpuFree: number, typical: readonly Typical[]): number {
  let sum = 0
  for (const { frequency, cpu, gpus: count, shareMilli, models = [] } of typical) {
    const usable = fitting(gpus, { count, shareMilli, models: [...models] })
    const isUsable = count > 0 && cpuFree >= cpu && usable.length >= count
    const wasted = gpus.filter((gpu) => !isUsable || !usable.includes(gpu)).reduce((total, gpu) => total + gpu.free, 0)
    sum += frequency * wasted
  }
  return sum
}

/**
 * The choice of GPUs that fragments a host least, and its points: 100 x logistic(what becomes usable, in GPUs), cut off. One share may
 * go to any GPU that fits; several or whole ones to the lowest numbers.
 */
export function leastFragmenting(
  all: readonly ModelGpu[],
  cpuFree: number,
  cpuAsked: number,
  asked: GpusAsked,
  typical: readonly Typical[],
): { readonly points: number; readonly chosen: readonly ModelGpu[] } | undefined {
  const fit = fitting(all, asked)
  if (fit.length < asked.count) return undefined
  // what a report overdraws counts as nothing free
  const gpus = all.map((gpu) => ({ ...gpu, free: Math.max(0, gpu.free) }))
  const before = unusable(gpus, cpuFree, typical)
  const choices = asked.count === 1 && asked.shareMilli < 1_000 ? fit.map((gpu) => [gpu]) : [fit.slice(0, asked.count)]
  const rated = choices.map((chosen) => {
    const left = gpus.map((gpu) => ({ ...gpu, free: gpu.free - (chosen.some(({ index }) => index === gpu.index) ? asked.shareMilli : 0) }))
    return { chosen, points: logisticPoints((before - unusable(left, cpuFree - cpuAsked, typical)) / 1_000) }
  })
  const best = Math.max(...rated.map(({ points }) => points))
  return rated.find(({ points }) => points === best)
}

/** Of 1 to 99, how many the logistic curve has reached: k is reached where x is ln(k / (100 - k)). */
function logisticPoints(x: number): number {
  let points = 0
  for (let k = 1; k <= 99; k++) if (Math.log(k / (100 - k)) <= x) points++
  return points
}
