import type { RequestSpec } from '@gantt/scheduler-core'

/** The classes and traits that one instance needs, computed from the request independently of the core. */
export interface ModelDemand {
  readonly amounts: Readonly<Record<string, number>>
  readonly required: readonly string[]
  readonly forbidden: readonly string[]
}

export function demandOf({ flavor, isBfv, requestedResources }: RequestSpec): ModelDemand {
  const amounts: Record<string, number> = {}
  const required: string[] = []
  const forbidden: string[] = []
  amounts.VCPU = flavor.vcpus
  amounts.MEMORY_MB = flavor.memoryMb
  amounts.DISK_GB = flavor.ephemeralGb + Math.ceil(flavor.swapMb / 1_024)
  if (!isBfv) amounts.DISK_GB += flavor.rootGb
  for (const [key, value] of Object.entries(flavor.extraSpecs)) {
    const [kind, rest] = [key.split(':')[0], key.split(':').slice(1).join(':')]
    if (kind === 'resources') amounts[rest] = Number(value)
    if (kind === 'trait' && value === 'required') required.push(rest)
    if (kind === 'trait' && value === 'forbidden') forbidden.push(rest)
  }
  for (const group of requestedResources) {
    for (const { resourceClass, amount } of group.amounts) amounts[resourceClass] = (amounts[resourceClass] ?? 0) + amount
    for (const trait of group.requiredTraits) required.push(trait)
    for (const trait of group.forbiddenTraits) forbidden.push(trait)
  }
  for (const name of Object.keys(amounts)) if (amounts[name] === 0) delete amounts[name]
  return { amounts, required, forbidden }
}
