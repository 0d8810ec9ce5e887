import type { QueryField } from './query.ts'
import { toldFields } from './told-fields.ts'

/** What can be asked of a host. Used percentages count claims: 100 x (capacity - free) / capacity, 0 without capacity. */
export const hostFields: readonly QueryField[] = [
  { name: 'host', aliases: ['name'], kind: 'text', description: 'name of the host' },
  { name: 'node', kind: 'text', description: 'name of the node, where a host has many' },
  { name: 'az', aliases: ['zone'], kind: 'text', description: 'availability zone' },
  { name: 'agg', aliases: ['aggregate'], kind: 'text', description: 'name of an aggregate that it is in' },
  { name: 'state', kind: 'enum', values: ['UP', 'SUSPECT', 'DOWN'], description: 'whether it is alive' },
  { name: 'status', kind: 'enum', values: ['ENABLED', 'DISABLED', 'DRAINING', 'MAINTENANCE'], description: 'as set by operators' },
  { name: 'trait', kind: 'text', description: 'a trait that it has' },
  { name: 'cpu.free', aliases: ['vcpu.free'], kind: 'number', unit: 'count', description: 'vCPUs that can still be given' },
  { name: 'cpu.total', aliases: ['vcpu.total'], kind: 'number', unit: 'count', description: 'vCPUs in all, overcommit included' },
  { name: 'cpu.used', aliases: ['vcpu.used'], kind: 'number', unit: '%', description: 'vCPUs used or claimed' },
  { name: 'mem.free', kind: 'number', unit: 'MiB', description: 'memory that can still be given' },
  { name: 'mem.used', kind: 'number', unit: '%', description: 'memory used or claimed' },
  { name: 'disk.free', kind: 'number', unit: 'GiB', description: 'disk that can still be given' },
  { name: 'disk.used', kind: 'number', unit: '%', description: 'disk used or claimed' },
  { name: 'gpu.count', kind: 'number', unit: 'count', description: 'GPUs that it has' },
  { name: 'gpu.free', kind: 'number', unit: 'count', description: "GPUs' worth that is free" },
  { name: 'claims', kind: 'number', unit: 'count', description: 'live claims' },
  { name: 'instances', kind: 'number', unit: 'count', description: 'instances, claims included' },
  { name: 'age', kind: 'number', unit: 's', description: 'time since its last report' },
  ...toldFields,
]
