import { expect } from 'vitest'
import { filters } from '../../bundled.ts'
import { candidatesFilter } from '../../contracts/candidates.ts'
import type { Filter } from '../../contracts/filter.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Change } from '../../records/change.ts'
import { aClaim, aDocument, aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'

type Request = Parameters<typeof aRequest>[0]

interface Row {
  /** The shape of host h1. The fleet also has a host h2 with default values. */
  readonly host?: HostShape
  /** Changes that are appended to the log after the reports of both hosts. */
  readonly after?: readonly Change[]
  readonly request?: Request
  /** The expected result of the filter for h1: true, NOT_ASKED, or the reason for its refusal. */
  readonly says: true | 'NOT_ASKED' | Reason
}

export const fleetOf = ({ host = {}, after = [] }: Pick<Row, 'host' | 'after'>): Fleet => {
  const log = aLog()
  log.append([aReport('h1', host), aReport('h2')])
  for (const change of after) expect(log.append([change])).toEqual([undefined])
  return log.fleet
}

export function sayOf(filter: Filter, fleet: Fleet, request: Request): true | 'NOT_ASKED' | Reason {
  const prepared = filter.prepare(aRequest(request), fleet, {})
  if (prepared === undefined) return 'NOT_ASKED'
  const h1 = 0 as HostIndex
  return prepared.passes(h1) || prepared.reason(h1)
}

export const named = (name: string): Filter => {
  const filter = [...filters, candidatesFilter].find((known) => known.name === name)
  if (filter === undefined) throw new Error(`expected a filter named ${name}`)
  return filter
}

export const flavor = (parts: Partial<NonNullable<NonNullable<Request>['flavor']>>) => ({ flavor: { vcpus: 1, memoryMb: 1_024, ...parts } })
export const specs = (extraSpecs: Record<string, string>) => flavor({ extraSpecs })
export const disable = (reason: string): Change => ({ type: 'status', host: 'h1', node: 'h1', status: 'DISABLED', reason })
export const aggregate = (number: number, hosts: readonly string[], metadata: Record<string, string> = {}): Change => ({
  type: 'aggregate',
  uuid: aUuid(number),
  expectedVersion: 0,
  next: { name: `aggregate ${number}`, hosts, metadata },
})
export const group = (
  policy: 'AFFINITY' | 'ANTI_AFFINITY' | 'SOFT_AFFINITY' | 'SOFT_ANTI_AFFINITY',
  maxServerPerHost: number | null = null,
) => ({
  uuid: aUuid(7),
  policy,
  maxServerPerHost,
})
export const member = (host: string, key: string, bound: ReturnType<typeof group>) => aClaim({ key, hosts: [host], group: bound })
export const level5: Change = { type: 'feature', level: 5 }
export const poolDocument = (host: string, ...volumes: readonly number[]) =>
  aDocument(host, 'storage', {
    pools: [{ uuid: aUuid(1), name: 'fast' }],
    volumes: volumes.map((number) => ({ uuid: aUuid(number), pool: aUuid(1) })),
  })
export const inPool = (number: number, hosts: readonly string[], poolNumber: number): Change =>
  aggregate(number, hosts, { 'gantt:disk_pool': aUuid(poolNumber) })
export const space = (host: string, fields: object) => aDocument(host, 'storage', { pools: [{ uuid: aUuid(1), name: 'fast', ...fields }] })
export const networkDocument = (host: string, physicalNetwork: string, ...ports: readonly number[]) =>
  aDocument(host, 'network', {
    physicalNetworks: [{ name: physicalNetwork }],
    ports: ports.map((number) => ({ uuid: aUuid(number), physicalNetwork })),
  })
export const kvm = { supportedInstances: [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }] }
export const cell = (id: number, more: object = {}) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + 4 * id), memoryMb: 4_096, ...more })
export const threads = {
  siblings: [
    [0, 1],
    [2, 3],
  ],
}
/** A host's memory pages: small pages with 4 GiB in total, and `large` MiB in pages of 2 MiB. */
export const pages = (large: number) => [
  { sizeKib: 4, total: 1_048_576 },
  { sizeKib: 2_048, total: large / 2 },
]
/** A host's memory pages: small pages with 8 GiB in total, and 56 huge pages of 1 GiB each. */
export const b12Pages = [
  { sizeKib: 4, total: 2_097_152 },
  { sizeKib: 1_048_576, total: 56 },
]
export const pool = (numaNode: number | null, total: number, more: object = {}) => ({
  vendorId: '8086',
  productId: '10fb',
  numaNode,
  total,
  ...more,
})
export const device = (numaPolicy: 'legacy' | 'required' | 'preferred' | 'socket' = 'legacy', count = 1) => ({
  alias: 'nic',
  count,
  specs: [{ vendor_id: '8086' }],
  numaPolicy,
})
export const guest = (id: number, cpus: number, memoryMb: number, cpuPolicy: 'shared' | 'dedicated' = 'shared') => ({
  id,
  cpus: Array.from({ length: cpus }, (_, cpu) => cpu),
  memoryMb,
  cpuPolicy,
})

export type FilterTables = Readonly<Record<string, Readonly<Record<string, Row>>>>
