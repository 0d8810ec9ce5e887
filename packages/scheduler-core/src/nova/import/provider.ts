import { isJson, WireError } from '../../report/versioned-object.ts'
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
      throw new WireError(`${at}.${unknown}`, inventory[unknown], `left out: ${Object.keys(FIELDS).join(', ')} are all that is read`)
  }
  return byClass as Readonly<Record<string, Json>>
}

/** Finds a field and its path. The input is the body of a response of Placement that contains the field, or the field's value alone. */
function inside(given: unknown, field: string): { readonly value: unknown; readonly at: string } {
  if (!isJson(given) || !Object.hasOwn(given, field)) return { value: given, at: field }
  const other = Object.keys(given).find((key) => key !== field && key !== GENERATION)
  if (other !== undefined)
    throw new WireError(`${field}.${other}`, given[other], `left out: ${field} and ${GENERATION} are all that Placement has there`)
  return { value: given[field], at: `${field}.${field}` }
}

/**
 * Converts traits and inventories to fields of a report. The usage of vCPUs, memory and disk comes from the ComputeNode. Reserved amounts
 * are subtracted from the usage, because a ComputeNode counts them as used.
 */
export function providerStats({ traits, inventories }: NovaProvider, node: NovaComputeNode): Json {
  const used: Readonly<Record<string, number>> = { VCPU: node.vcpusUsed, MEMORY_MB: node.memoryMbUsed, DISK_GB: node.localGbUsed }
  return {
    ...(traits !== undefined && { traits }),
    ...(inventories !== undefined && {
      inventories: Object.entries(inventories).map(([resourceClass, inventory]) => {
        const fields = Object.entries(FIELDS).filter(([field]) => isGiven(inventory[field]))
        const taken = used[resourceClass]
        const reserved = typeof inventory.reserved === 'number' ? inventory.reserved : 0
        return {
          resourceClass,
          ...Object.fromEntries(fields.map(([field, name]) => [name, inventory[field]])),
          used: taken === undefined ? null : Math.max(0, taken - reserved),
        }
      }),
    }),
  }
}
