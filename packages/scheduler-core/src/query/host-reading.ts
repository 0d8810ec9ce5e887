/**
 * The data of a host, and of its fleet, that the functions in this file read. The query grammar must not import the fleet, so this type
 * lists the members that are needed. `ReadableHost` in host-fields.ts adds members.
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

/** The used and claimed share of the capacity in percent. Above 100 if claims exceed the capacity, and 0 without capacity. */
export const usedPercent = (capacity: number, free: number): number => (capacity === 0 ? 0 : (100 * (capacity - free)) / capacity)

/**
 * Functions that read an amount of a resource class. The keys are the names of orders in the API. The functions return 0 if the host does
 * not report the class.
 */
export const classReaders = {
  CAPACITY: capacityOf,
  FREE: freeOf,
  USED_PERCENT: (host: CountedHost, resourceClass: string): number =>
    usedPercent(capacityOf(host, resourceClass), freeOf(host, resourceClass)),
} as const

export type ClassOrderField = keyof typeof classReaders

/** The members `order` and `read` of a host field that is an amount of a resource class. */
export const amountOf = <const Field extends ClassOrderField>(field: Field, resourceClass: 'VCPU' | 'MEMORY_MB' | 'DISK_GB') => ({
  order: { field, resourceClass },
  read: (host: CountedHost): number => classReaders[field](host, resourceClass),
})

/** The liveness states. The fleet stores the index of a state in this list. */
export const hostStates = ['UP', 'SUSPECT', 'DOWN'] as const
export const hostStatusWords = ['ENABLED', 'DISABLED', 'DRAINING', 'MAINTENANCE'] as const

/** All names by which a host is found: its present name, and its former names except those that operators made available to new hosts. */
export const namesOf = ({ host, formerNames }: CountedHost['record']): readonly string[] => [
  ...new Set([host, ...formerNames.filter(({ isFree }) => !isFree).map((name) => name.host)]),
]

const liveStates: readonly string[] = ['RESERVED', 'CONFIRMED', 'MATERIALISED']

export function countLiveClaims({ record }: CountedHost): number {
  let count = 0
  for (const { state } of record.claims) if (liveStates.includes(state)) count++
  return count
}
