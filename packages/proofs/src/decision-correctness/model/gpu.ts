import type { RequestSpec } from '@gantt/scheduler-core'
import { claimsOn, isCounted } from './fleet.ts'
import type { Refusal } from './refusal.ts'
import type { ModelClaim, ModelFleet, ModelHost } from './state.ts'

/** A request's demand for GPUs, without its NUMA policy. No request of the model demands GPUs that are near its NUMA cells. */
export type GpusAsked = Omit<NonNullable<RequestSpec['gpus']>, 'numaPolicy'>

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

/** A typical request, with its relative frequency. */
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

/** The options that random profiles give to weighers and assignment rules. The core validates them with the profile. */
export interface Options {
  readonly typical?: readonly Typical[]
  readonly cpuClass?: string
  readonly resources?: readonly (string | ScaledResource)[]
  readonly points?: boolean
  readonly scale?: number
}

/** The free GPU capacity that typical requests could not use, weighted by their frequency. */
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
 * The choice of GPUs that causes the least fragmentation on a host, and its points: 100 x logistic(decrease of the unusable capacity in
 * GPUs), rounded down. A request for a share of one GPU can get any GPU that fits. Other requests get the fitting GPUs with the lowest
 * indices. Undefined if too few GPUs fit.
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
  // The free amount is negative if a GPU is used beyond its capacity. Nothing of such a GPU is free.
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

/** The logistic curve at x in whole percent: how many k from 1 to 99 satisfy x >= ln(k / (100 - k)). */
function logisticPoints(x: number): number {
  let points = 0
  for (let k = 1; k <= 99; k++) if (Math.log(k / (100 - k)) <= x) points++
  return points
}

export interface ModelGpu {
  readonly index: number
  readonly model: string | null
  readonly free: number
}

/** Returns one text if the claims of listed instances hold more thousandths of GPUs than the report shows as used. Otherwise none. */
export function hiddenOnGpus({ stats: { gpus } }: ModelHost, claims: readonly ModelClaim[]): string[] {
  if (gpus.length === 0) return []
  const counts = (index: number): boolean => {
    const named = gpus.filter((gpu) => gpu.index === index)
    return (named.length === 0 ? gpus : named).some(({ usedMilli }) => usedMilli !== null)
  }
  const shown = claims.filter(isCounted).flatMap(({ takes }) => takes.gpu ?? [])
  const held = shown.reduce((sum, { index, milli }) => (counts(index) ? sum + milli : sum), 0)
  const used = gpus.reduce((sum, { usedMilli }) => sum + (usedMilli ?? 0), 0)
  return held > used ? [`at least ${held}, not ${used}`] : []
}

/** The GPUs of a host in order of index, with their free thousandths. */
export function gpusOf(fleet: ModelFleet, host: ModelHost): ModelGpu[] {
  const reported = [...host.stats.gpus].sort((a, b) => a.index - b.index)
  const gpus = reported.map(({ index, model, usedMilli }) => ({ index, model, free: 1_000 - (usedMilli ?? 0) }))
  const at = (index: number) => gpus.find((gpu) => gpu.index === index)
  const anyCounts = reported.some(({ usedMilli }) => usedMilli !== null)
  const counts = (index: number) => (at(index) === undefined ? anyCounts : reported.find((gpu) => gpu.index === index)?.usedMilli !== null)
  const held = claimsOn(fleet, host).flatMap((claim) => (claim.takes.gpu ?? []).map((taken) => ({ ...taken, isShown: isCounted(claim) })))
  const shown = held.filter(({ index, isShown }) => isShown && counts(index))
  const waiting = held.filter((taken) => !shown.includes(taken))
  /** Takes the amount, in thousandths, from the free parts of these GPUs in order. Returns how much could not be taken. */
  const drain = (from: readonly ModelGpuState[], milli: number): number => {
    let open = milli
    for (const gpu of from) for (; open > 0 && gpu.free > 0; open--) gpu.free--
    return open
  }
  // Claims of listed instances can hold more than the report shows as used. The excess is counted as used, first on the GPUs that these
  // claims name.
  let hidden = shown.reduce((sum, { milli }) => sum + milli, 0) - reported.reduce((sum, { usedMilli }) => sum + (usedMilli ?? 0), 0)
  for (const gpu of gpus) {
    const missing = shown.reduce((sum, { index, milli }) => (index === gpu.index ? sum + milli : sum), 0) - (1_000 - gpu.free)
    const part = Math.max(0, Math.min(hidden, missing, gpu.free))
    gpu.free -= part
    hidden -= part
  }
  if (hidden > 0) {
    const open = drain(gpus, hidden)
    if (gpus[0] !== undefined) gpus[0].free -= open
  }
  // Claims that the report does not include are placed from the largest to the smallest: on the GPU that the claim names, otherwise on
  // another GPU, if possible of the same model.
  const homeless: { readonly index: number; readonly milli: number }[] = []
  for (const taken of waiting.sort((a, b) => b.milli - a.milli || a.index - b.index)) {
    const named = at(taken.index)
    if (named !== undefined && named.free >= taken.milli) named.free -= taken.milli
    else homeless.push(taken)
  }
  for (const { index, milli } of homeless) {
    const named = at(index)
    const order = [...gpus].sort((a, b) => Number(b.model === named?.model) - Number(a.model === named?.model) || a.index - b.index)
    const whole = (named === undefined ? gpus : order).find(({ free: left }) => left >= milli)
    if (whole !== undefined) whole.free -= milli
    else {
      const open = drain(named === undefined ? gpus : order, milli)
      const last = named ?? gpus[0]
      if (last !== undefined) last.free -= open
    }
  }
  return gpus
}

interface ModelGpuState {
  readonly index: number
  readonly model: string | null
  free: number
}
