import type { RequestSpec } from '../../request/request-spec.ts'
import { devicesText } from '../../text/device-text.ts'
import type { HostPools, PoolState } from './pool.ts'

type Wanted = RequestSpec['pciRequests'][number]
export type NumaPolicy = Wanted['numaPolicy']

/** The PCI devices that one instance asks for. */
export interface PciAsk {
  readonly requests: readonly PciWish[]
  /** True if the guest has NUMA cells. Otherwise the NUMA policies of the requests have no effect. */
  readonly hasCells: boolean
  /** Groups the requests by policy and by the pools of a host that match. Computed once for all hosts with equal pools (`shape`). */
  groupsOn(pools: HostPools): readonly PciGroup[]
  /** True if the devices of a pool match a request, whether or not they are free. */
  isOfKind(pool: PoolState, request: number): boolean
  /** True if the devices of a pool match a request, but have a type that is allocated only if a request names it. */
  isUnasked(pool: PoolState, request: number): boolean
}

export interface PciWish {
  /** The name of the PCI request in messages. */
  readonly subject: string
  readonly count: number
  readonly policy: NumaPolicy
}

/** Requests that have the same policy and match the same pools. They are treated as one request for the sum of their counts. */
export interface PciGroup {
  readonly policy: NumaPolicy
  readonly count: number
  /** Indexes of the requests, in ascending order. */
  readonly requests: readonly number[]
  /** Indexes of the pools, in ascending order. */
  readonly pools: readonly number[]
}

/**
 * Device types that are allocated only if a request names them: physical functions of SR-IOV devices, vDPA devices, and remotely managed
 * devices.
 */
const unasked: readonly ((traits: Traits) => boolean)[] = [
  ({ dev_type }) => dev_type === 'type-pf',
  ({ dev_type }) => dev_type === 'vdpa',
  ({ remote_managed = '' }) => ['1', 't', 'true', 'on', 'y', 'yes'].includes(remote_managed),
]

export function pciAskOf({ pciRequests, numaTopology }: RequestSpec): PciAsk | undefined {
  if (pciRequests.length === 0) return undefined
  const wanted = pciRequests.map(({ specs }) => specs.map(inSmallLetters))
  const requests = pciRequests.map(({ alias, count, numaPolicy, specs }, i) => ({
    subject: devicesText(alias, specs, i),
    count,
    policy: numaPolicy,
  }))
  const takers = onceFor((pool: PoolState) => wanted.map((specs) => isDescribed(pool.traits, specs) && isAskedFor(pool.traits, specs)))
  const groups = onceFor(({ list }: HostPools) =>
    groupsOf(
      requests,
      list.map((pool) => takers(pool.key, pool)),
    ),
  )
  return {
    requests,
    hasCells: numaTopology !== null,
    groupsOn: (pools) => groups(pools.shape, pools),
    isOfKind: ({ traits }, request) => isDescribed(traits, wanted[request] ?? []),
    isUnasked({ traits }, request) {
      const specs = wanted[request] ?? []
      return isDescribed(traits, specs) && !isAskedFor(traits, specs)
    },
  }
}

function groupsOf(requests: readonly PciWish[], takers: readonly (readonly boolean[])[]): readonly PciGroup[] {
  const groups = new Map<string, PciGroup>()
  for (const [r, { policy, count }] of requests.entries()) {
    const pools = takers.flatMap((takes, p) => (takes[r] === true ? [p] : []))
    const key = `${policy} ${pools.join()}`
    const known = groups.get(key)
    groups.set(key, { policy, pools, count: count + (known?.count ?? 0), requests: [...(known?.requests ?? []), r] })
  }
  return [...groups.values()]
}

/** Wraps a function so that its result is computed once for each key and then cached. */
function onceFor<Thing, Value>(make: (thing: Thing) => Value): (key: string, thing: Thing) => Value {
  const known = new Map<string, Value>()
  return (key, thing) => {
    let value = known.get(key)
    if (value === undefined) {
      value = make(thing)
      known.set(key, value)
    }
    return value
  }
}

type Traits = Readonly<Record<string, string>>

/** True if a pool has all traits of at least one of the specs. */
const isDescribed = (traits: Traits, specs: readonly Traits[]): boolean =>
  specs.some((spec) => Object.entries(spec).every(([name, value]) => Object.hasOwn(traits, name) && traits[name] === value))

const isAskedFor = (traits: Traits, specs: readonly Traits[]): boolean => unasked.every((is) => !is(traits) || specs.some(is))

const inSmallLetters = (spec: Wanted['specs'][number]): Traits =>
  Object.fromEntries(Object.entries(spec).map(([name, value]) => [name, value.toLowerCase()]))
