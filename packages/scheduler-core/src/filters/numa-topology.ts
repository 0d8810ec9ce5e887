import { numaKind } from '../kinds/numa/numa.ts'
import { fitFilter } from './fit.ts'

/** The guest's NUMA cells fit on distinct cells of the host. */
export const numaTopologyFilter = fitFilter(
  'NUMATopologyFilter',
  'Every guest cell fits on a NUMA cell of the host, each on one of its own.',
  numaKind,
)
