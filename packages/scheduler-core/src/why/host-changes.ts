import type { Fleet } from '../fleet/fleet.ts'
import { classRow, classValue } from '../hosts/classes/sparse-columns.ts'
import { at } from '../hosts/columns.ts'
import { aggregatesOf, claimsOf, instancesOf, leftOf, livenessOf, membershipsOf, reportOf, statusOf } from '../hosts/sources.ts'
import { poolsOf } from '../kinds/pci/pool.ts'
import { hostStatuses, livenessStates } from '../records/change.ts'
import { isLive } from '../records/claim.ts'
import type { Source } from '../text/evidence.ts'
import type { HostIndex } from '../values/host-index.ts'

/** The data that decisions read about a host, as fields in a fixed order. The data is a copy and stays valid after the fleet changes. */
export type HostFields = ReadonlyMap<string, { readonly value: string; readonly source: Source }>

/** A field whose value changed. */
export interface HostChange {
  readonly field: string
  /** Null if the field did not exist before. */
  readonly before: string | null
  /** Null if the field no longer exists. */
  readonly after: string | null
  /** The input that set the value `after`. If `after` is null, the input that set the value `before`. */
  readonly source: Source
}

/** The fields of a host. Empty if the host is not in the fleet. */
export function hostFieldsOf(fleet: Fleet, host: HostIndex | undefined): HostFields {
  const fields = new Map<string, { value: string; source: Source }>()
  if (host === undefined) return fields
  const { hosts, aggregates } = fleet
  const record = hosts.get(host)
  const report = reportOf(record)
  const left = leftOf(record)
  const put = (field: string, value: unknown, source: Source = report) => void fields.set(field, { value: String(value), source })
  put('status', hostStatuses[at(hosts.columns.status, host)], statusOf(record))
  put('liveness', livenessStates[at(hosts.columns.liveness, host)], livenessOf(record))
  put('availability zone', record.zone, aggregatesOf(aggregates.of(record.host), 'availability_zone'))
  for (const { uuid, name, metadata } of aggregates.of(record.host)) {
    put(`aggregate ${name}`, 'member', { ...membershipsOf(record), ref: uuid })
    for (const key of Object.keys(metadata).sort())
      put(`aggregate ${name} ${key}`, metadata[key], { kind: 'aggregate', ref: `${name} ${key}`, aggregates: [{ uuid, name, key }] })
  }
  const { hypervisorType, hypervisorVersion, supportedInstances } = record.stats
  put('traits', [...record.traits].sort().join(', ') || 'none')
  put('hypervisor', `${hypervisorType ?? 'unnamed'} ${hypervisorVersion ?? ''}`.trim())
  put('supported instances', supportedInstances.map(({ arch, hvType, vmMode }) => `${arch}/${hvType}/${vmMode}`).join(' ') || 'none')
  for (const [name, columns] of [...hosts.classes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (classValue(columns, 'reported', host) === 0) continue
    const row = classRow(columns, host)
    put(`${name} total`, row.total)
    put(`${name} reserved`, row.reserved)
    put(`${name} ratio`, row.ratioMilli / 1_000)
    put(`${name} used`, row.used)
    put(`${name} claimed`, row.claimed, claimsOf(hosts, host, name))
    put(`${name} free`, row.free, left)
  }
  put('instances', at(hosts.columns.instances, host), instancesOf(record))
  put('I/O operations', at(hosts.columns.ioOps, host), instancesOf(record))
  for (const { id, cpuFree, memoryFree, freeCpus, pages = [] } of record.cells) {
    put(`NUMA cell ${id} shared CPUs free`, cpuFree, left)
    put(`NUMA cell ${id} CPUs that are not dedicated to an instance`, freeCpus.free, left)
    put(`NUMA cell ${id} MiB free`, memoryFree, left)
    for (const { sizeKib, free } of pages) put(`NUMA cell ${id} pages of ${sizeKib} KiB free`, free, left)
  }
  for (const { index, model, freeMilli } of record.gpus) put(`GPU ${index} thousandths free`, `${freeMilli} of ${model ?? 'unnamed'}`, left)
  for (const { key, free } of poolsOf(record).list) put(`PCI pool ${key} free`, free, left)
  for (const claim of [...record.claims].filter(isLive).sort((a, b) => (a.id < b.id ? -1 : 1)))
    put(`claim ${claim.id}`, claim.state, { kind: 'claims', ref: claim.id })
  return fields
}

/**
 * The fields of a host whose values differ between an earlier and a later state, in the order of `HostFields`. Fields that only the later
 * state has are last.
 */
export function hostChangesBetween(before: HostFields, after: HostFields): readonly HostChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field) => {
    const [earlier, later] = [before.get(field), after.get(field)]
    if (earlier?.value === later?.value) return []
    return [{ field, before: earlier?.value ?? null, after: later?.value ?? null, source: (later ?? earlier)?.source as Source }]
  })
}
