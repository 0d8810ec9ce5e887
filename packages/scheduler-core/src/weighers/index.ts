import { builtIn } from '../contracts/built-in.ts'
import type { Weigher } from '../contracts/weigher.ts'
import { bestFitWeigher } from './best-fit.ts'
import { cpuWeigher } from './cpu.ts'
import { diskWeigher } from './disk.ts'
import { dotProductWeigher } from './dot-product.ts'
import { fullnessWeigher } from './fullness.ts'
import { gpuClusteringWeigher } from './gpu/gpu-clustering.ts'
import { gpuFragmentationWeigher } from './gpu/gpu-fragmentation.ts'
import { gpuPackingWeigher } from './gpu/gpu-packing.ts'
import { ioOpsWeigher } from './io-ops.ts'
import { numInstancesWeigher } from './num-instances.ts'
import { numaFitWeigher } from './numa/numa-fit.ts'
import { numaImbalanceWeigher } from './numa/numa-imbalance.ts'
import { portAffinityWeigher } from './port-affinity.ts'
import { ramWeigher } from './ram.ts'
import { serverGroupSoftAffinityWeigher, serverGroupSoftAntiAffinityWeigher } from './soft-affinity.ts'
import { volumeAffinityWeigher } from './volume-affinity.ts'

const ownWeighers: readonly Weigher[] = [
  ramWeigher,
  cpuWeigher,
  diskWeigher,
  ioOpsWeigher,
  numInstancesWeigher,
  serverGroupSoftAffinityWeigher,
  serverGroupSoftAntiAffinityWeigher,
  bestFitWeigher,
  fullnessWeigher,
  dotProductWeigher,
  numaImbalanceWeigher,
  numaFitWeigher,
  gpuFragmentationWeigher,
  gpuPackingWeigher,
  gpuClusteringWeigher,
  volumeAffinityWeigher,
  portAffinityWeigher,
]

/** All weighers that a profile may name. A weigher of the built-in package is left out if this service has one with the same name. */
export const nameableWeighers = (): readonly Weigher[] => [
  ...ownWeighers,
  ...builtIn().weighers.filter(({ name }) => !ownWeighers.some((own) => own.name === name)),
]
