import type { RequestSpec } from '../../request/request-spec.ts'
import type { PoolState } from './pool.ts'

type Wanted = RequestSpec['pciRequests'][number]
export type NumaPolicy = Wanted['numaPolicy']

/** The devices that one instance asks for. */
export interface PciAsk {
  readonly requests: readonly PciWish[]
  /** Whether the guest sits on NUMA cells, so that the policies mean something. */
  readonly hasCells: boolean
  /** Which of the requests may take devices of a pool: 1 by position. Worked out once for pools that are alike. */
  takers(pool: PoolState): Uint8Array
  /** Whether the devices of a pool would do for a request, but are given only where they are asked for by type. */
  isUnasked(pool: PoolState, request: number): boolean
}

export interface PciWish {
  /** Its name for people. */
  readonly subject: string
  readonly count: number
  readonly policy: NumaPolicy
}

/** Devices that nobody gets without asking for them: whole functions whose parts are given away, vDPA, remotely managed. */
const unasked: readonly ((traits: Readonly<Record<string, string>>) => boolean)[] = [
  ({ dev_type }) => dev_type === 'type-pf',
  ({ dev_type }) => dev_type === 'vdpa',
  ({ remote_managed = '' }) => ['1', 't', 'true', 'on', 'y', 'yes'].includes(remote_managed),
]

export function pciAskOf({ pciRequests, numaTopology }: RequestSpec): PciAsk | undefined {
  if (pciRequests.length === 0) return undefined
  const wanted = pciRequests.map(({ specs }) => specs.map(inSmallLetters))
  const known = new Map<string, Uint8Array>()
  return {
    requests: pciRequests.map(({ alias, count, numaPolicy }, i) => ({ subject: alias ?? `request ${i}`, count, policy: numaPolicy })),
    hasCells: numaTopology !== null,
    takers({ key, traits }) {
      let takers = known.get(key)
      if (takers === undefined) {
        takers = Uint8Array.from(wanted, (specs) => Number(isDescribed(traits, specs) && isAskedFor(traits, specs)))
        known.set(key, takers)
      }
      return takers
    },
    isUnasked({ traits }, request) {
      const specs = wanted[request] ?? []
      return isDescribed(traits, specs) && !isAskedFor(traits, specs)
    },
  }
}

type Traits = Readonly<Record<string, string>>

/** Whether a pool has every trait of one of the alternatives. */
const isDescribed = (traits: Traits, specs: readonly Traits[]): boolean =>
  specs.some((spec) => Object.entries(spec).every(([name, value]) => Object.hasOwn(traits, name) && traits[name] === value))

const isAskedFor = (traits: Traits, specs: readonly Traits[]): boolean => unasked.every((is) => !is(traits) || specs.some(is))

const inSmallLetters = (spec: Wanted['specs'][number]): Traits =>
  Object.fromEntries(Object.entries(spec).map(([name, value]) => [name, value.toLowerCase()]))
