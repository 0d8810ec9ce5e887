/**
 * The data of a fleet and of one host that the functions below read. The query grammar does not import the fleet, so this type describes
 * only the part that it needs. host-fields.ts adds what fields return unchanged.
 */
export interface CountedHost {
  readonly fleet: {
    readonly hosts: {
      readonly classes: ReadonlyMap<string, { readonly capacity: ArrayLike<number>; readonly free: ArrayLike<number> }>
    }
  }
  readonly record: {
    readonly index: number
    readonly host: string
    readonly formerNames: readonly { readonly host: string; readonly isFree: boolean }[]
    readonly claims: Iterable<{ readonly state: string }>
  }
}

const capacityOf = ({ fleet, record }: CountedHost, resourceClass: string): number =>
  fleet.hosts.classes.get(resourceClass)?.capacity[record.index] ?? 0

const freeOf = ({ fleet, record }: CountedHost, resourceClass: string): number =>
  fleet.hosts.classes.get(resourceClass)?.free[record.index] ?? 0

/** Used and claimed as a share of the capacity in percent. Above 100 if claims exceed the capacity; 0 without capacity. */
export const usedPercent = (capacity: number, free: number): number => (capacity === 0 ? 0 : (100 * (capacity - free)) / capacity)

/** Amounts of a resource class, by the order that compares them; 0 if the host does not report the class. */
export const classReaders = {
  CAPACITY: capacityOf,
  FREE: freeOf,
  USED_PERCENT: (host: CountedHost, resourceClass: string): number =>
    usedPercent(capacityOf(host, resourceClass), freeOf(host, resourceClass)),
} as const

export type ClassOrderField = keyof typeof classReaders

/** The order and the reader of a field that is an amount of a resource class. */
export const amountOf = <const Field extends ClassOrderField>(field: Field, resourceClass: 'VCPU' | 'MEMORY_MB' | 'DISK_GB') => ({
  order: { field, resourceClass },
  read: (host: CountedHost): number => classReaders[field](host, resourceClass),
})

/** States in the order of their numbers in the fleet's columns. */
export const hostStates = ['UP', 'SUSPECT', 'DOWN'] as const
export const hostStatusWords = ['ENABLED', 'DISABLED', 'DRAINING', 'MAINTENANCE'] as const

/** Every name under which a host is found: its own, and its names before it was replaced. */
export const namesOf = ({ host, formerNames }: CountedHost['record']): readonly string[] => [
  ...new Set([host, ...formerNames.filter(({ isFree }) => !isFree).map((name) => name.host)]),
]

const liveStates: readonly string[] = ['RESERVED', 'CONFIRMED', 'MATERIALISED']

export function countLiveClaims({ record }: CountedHost): number {
  let count = 0
  for (const { state } of record.claims) if (liveStates.includes(state)) count++
  return count
}
