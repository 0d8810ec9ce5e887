import type { ProfileParts } from '../driver.ts'
import { partsOf } from '../profile-parts.ts'
import { CPU_CLASS } from './model.ts'
import type { OpenbPod } from './pods.ts'

/** The typical requests are the most frequent ones. They must cover this share of all requests. */
const COVERED = 0.95

/** The size of the largest node of the trace. As in the published code of the FGD paper, scores divide amounts by this size. */
const LARGEST = { cpuMilli: 128_000, gpuMilli: 8_000 }

const resources = [
  { resourceClass: CPU_CLASS, scale: LARGEST.cpuMilli },
  { resourceClass: 'GPU_MILLI', scale: LARGEST.gpuMilli },
]

/**
 * The version of a profile for this trace, with its resources, scales and typical requests. Undefined if the release's own version is
 * suitable.
 */
export function openbVersion(profile: string, pods: readonly OpenbPod[]): ProfileParts | undefined {
  if (profile === 'best-fit') return withOptions(partsOf(profile), { resources, points: true })
  if (profile === 'dot-product') return withOptions(partsOf(profile), { resources, points: true })
  if (profile === 'gpu-clustering') return withOptions(partsOf(profile), { scale: LARGEST.gpuMilli })
  if (profile !== 'fgd') return undefined
  const options = { typical: typicalPods(pods), cpuClass: CPU_CLASS }
  return { ...withOptions(partsOf(profile), options), assignment: { gpu: { rule: 'least-fragmentation', options } } }
}

const withOptions = (parts: ProfileParts, options: ProfileParts['weighers'][number]['options']): ProfileParts => ({
  ...parts,
  weighers: parts.weighers.map((weigher) => ({ ...weigher, options })),
})

/** A typical request, in the form of a profile's options. */
interface TypicalPod extends Record<string, number | string[]> {
  frequency: number
  cpu: number
  gpus: number
  shareMilli: number
  models: string[]
}

/**
 * The most frequent requests of pods, in order of frequency, until they cover 95 % of the pods. The frequencies are shares of the covered
 * pods.
 */
export function typicalPods(pods: readonly OpenbPod[]): TypicalPod[] {
  const counts = new Map<string, { readonly pod: OpenbPod; count: number }>()
  for (const pod of pods) {
    const kind = `${pod.cpuMilli} ${pod.gpus}x${pod.gpuMilliEach} ${pod.gpuModels.join('|')}`
    const known = counts.get(kind)
    if (known === undefined) counts.set(kind, { pod, count: 1 })
    else known.count++
  }
  const kept: { readonly pod: OpenbPod; readonly count: number }[] = []
  let covered = 0
  // Equally frequent requests keep the order of the list, because the sort is stable.
  for (const counted of [...counts.values()].sort((a, b) => b.count - a.count)) {
    if (covered >= COVERED * pods.length) break
    covered += counted.count
    kept.push(counted)
  }
  return kept.map(({ pod, count }) => ({
    frequency: count / covered,
    cpu: pod.cpuMilli,
    gpus: pod.gpus,
    shareMilli: pod.gpuMilliEach,
    models: [...pod.gpuModels],
  }))
}
