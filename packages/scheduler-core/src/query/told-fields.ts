import type { QueryField } from './query.ts'

/** What is read of a host's report. */
interface ToldStats {
  readonly hypervisorType: string | null
  readonly hypervisorVersion: number | null
  readonly cpuInfo: { readonly model: string | null; readonly vendor: string | null; readonly arch: string | null } | null
}

/** What a host's report says of the machine, one value of each. */
interface Told extends QueryField {
  readonly kind: 'text' | 'number'
  /** What the API calls it, as a column of the fleet and as an order of hosts. */
  readonly column: string
  /** A few words for a heading. */
  readonly label: string
  /** Null: the host does not tell it. */
  tell(stats: ToldStats): string | number | null
}

/**
 * What hosts can be grouped by that they tell of themselves: the filter grammar, the orders of hosts, the columns of the fleet, and the
 * facets, groups and columns of the console are made from this list. Numbers are whole and not below 0.
 */
export const toldFields = [
  {
    name: 'hypervisor.type',
    aliases: ['hv.type'],
    kind: 'text',
    description: 'type of its hypervisor, such as QEMU',
    column: 'HYPERVISOR_TYPE',
    label: 'Hypervisor',
    tell: ({ hypervisorType }) => hypervisorType,
  },
  {
    name: 'hypervisor.version',
    aliases: ['hv.version'],
    kind: 'number',
    unit: 'count',
    description: 'version of its hypervisor as it reports it: 8002000 is 8.2.0',
    column: 'HYPERVISOR_VERSION',
    label: 'Hypervisor version',
    tell: ({ hypervisorVersion }) => hypervisorVersion,
  },
  {
    name: 'cpu.model',
    kind: 'text',
    description: 'model of its CPUs',
    column: 'CPU_MODEL',
    label: 'CPU model',
    tell: ({ cpuInfo }) => cpuInfo?.model ?? null,
  },
  {
    name: 'cpu.vendor',
    kind: 'text',
    description: 'vendor of its CPUs',
    column: 'CPU_VENDOR',
    label: 'CPU vendor',
    tell: ({ cpuInfo }) => cpuInfo?.vendor ?? null,
  },
  {
    name: 'cpu.arch',
    kind: 'text',
    description: 'architecture of its CPUs, such as x86_64',
    column: 'CPU_ARCH',
    label: 'CPU architecture',
    tell: ({ cpuInfo }) => cpuInfo?.arch ?? null,
  },
] as const satisfies readonly Told[]

export type ToldField = (typeof toldFields)[number]
export type ToldName = ToldField['name']
export type ToldColumn = ToldField['column']

/** What is made of each of them, under its name or its column. */
export function ofEachTold<Key extends 'name' | 'column', Value>(
  key: Key,
  make: (field: ToldField) => Value,
): Readonly<Record<ToldField[Key], Value>> {
  return Object.fromEntries(toldFields.map((field) => [field[key], make(field)])) as Record<ToldField[Key], Value>
}
