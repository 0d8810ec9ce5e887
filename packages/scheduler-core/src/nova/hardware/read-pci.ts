import { quote } from '../../text/problem.ts'
import { NovaError } from '../text/nova-error.ts'
import { fieldsOf, integerOf, isEnvelope, listOf, textOf, type WireFields, wordOf } from './envelope.ts'
import type { PciNumaPolicy, PciPool, PciRequest, PciValue } from './pci.ts'

/**
 * Reads the device pools of a host: a PciDevicePoolList object, a list of pools, or null for no pools. The tags of a pool become keys.
 * Pools with fewer keys come first, because Nova tries pools in this order.
 */
export function readPciPools(value: unknown): readonly PciPool[] {
  return poolsInOrder(value).map(({ pool }) => pool)
}

/** For each pool in the result of `readPciPools`: its index in the input. */
export const pciPoolPositions = (value: unknown): readonly number[] => poolsInOrder(value).map(({ index }) => index)

function poolsInOrder(value: unknown): readonly { readonly pool: PciPool; readonly index: number }[] {
  if (value === null || value === undefined) return []
  const pools = listOf(Array.isArray(value) ? value : fieldsOf(value, 'pci_device_pools').objects, 'pci_device_pools', readPool)
  return pools.map((pool, index) => ({ pool, index })).sort((a, b) => Object.keys(a.pool.keys).length - Object.keys(b.pool.keys).length)
}

/** Reads device requests: an InstancePCIRequests object, a list of requests, or null for no requests. */
export function readPciRequests(value: unknown): readonly PciRequest[] {
  if (value === null || value === undefined) return []
  const requests = Array.isArray(value) ? value : fieldsOf(value, 'pci_requests').requests
  return requests === null || requests === undefined ? [] : listOf(requests, 'pci_requests', readRequest)
}

function readPool(value: unknown, what: string): PciPool {
  const { count, tags, ...own } = fieldsOf(value, what)
  // In the older form without versioned objects, tags are among the other keys, and `numa_node` is absent if it is unknown.
  const keys = isEnvelope(value)
    ? { ...pciValues(own, what), ...pciValues(fieldsOf(tags ?? {}, `${what}.tags`), `${what}.tags`) }
    : pciValues({ numa_node: null, ...own }, what)
  return { keys, count: integerOf(count, `${what}.count`) }
}

function readRequest(value: unknown, what: string): PciRequest {
  const fields = fieldsOf(value, what)
  return {
    count: integerOf(fields.count, `${what}.count`),
    spec: listOf(fields.spec, `${what}.spec`, (item, path) => pciValues(fieldsOf(item, path), path)),
    numaPolicy: wordOf<PciNumaPolicy>(fields.numa_policy, `${what}.numa_policy`, ['required', 'legacy', 'preferred', 'socket']),
    alias: fields.alias_name == null ? null : textOf(fields.alias_name, `${what}.alias_name`),
  }
}

function pciValues(fields: WireFields, what: string): Readonly<Record<string, PciValue>> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, pciValue(value, `${what}.${key}`)]))
}

function pciValue(value: unknown, what: string): PciValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (Array.isArray(value)) return listOf(value, what, textOf)
  throw new NovaError('ValueError', `${what} is ${quote(value)}; it must be text, a number, a list of text or null`, what)
}
