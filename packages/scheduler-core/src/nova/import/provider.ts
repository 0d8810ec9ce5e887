import { isJson, WireError } from '../../report/versioned-object.ts'
import { limits } from '../../request/limits.ts'
import type { NovaComputeNode } from '../objects/compute-node.ts'

type Json = Readonly<Record<string, unknown>>

/** Placement's data about the resource provider of a host. A field is absent if the caller did not send it. */
export interface NovaProvider {
  readonly traits?: readonly string[]
  /** By resource class: an object with Placement's fields, such as `total` and `allocation_ratio`. */
  readonly inventories?: Readonly<Record<string, Json>>
}

const FIELDS: Readonly<Record<string, string>> = {
  total: 'total',
  reserved: 'reserved',
  allocation_ratio: 'allocationRatio',
  min_unit: 'minUnit',
  max_unit: 'maxUnit',
  step_size: 'stepSize',
}
/** Placement's responses contain this field. It is accepted and ignored. */
const GENERATION = 'resource_provider_generation'

/** Reads traits and inventories. Each can be the body of a response of Placement, or only its list or object. Throws WireError. */
export function readProvider(traits: unknown, inventories: unknown): NovaProvider {
  return {
    ...(isGiven(traits) && { traits: traitsOf(traits) }),
    ...(isGiven(inventories) && { inventories: inventoriesOf(inventories) }),
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

function traitsOf(given: unknown): readonly string[] {
  const { value: list, at } = inside(given, 'traits')
  if (Array.isArray(list) && list.every((trait) => typeof trait === 'string')) return [...new Set(list)]
  throw new WireError(at, list, 'a list of names, or the body of a Placement response with traits')
}

function inventoriesOf(given: unknown): Readonly<Record<string, Json>> {
  const { value: byClass, at: root } = inside(given, 'inventories')
  const allowed = 'an object by resource class, or the body of a Placement response with inventories'
  if (!isJson(byClass)) throw new WireError(root, byClass, allowed)
  for (const [resourceClass, inventory] of Object.entries(byClass)) {
    const at = `${root}.${resourceClass}`
    if (!isJson(inventory))
      throw new WireError(at, inventory, `an object with total, and with ${Object.keys(FIELDS).slice(1).join(', ')} if need be`)
    if (typeof inventory.total !== 'number') throw new WireError(`${at}.total`, inventory.total, 'a number')
    const unknown = Object.keys(inventory).find((field) => !Object.hasOwn(FIELDS, field) && field !== GENERATION)
    if (unknown !== undefined)
      throw new WireError(
        `${at}.${unknown}`,
        inventory[unknown],
        `left out: ${Object.keys(FIELDS).join(', ')} are the only fields that are read`,
      )
  }
  return byClass as Readonly<Record<string, Json>>
}

/** Finds a field and its path. The input is the body of a response of Placement that contains the field, or the field's value alone. */
function inside(given: unknown, field: string): { readonly value: unknown; readonly at: string } {
  if (!isJson(given) || !Object.hasOwn(given, field)) return { value: given, at: field }
  const other = Object.keys(given).find((key) => key !== field && key !== GENERATION)
  if (other !== undefined)
    throw new WireError(
      `${field}.${other}`,
      given[other],
      `left out, because in this place Placement's documents have only ${field} and ${GENERATION}`,
    )
  return { value: given[field], at: `${field}.${field}` }
}

/** What a ComputeNode says about a class that Placement can describe too. */
interface OfNode {
  /** The field of a report with the total of the class. */
  readonly totalField: 'vcpus' | 'memoryMb' | 'localGb'
  readonly used: number
  /** 0 if the configuration of the scheduler determines the ratio. */
  readonly ratio: number
}

const classesOf = (node: NovaComputeNode): ReadonlyMap<string, OfNode> =>
  new Map([
    ['VCPU', { totalField: 'vcpus', used: node.vcpusUsed, ratio: node.cpuAllocationRatio }],
    ['MEMORY_MB', { totalField: 'memoryMb', used: node.memoryMbUsed, ratio: node.ramAllocationRatio }],
    ['DISK_GB', { totalField: 'localGb', used: node.localGbUsed, ratio: node.diskAllocationRatio }],
  ])

/**
 * Converts traits and inventories to fields of a report. The usage of vCPUs, memory and disk comes from the ComputeNode. Reserved amounts
 * are subtracted from the usage, because a ComputeNode counts them as used. What an inventory of such a class leaves out stays as the
 * ComputeNode says it: an inventory without a ratio has the ratio of the ComputeNode. An inventory that states only its total becomes the
 * total of the ComputeNode.
 */
export function providerStats({ traits, inventories }: NovaProvider, node: NovaComputeNode): Json {
  const classes = classesOf(node)
  const all = Object.entries(inventories ?? {})
  const totals = all.flatMap(([resourceClass, inventory]) => {
    const own = classes.get(resourceClass)
    return own !== undefined && isPlainTotal(inventory, mostOf.get(resourceClass)) ? [[own.totalField, inventory.total] as const] : []
  })
  const listed = listedOf(all)
  return {
    ...(traits !== undefined && { traits }),
    ...Object.fromEntries(totals),
    ...(inventories !== undefined && {
      inventories: listed.map(([resourceClass, inventory]) => inventoryOf(resourceClass, inventory, classes.get(resourceClass))),
    }),
  }
}

/**
 * The classes whose inventories leave the ratio or the reserved amount to the settings of the fleet, as the ComputeNode alone does. An
 * inventory leaves the ratio to the fleet only if the ComputeNode states none either.
 */
export function leftOpen(
  { inventories }: NovaProvider,
  node: NovaComputeNode,
): { readonly openRatios: readonly string[]; readonly openReserves: readonly string[] } {
  const classes = classesOf(node)
  const listed = listedOf(Object.entries(inventories ?? {})).filter(([resourceClass]) => classes.has(resourceClass))
  const without = (field: string) => listed.filter(([, inventory]) => !isGiven(inventory[field])).map(([resourceClass]) => resourceClass)
  return {
    openRatios: without('allocation_ratio').filter((resourceClass) => classes.get(resourceClass)?.ratio === 0),
    openReserves: without('reserved'),
  }
}

/** The largest totals that the report's own fields for these classes can have. */
const mostOf: ReadonlyMap<string, number> = new Map([
  ['VCPU', limits.vcpus],
  ['MEMORY_MB', limits.memoryMib],
  ['DISK_GB', limits.diskGib],
])

/** The inventories that the report lists, by class: those that state more than the total of a class that the ComputeNode describes. */
export const listedOf = <Inventory>(inventories: readonly (readonly [resourceClass: string, inventory: Inventory])[]) =>
  inventories.filter(([resourceClass, inventory]) => !isJson(inventory) || !isPlainTotal(inventory, mostOf.get(resourceClass)))

/**
 * True if an inventory states nothing but a total that fits into the report's own field for this class. Any other total stays in the
 * inventory, so that an error has the right path.
 */
const isPlainTotal = (inventory: Json, most: number | undefined): boolean =>
  most !== undefined &&
  Number.isSafeInteger(inventory.total) &&
  Number(inventory.total) >= 0 &&
  Number(inventory.total) <= most &&
  Object.keys(FIELDS).every((field) => field === 'total' || !isGiven(inventory[field]))

function inventoryOf(resourceClass: string, inventory: Json, own: OfNode | undefined): Json {
  const fields = Object.entries(FIELDS).filter(([field]) => isGiven(inventory[field]))
  const reserved = typeof inventory.reserved === 'number' ? inventory.reserved : 0
  return {
    resourceClass,
    ...(own !== undefined && own.ratio !== 0 && { allocationRatio: Math.min(own.ratio, limits.ratio) }),
    ...Object.fromEntries(fields.map(([field, name]) => [name, inventory[field]])),
    ...(typeof inventory.allocation_ratio === 'number' && { allocationRatio: Math.min(inventory.allocation_ratio, limits.ratio) }),
    used: own === undefined ? null : Math.max(0, own.used - reserved),
  }
}
