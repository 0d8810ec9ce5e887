import type { NovaWeigher } from '../parts/nova-weigher.ts'
import { buildFailureWeigher } from './build-failure.ts'
import { cpuWeigher } from './cpu.ts'
import { crossCellWeigher } from './cross-cell.ts'
import { diskWeigher } from './disk.ts'
import { hypervisorVersionWeigher } from './hypervisor-version.ts'
import { imagePropertiesWeigher } from './image-properties.ts'
import { ioOpsWeigher } from './io-ops.ts'
import { metricsWeigher } from './metrics.ts'
import { numInstancesWeigher } from './num-instances.ts'
import { pciWeigher } from './pci.ts'
import { ramWeigher } from './ram.ts'
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
