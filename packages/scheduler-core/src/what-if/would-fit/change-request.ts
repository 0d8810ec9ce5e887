import { builtIn } from '../../contracts/built-in.ts'
import { restated } from '../../contracts/restated.ts'
import { demandOf, type NumaCellRequest, type RequestSpec } from '../../request/request-spec.ts'

/**
 * The request, changed so that each instance needs `amount` of a resource class. The amount is changed in the field from which it comes: an
 * extra spec, the flavor or a resource group.
 */
export function withAmount(request: RequestSpec, resourceClass: string, amount: number): RequestSpec {
  const spec = `resources:${resourceClass}`
  const extraSpecs = { ...request.flavor.extraSpecs }
  // an instance gets the sum of the amounts in resource groups and in the flavor
  const inGroups = request.requestedResources.flatMap(({ amounts }) => amounts).filter((asked) => asked.resourceClass === resourceClass)
  const grouped = Math.min(
    amount,
    inGroups.reduce((sum, asked) => sum + asked.amount, 0),
  )
  const requestedResources = inGroups.length === 0 ? request.requestedResources : spread(request.requestedResources, resourceClass, grouped)
  const own = amount - grouped
  const field = resourceClass === 'VCPU' ? 'vcpus' : resourceClass === 'MEMORY_MB' ? 'memoryMb' : undefined
  const isSaid = Object.hasOwn(extraSpecs, spec)
  if (resourceClass === 'DISK_GB' && !isSaid) return restated(withDisk(request, own), { requestedResources })
  if (isSaid || (field === undefined && own !== ownAmount(request, resourceClass))) {
    if (field === undefined && resourceClass !== 'DISK_GB' && own === 0) delete extraSpecs[spec]
    else extraSpecs[spec] = String(own)
    return restated(request, { flavor: { ...request.flavor, extraSpecs }, requestedResources })
  }
  const changed = restated(request, { flavor: { ...request.flavor, ...(field !== undefined && { [field]: own }) }, requestedResources })
  return field === undefined ? changed : withFittingCells(changed)
}

const MIB_PER_GIB = 1_024

/**
 * The request with disks of the flavor that have a total of `gib`. The ephemeral disk is reduced first, then the root disk down to the size
 * that the image needs, then swap. If this is not enough, the root disk is reduced below the image's size. The API refuses such a request,
 * so the search never proposes it.
 */
function withDisk(request: RequestSpec, gib: number): RequestSpec {
  const { flavor, image, isBfv } = request
  const swapGib = Math.ceil(flavor.swapMb / MIB_PER_GIB)
  // an instance that boots from a volume needs no space for its root disk on the host
  const root = isBfv ? 0 : flavor.rootGb
  let over = root + flavor.ephemeralGb + swapGib - gib
  const more = Math.max(0, -over)
  const lessOf = (amount: number, least = 0): number => {
    const taken = Math.max(0, Math.min(over, amount - least))
    over -= taken
    return amount - taken
  }
  const ephemeralGb = lessOf(flavor.ephemeralGb) + (isBfv ? more : 0)
  const needed = lessOf(root, Math.max(1, image?.minDiskGb ?? 0))
  const swapMb = Math.min(flavor.swapMb, lessOf(swapGib) * MIB_PER_GIB)
  const rootGb = isBfv ? flavor.rootGb : lessOf(needed) + more
  return restated(request, { flavor: { ...flavor, rootGb, ephemeralGb, swapMb } })
}

/** Reduces the CPUs and memory of the guest's NUMA cells in proportion, because their sums must equal the flavor's vCPUs and memory. */
function withFittingCells(request: RequestSpec): RequestSpec {
  const { flavor, numaTopology } = request
  if (numaTopology === null) return request
  const memory = shares(
    numaTopology.cells.map(({ memoryMb }) => memoryMb),
    flavor.memoryMb,
  )
  const cpus = shares(
    numaTopology.cells.map(({ cpus: own }) => own.length),
    flavor.vcpus,
  )
  const cells = numaTopology.cells.map((cell, i) => ({ ...cell, memoryMb: memory[i] as number, cpus: cell.cpus.slice(0, cpus[i]) }))
  return withCells(request, numbered(cells))
}

/** If the sum of the amounts is larger than `most`, reduces the amounts in proportion until it is not. Otherwise returns them unchanged. */
function shares(parts: readonly number[], most: number): readonly number[] {
  const sum = parts.reduce((total, part) => total + part, 0)
  if (sum <= most) return parts
  const least = parts.map((part) => Math.floor((part * most) / sum))
  let left = most - least.reduce((total, part) => total + part, 0)
  return least.map((part) => part + (left-- > 0 ? 1 : 0))
}

/** Gives the CPUs of a guest's NUMA cells new ids in their old order, because CPU ids must begin at 0 and have no gaps. */
export function numbered(cells: readonly NumaCellRequest[]): NumaCellRequest[] {
  const kept = cells.flatMap(({ cpus }) => cpus).sort((a, b) => a - b)
  const now = new Map(kept.map((cpu, i) => [cpu, i]))
  const renumbered = (all: readonly number[]): number[] => all.flatMap((cpu) => now.get(cpu) ?? [])
  return cells.map((cell) => ({ ...cell, cpus: renumbered(cell.cpus), dedicatedCpus: renumbered(cell.dedicatedCpus) }))
}

/** The request with these NUMA cells, and without the extra specs and image properties from which Nova derives cells. */
export function withCells(request: RequestSpec, cells: readonly NumaCellRequest[]): RequestSpec {
  const { extraSpecs } = request.flavor
  const { flavor, image } = withoutKeys(request, /^hw[:_]numa_(nodes|cpus|mem)/)
  const count = Object.hasOwn(extraSpecs, 'hw:numa_nodes') ? { 'hw:numa_nodes': String(cells.length) } : {}
  return restated(request, {
    flavor: { ...flavor, extraSpecs: { ...flavor.extraSpecs, ...count } },
    image,
    numaTopology: request.numaTopology && { ...request.numaTopology, cells: [...cells] },
  })
}

/** The amount of a class that the flavor requests, without resource groups. */
const ownAmount = (request: RequestSpec, resourceClass: string): number =>
  demandOf({ ...request, requestedResources: [] }).amounts[resourceClass] ?? 0

/**
 * The resource groups with a smaller total of a resource class. The total is distributed to the groups in order. Each group gets at most
 * its present amount.
 */
function spread(groups: RequestSpec['requestedResources'], resourceClass: string, total: number): RequestSpec['requestedResources'] {
  let left = total
  return groups.map((group) => ({
    ...group,
    amounts: group.amounts.map((asked) => {
      if (asked.resourceClass !== resourceClass) return asked
      const amount = Math.min(asked.amount, left)
      left -= amount
      return { ...asked, amount }
    }),
  }))
}

/** The request without the extra specs for whose keys `isUnwanted` is true. */
export function withoutExtraSpecs(request: RequestSpec, isUnwanted: (key: string) => boolean): RequestSpec {
  const extraSpecs = Object.fromEntries(Object.entries(request.flavor.extraSpecs).filter(([key]) => !isUnwanted(key)))
  return restated(request, { flavor: { ...request.flavor, extraSpecs } })
}

/** The request without the extra specs and image properties whose keys match the pattern. */
export function withoutKeys(request: RequestSpec, keys: RegExp): RequestSpec {
  const { flavor } = withoutExtraSpecs(request, (key) => keys.test(key))
  const { image } = request
  const properties = Object.fromEntries(Object.entries(image?.properties ?? {}).filter(([key]) => !keys.test(key)))
  return restated(request, { flavor, image: image && { ...image, properties } })
}

/** The request, in which the image requires the trait `to` instead of `trait`. With null, the image does not require the trait. */
export function withImageTrait(request: RequestSpec, trait: string, to: string | null): RequestSpec {
  if (request.nova !== null) return builtIn().documents.withImageTrait(request, trait, to)
  const { image } = request
  const key = `trait:${trait}`
  if (image?.properties[key] !== 'required') return request
  const properties = Object.entries(image.properties).flatMap(([name, value]) =>
    name !== key ? [[name, value] as const] : to === null ? [] : [[`trait:${to}`, value] as const],
  )
  return restated(request, { image: { ...image, properties: Object.fromEntries(properties) } })
}

/** The request without the scheduler hints that have these names. */
export const withoutHints = (request: RequestSpec, names: readonly string[]): RequestSpec =>
  restated(request, {
    schedulerHints: Object.fromEntries(Object.entries(request.schedulerHints).filter(([name]) => !names.includes(name))),
  })
