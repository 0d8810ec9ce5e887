import type { FleetAmounts } from '../../records/allocation-settings.ts'
import { ratioKeys } from '../../report/nova-ratios.ts'
import { limits } from '../../request/limits.ts'
import type { KnownOption } from './known-options.ts'
import { NEWEST, OLDEST } from './releases.ts'
import type { OptionType } from './values.ts'

/** An option in the nova.conf of hosts: the allocation ratio or the reserved amount of a resource class. */
interface AllocationOption {
  readonly name: string
  readonly resourceClass: string
  readonly what: 'ratio' | 'reserved'
  readonly since: number
  /** The option's value is divided by this number: 1,024 if the option is in MiB and the resource class in GiB, otherwise 1. */
  readonly mibs: number
}

/** The first releases with the options for initial ratios and for reserved CPUs. */
const INITIAL = 19
const RESERVED_CPUS = 16

const ratios = Object.entries(ratioKeys)

/** If a file sets the ratio of a resource class by two of the following options, the one that is listed first applies. */
const options: readonly AllocationOption[] = [
  ...ratios.map(([resourceClass, name]) => ({ name, resourceClass, what: 'ratio', since: OLDEST, mibs: 1 }) as const),
  ...ratios.map(([resourceClass, name]) => ({ name: `initial_${name}`, resourceClass, what: 'ratio', since: INITIAL, mibs: 1 }) as const),
  { name: 'reserved_host_cpus', resourceClass: 'VCPU', what: 'reserved', since: RESERVED_CPUS, mibs: 1 },
  { name: 'reserved_host_memory_mb', resourceClass: 'MEMORY_MB', what: 'reserved', since: OLDEST, mibs: 1 },
  { name: 'reserved_host_disk_mb', resourceClass: 'DISK_GB', what: 'reserved', since: OLDEST, mibs: 1_024 },
]

const types: Readonly<Record<AllocationOption['what'], OptionType>> = {
  ratio: { is: 'number', least: 0, most: limits.ratio },
  reserved: { is: 'whole', least: 0, most: limits.amount },
}

const keyOf = (name: string): string => `fleet.${name}`

/**
 * The options for ratios and reserved amounts, in the form of the scheduler's options. They have keys of their own, because in older
 * releases some options of the scheduler have the same names.
 */
export const allocationOptions: readonly KnownOption[] = options.map(({ name, what, since }) => ({
  key: keyOf(name),
  type: types[what],
  places: [{ section: 'DEFAULT', name, since, until: NEWEST }],
}))

/** The initial ratios in a file that have no effect, each with the name of the option that overrides it. */
export function overruledRatios(read: ReadonlyMap<string, { readonly value: unknown }>): readonly (readonly [key: string, by: string])[] {
  return ratios.flatMap(([, name]) => {
    const initial = keyOf(`initial_${name}`)
    const value = read.get(keyOf(name))?.value
    // If the ratio is 0, the initial ratio applies.
    return read.has(initial) && typeof value === 'number' && value !== 0 ? [[initial, name] as const] : []
  })
}

/** Remarks on the reserved amounts in a file that are not whole units of their resource class, each with the key of the option. */
export function partsOfUnits(read: ReadonlyMap<string, { readonly value: unknown }>): readonly (readonly [key: string, message: string])[] {
  return options.flatMap(({ name, mibs }) => {
    const value = read.get(keyOf(name))?.value
    if (mibs === 1 || typeof value !== 'number' || value % mibs === 0) return []
    const [up, down] = [Math.ceil(value / mibs), Math.floor(value / mibs)]
    const counted = `${up} GiB are reserved, as in Placement, and ${down} GiB of them are in the used disk that hosts report, as in Nova`
    return [[keyOf(name), `is ${value} MiB, which is not a whole number of GiB: ${counted}`] as const]
  })
}

/** The ratios and reserved amounts that a file sets, by resource class. They apply to all hosts that report no such values. */
export function allocationOf(read: ReadonlyMap<string, { readonly value: unknown }>) {
  const classes: Record<string, FleetAmounts> = {}
  for (const { name, resourceClass, what, mibs } of options) {
    const value = read.get(keyOf(name))?.value
    // A ratio of 0 has the same meaning as no ratio.
    if (typeof value !== 'number' || (what === 'ratio' && value === 0)) continue
    classes[resourceClass] = {
      [what]: Math.max(what === 'ratio' ? 0.001 : 0, mibs === 1 ? value : Math.ceil(value / mibs)),
      ...(value % mibs !== 0 && mibs !== 1 && { reservedInUse: Math.floor(value / mibs) }),
      ...classes[resourceClass],
    }
  }
  return classes
}
