import type { z } from 'zod'
import type { RequestSpecV1_3, requestSpecV1_3 } from './versions/v1-3.ts'

/** A request in the current version. Requests are never changed in place. */
export type RequestSpec = RequestSpecV1_3
/** A request as input, in which fields with defaults may be left out. */
export type RequestSpecInput = z.input<typeof requestSpecV1_3>

/** New values for fields of a request. */
export type RequestParts = Partial<Omit<RequestSpec, 'version' | 'nova'>>

export type Flavor = RequestSpec['flavor']
export type ImageMeta = NonNullable<RequestSpec['image']>
export type InstanceGroup = NonNullable<RequestSpec['instanceGroup']>
export type NumaCellRequest = NonNullable<RequestSpec['numaTopology']>['cells'][number]
export type GpuRequest = NonNullable<RequestSpec['gpus']>
export type PciRequest = RequestSpec['pciRequests'][number]
export type GangMember = RequestSpec['gang'][number]
export type TopologySpread = RequestSpec['topologySpread'][number]
export type ResourceGroup = RequestSpec['requestedResources'][number]

/** The resources and traits that an instance of a request needs from its host. */
export interface Demand {
  /** Amounts per resource class, in whole units. Classes with the amount 0 are left out. */
  readonly amounts: Readonly<Record<string, number>>
  readonly vcpus: number
  readonly memoryMib: number
  readonly diskGib: number
  readonly requiredTraits: readonly string[]
  readonly forbiddenTraits: readonly string[]
}

const demands = new WeakMap<RequestSpec, Demand>()

/**
 * The demand of one instance of a request, computed once per request. VCPU, MEMORY_MB and DISK_GB come from the flavor. DISK_GB is the sum
 * of root disk, ephemeral disk and swap, rounded up to GiB; a root disk on a volume is left out. As in Nova, the extra spec
 * `resources:CLASS` replaces or adds an amount, and `trait:NAME` adds a trait. The amounts and traits in `requestedResources` are added.
 */
export function demandOf(spec: RequestSpec): Demand {
  let demand = demands.get(spec)
  if (demand === undefined) {
    demand = deriveDemand(spec)
    demands.set(spec, demand)
  }
  return demand
}

/** Lets two requests that differ only in their instances share their demand. */
export function shareDemand(known: RequestSpec, other: RequestSpec): void {
  demands.set(other, demandOf(known))
}

function deriveDemand(spec: RequestSpec): Demand {
  const { flavor } = spec
  const amounts: Record<string, number> = {
    VCPU: flavor.vcpus,
    MEMORY_MB: flavor.memoryMb,
    DISK_GB: (spec.isBfv ? 0 : flavor.rootGb) + flavor.ephemeralGb + Math.ceil(flavor.swapMb / 1024),
  }
  const requiredTraits: string[] = []
  const forbiddenTraits: string[] = []
  for (const [key, value] of Object.entries(flavor.extraSpecs)) {
    if (key.startsWith('resources:')) amounts[key.slice('resources:'.length)] = Number(value)
    if (key.startsWith('trait:')) (value === 'required' ? requiredTraits : forbiddenTraits).push(key.slice('trait:'.length))
  }
  for (const group of spec.requestedResources) {
    for (const { resourceClass, amount } of group.amounts) amounts[resourceClass] = (amounts[resourceClass] ?? 0) + amount
    requiredTraits.push(...group.requiredTraits)
    forbiddenTraits.push(...group.forbiddenTraits)
  }
  const asked = Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount > 0))
  return {
    amounts: asked,
    vcpus: asked.VCPU ?? 0,
    memoryMib: asked.MEMORY_MB ?? 0,
    diskGib: asked.DISK_GB ?? 0,
    requiredTraits,
    forbiddenTraits,
  }
}
