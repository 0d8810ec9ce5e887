import { z } from 'zod'
import { at } from '../../hosts/columns.ts'
import { type GpuAsk, type GpuState, gpuFits, isIn, WHOLE_GPU } from '../../hosts/gpu-device.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import { limits } from '../../request/limits.ts'
import { checkOptions } from '../../request/parse.ts'
import type { HostIndex } from '../../values/host-index.ts'

/**
 * A typical request. Fragmentation of a host, after Weng et al., "Beware of Fragmentation" (USENIX ATC 2023), is the free GPU capacity that
 * typical requests cannot use. Typical requests are set as an option of the rule, because they differ between sites.
 */
const typicalRequest = z.strictObject({
  /** The fraction of all requests that are like this typical request, from 0 to 1. */
  frequency: z.number().min(0).max(1),
  /** The amount of `cpuClass` that the request asks for. */
  cpu: z
    .number()
    .int()
    .min(0)
    .max(2 ** 40),
  /** The count of GPUs. 0 for a request without GPUs. */
  gpus: z.number().int().min(0).max(64),
  /** The share that is needed of each GPU, in thousandths. */
  shareMilli: z.number().int().min(0).max(1_000),
  models: z.array(z.string()).max(256).default([]),
})

export const fragmentationOptions = z.strictObject({
  typical: z.array(typicalRequest).max(1_000).default([]),
  /** The resource class of the amounts in `cpu`. */
  cpuClass: z.string().default('VCPU'),
})

export type FragmentationOptions = z.input<typeof fragmentationOptions>

export interface FragmentationChoice {
  readonly gpus: readonly GpuState[]
  /**
   * A score from 0 to 99. A choice that fragments the host less has a higher score. Scores are integers, as in the code that was published
   * with the paper.
   */
  readonly points: number
}

export interface Fragmentation {
  /** The resource class of a request's CPU amount. */
  readonly cpuClass: string
  /**
   * The best choice of GPUs on a host, with its score in points. With `cells`, only GPUs near these NUMA cells are used. Undefined if too
   * few GPUs fit. If the request has no GPUs, the score is that of its effect on the free CPU.
   */
  choose(hosts: HostTable, host: HostIndex, ask: GpuAsk, cells?: readonly number[]): FragmentationChoice | undefined
}

/**
 * The k-th entry (k = 1..99) is ln(k / (100 - k)), the x at which 100 / (1 + e^-x) reaches k. A table is used instead of Math.exp, because
 * the last bit of Math.exp can differ between JavaScript engines, and all replicas must compute the same score.
 */
const breakpoints: readonly number[] = [
  -4.59511985013459, -3.891820298110627, -3.4760986898352733, -3.1780538303479458, -2.9444389791664407, -2.751535313041949,
  -2.586689344097943, -2.4423470353692043, -2.3136349291806306, -2.1972245773362196, -2.0907410969337694, -1.9924301646902063,
  -1.900958761193047, -1.815289966638249, -1.7346010553881064, -1.6582280766035324, -1.5856272637403819, -1.5163474893680884,
  -1.4500101755059984, -1.3862943611198906, -1.3249254147435985, -1.2656663733312759, -1.2083112059245342, -1.1526795099383855,
  -1.0986122886681098, -1.0459685551826876, -0.994622575144062, -0.9444616088408514, -0.8953840470548413, -0.8472978603872037,
  -0.8001193001121132, -0.7537718023763802, -0.7081850579244858, -0.6632942174102642, -0.6190392084062235, -0.5753641449035618,
  -0.5322168137473082, -0.4895482253187058, -0.4473122180436647, -0.40546510810816444, -0.3639653772014116, -0.322773392263051,
  -0.2818511521409877, -0.2411620568168881, -0.2006706954621511, -0.16034265007517937, -0.12014431184206321, -0.08004270767353637,
  -0.04000533461369913, 0, 0.040005334613699206, 0.08004270767353636, 0.12014431184206321, 0.16034265007517948, 0.20067069546215124,
  0.24116205681688804, 0.28185115214098766, 0.322773392263051, 0.3639653772014116, 0.4054651081081644, 0.44731221804366483,
  0.4895482253187058, 0.5322168137473082, 0.5753641449035618, 0.6190392084062235, 0.6632942174102642, 0.7081850579244858,
  0.7537718023763802, 0.8001193001121131, 0.8472978603872037, 0.8953840470548413, 0.9444616088408515, 0.994622575144062, 1.0459685551826876,
  1.0986122886681096, 1.1526795099383853, 1.2083112059245342, 1.2656663733312759, 1.3249254147435985, 1.3862943611198906,
  1.4500101755059984, 1.5163474893680884, 1.5856272637403819, 1.6582280766035324, 1.7346010553881064, 1.8152899666382492, 1.900958761193047,
  1.992430164690206, 2.0907410969337694, 2.1972245773362196, 2.3136349291806306, 2.4423470353692043, 2.586689344097943, 2.751535313041949,
  2.9444389791664403, 3.1780538303479458, 3.4760986898352733, 3.8918202981106265, 4.59511985013459,
]

/** trunc(100 * logistic(x)), found by binary search in `breakpoints`. */
export function logisticPoints(x: number): number {
  let low = 0
  let high = breakpoints.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((breakpoints[middle] as number) <= x) low = middle + 1
    else high = middle
  }
  return low
}

/** Creates the assignment rule `least-fragmentation` from its options. Throws RangeError for options that do not match the schema. */
export function createFragmentation(options: unknown): Fragmentation {
  const { typical, cpuClass } = checkOptions(fragmentationOptions, options ?? {})
  const doesFor = modelTable(typical)
  const cpuOf = Float64Array.from(typical, ({ cpu }) => cpu)
  const countOf = Int32Array.from(typical, ({ gpus }) => gpus)
  const shareOf = Int32Array.from(typical, ({ shareMilli }) => shareMilli)
  const frequencyOf = Float64Array.from(typical, ({ frequency }) => frequency)
  // buffers for the host that is scored: for each GPU, its free share and the typical requests that can use its model
  const free = new Float64Array(limits.gpusPerHost)
  const accepts: Uint8Array[] = []

  const load = (gpus: readonly GpuState[]): void => {
    for (let g = 0; g < gpus.length; g++) {
      const { freeMilli, model } = gpus[g] as GpuState
      free[g] = Math.max(0, freeMilli)
      accepts[g] = doesFor(model)
    }
  }

  /** The sum over all typical requests: the free thousandths of GPUs that the request cannot use, times the frequency of the request. */
  const fragment = (gpuCount: number, cpuFree: number): number => {
    let all = 0
    for (let g = 0; g < gpuCount; g++) all += free[g] as number
    let sum = 0
    for (let t = 0; t < cpuOf.length; t++) {
      let unusable = all
      const count = countOf[t] as number
      if (count !== 0 && cpuFree >= (cpuOf[t] as number)) {
        const share = shareOf[t] as number
        let fitting = 0
        let tooSmall = 0
        for (let g = 0; g < gpuCount; g++) {
          const have = free[g] as number
          if (have >= share && (accepts[g] as Uint8Array)[t] === 1) fitting++
          else tooSmall += have
        }
        if (fitting >= count) unusable = tooSmall
      }
      sum += (frequencyOf[t] as number) * unusable
    }
    return sum
  }

  const cpuFreeOf = (hosts: HostTable, host: HostIndex): number => {
    const columns = hosts.classes.get(cpuClass)
    return columns === undefined ? 0 : at(columns.free, host)
  }

  return {
    cpuClass,
    choose(hosts, host, ask, cells) {
      const { gpus } = hosts.get(host)
      const fitting: number[] = []
      for (const [g, gpu] of gpus.entries()) if (gpuFits(gpu, ask) && (cells === undefined || isIn(gpu, cells))) fitting.push(g)
      if (fitting.length < ask.count) return undefined
      const cpuFree = cpuFreeOf(hosts, host)
      const cpuAfter = cpuFree - (ask.amounts[cpuClass] ?? 0)
      load(gpus)
      const before = fragment(gpus.length, cpuFree)
      const pointsOf = (chosen: readonly number[]): number => {
        for (const g of chosen) free[g] = (free[g] as number) - ask.shareMilli
        const after = fragment(gpus.length, cpuAfter)
        for (const g of chosen) free[g] = (free[g] as number) + ask.shareMilli
        return logisticPoints((before - after) / WHOLE_GPU)
      }
      // A share of one GPU is taken from the GPU with the most points, or from the first of several GPUs with equally many. For whole or
      // several GPUs, the first GPUs that fit are taken.
      const choices = ask.count === 1 && ask.shareMilli < WHOLE_GPU ? fitting.map((g) => [g]) : [fitting.slice(0, ask.count)]
      let best: FragmentationChoice | undefined
      for (const chosen of choices) {
        const points = pointsOf(chosen)
        if (best === undefined || points > best.points) best = { points, gpus: chosen.map((g) => gpus[g] as GpuState) }
      }
      return best
    },
  }
}

/** For a GPU model, one byte for each typical request: 1 if the request can use the model. Computed once for each model. */
function modelTable(typical: readonly z.output<typeof typicalRequest>[]): (model: string | null) => Uint8Array {
  const rows = new Map<string | null, Uint8Array>()
  return (model) => {
    let row = rows.get(model)
    if (row === undefined) {
      row = Uint8Array.from(typical, ({ models }) => (models.length === 0 || (model !== null && models.includes(model)) ? 1 : 0))
      rows.set(model, row)
    }
    return row
  }
}
