import { fromExtraSpec, fromRequest, type Source } from '../text/evidence.ts'
import type { RequestSpec } from './request-spec.ts'

const flavorFields: Readonly<Record<string, string>> = {
  VCPU: 'flavor.vcpus',
  MEMORY_MB: 'flavor.memoryMb',
  DISK_GB: 'flavor.rootGb + ephemeralGb + swapMb',
}

/** Names the fields of the request from which the amount of a resource class in `demandOf` comes. */
export function amountFrom({ flavor, isBfv, requestedResources }: RequestSpec, resourceClass: string): Source {
  const spec = `resources:${resourceClass}`
  const groups = requestedResources.flatMap(({ amounts }, i) =>
    amounts.some((asked) => asked.resourceClass === resourceClass) ? [`requestedResources.${i}`] : [],
  )
  // the root disk of an instance that boots from a volume is not on the host
  const field = isBfv && resourceClass === 'DISK_GB' ? 'flavor.ephemeralGb + swapMb' : flavorFields[resourceClass]
  if (Object.hasOwn(flavor.extraSpecs, spec))
    return groups.length === 0 ? fromExtraSpec(spec) : fromRequest([`extra spec ${spec}`, ...groups].join(' + '))
  return fromRequest([...(field === undefined ? [] : [field]), ...groups].join(' + '))
}

/** Names the field of the request that requires or forbids a trait. */
export function traitFrom({ flavor, requestedResources }: RequestSpec, trait: string): Source {
  const spec = `trait:${trait}`
  if (Object.hasOwn(flavor.extraSpecs, spec)) return fromExtraSpec(spec)
  const group = requestedResources.findIndex(
    ({ requiredTraits, forbiddenTraits }) => requiredTraits.includes(trait) || forbiddenTraits.includes(trait),
  )
  return fromRequest(`requestedResources.${group}`)
}
