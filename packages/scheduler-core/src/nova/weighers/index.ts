import type { NovaWeigher } from '../parts/nova-weigher.ts'
import { cpuWeigher } from './amount/cpu.ts'
import { diskWeigher } from './amount/disk.ts'
import { ioOpsWeigher } from './amount/io-ops.ts'
import { metricsWeigher } from './amount/metrics.ts'
import { numInstancesWeigher } from './amount/num-instances.ts'
import { ramWeigher } from './amount/ram.ts'
import { buildFailureWeigher } from './build-failure.ts'
import { crossCellWeigher } from './cross-cell.ts'
import { hypervisorVersionWeigher } from './hypervisor-version.ts'
import { imagePropertiesWeigher } from './image-properties.ts'
import { pciWeigher } from './pci.ts'
import { serverGroupSoftAffinityWeigher, serverGroupSoftAntiAffinityWeigher } from './soft-affinity.ts'

/** All weighers of Nova. */
export const novaWeighers: readonly NovaWeigher[] = [
  buildFailureWeigher,
  cpuWeigher,
  crossCellWeigher,
  diskWeigher,
  hypervisorVersionWeigher,
  imagePropertiesWeigher,
  ioOpsWeigher,
  metricsWeigher,
  numInstancesWeigher,
  pciWeigher,
  ramWeigher,
  serverGroupSoftAffinityWeigher,
  serverGroupSoftAntiAffinityWeigher,
]
