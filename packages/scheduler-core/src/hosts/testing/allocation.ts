import { expect } from 'vitest'
import { audit } from '../../audit/index.ts'
import { checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import { copyFleet } from '../../fleet/copy.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { importNovaHost } from '../../nova/import/host.ts'
import type { AggregateChanged, Change, FleetAllocationSet, HostAllocationSet } from '../../records/change.ts'
import { parseHostStats } from '../../report/stats.ts'
import { publishedStats } from '../../report/stats-versions.ts'
import { aLog, aReport, aUuid, type TestLog } from '../../testing/index.ts'
import { canonicalJson } from '../../values/canonical-json.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { ALLOCATION_RULES } from '../../values/levels.ts'
import { ratioOf } from '../allocation.ts'

export const H = 0 as HostIndex
export const MACHINE = { vcpus: 8, memoryMb: 8_192, localGb: 100 }

/**
 * A report with a ComputeNode of Nova. `data` overrides its fields. The default of the ratios is 0.0, which Nova treats as not set. `more` has
 * what is sent in addition to the ComputeNode, such as inventories.
 */
export function novaReport(
  host: string,
  data: Readonly<Record<string, unknown>> = {},
  sequence = 1,
  more: Readonly<Record<string, unknown>> = {},
): Change {
  const computeNode = {
    'nova_object.name': 'ComputeNode',
    'nova_object.namespace': 'nova',
    'nova_object.version': '1.19',
    'nova_object.data': {
      ...{
        uuid: aUuid(0x11),
        host,
        hypervisor_hostname: host,
        vcpus: 8,
        vcpus_used: 0,
        memory_mb: 8_192,
        memory_mb_used: 0,
        local_gb: 100,
      },
      ...{
        local_gb_used: 0,
        free_ram_mb: 8_192,
        free_disk_gb: 100,
        cpu_allocation_ratio: 0,
        ram_allocation_ratio: 0,
        disk_allocation_ratio: 0,
      },
      ...data,
    },
  }
  const imported = importNovaHost({ compute_node: computeNode, ...more })
  if (!imported.ok) throw new Error(canonicalJson(imported.problems))
  const parsed = parseHostStats(imported.document)
  if (!parsed.ok) throw new Error(canonicalJson(parsed.problems))
  return { ...aReport(host), sequence, full: publishedStats(parsed.value) }
}

export const ours = (shape: Parameters<typeof aReport>[1] = {}, sequence = 1) => aReport('h1', { ...MACHINE, ...shape }, sequence)
export const set = (edit: Partial<HostAllocationSet>): HostAllocationSet => ({
  type: 'hostAllocation',
  host: 'h1',
  node: 'h1',
  resourceClass: 'VCPU',
  by: 'ops',
  reason: 'measured',
  ...edit,
})
export const fleetSet = (edit: Partial<FleetAllocationSet>, expectedVersion = 0): FleetAllocationSet => ({
  type: 'fleetAllocation',
  expectedVersion,
  release: null,
  classes: {},
  by: 'ops',
  reason: 'nova.conf',
  ...edit,
})
export const aggregate = (n: number, ratio: string | undefined, expectedVersion = 0, hosts = ['h1']): AggregateChanged => ({
  type: 'aggregate',
  uuid: aUuid(n),
  expectedVersion,
  next: { name: `a${n}`, hosts, metadata: ratio === undefined ? {} : { cpu_allocation_ratio: ratio } },
  by: 'ops',
})

export function logWith(...changes: readonly Change[]): TestLog {
  const log = aLog()
  expect(log.append([{ type: 'feature', level: ALLOCATION_RULES }, ...changes]).filter((code) => code !== undefined)).toEqual([])
  return log
}

export const capacity = ({ hosts }: Fleet, resourceClass = 'VCPU', host = H) => hosts.classColumns(resourceClass).capacity[host]
export const saysRatio = ({ hosts }: Fleet, resourceClass = 'VCPU') => {
  const { value, source } = ratioOf(hosts, hosts.get(H), resourceClass)
  return [value, source]
}

/** Checks that the auditor finds nothing, and that a restored fleet and a copied fleet equal this fleet. */
export function expectSound(fleet: Fleet): void {
  expect([...audit(fleet)].flatMap(({ findings }) => findings)).toEqual([])
  const stored = canonicalJson(checkpointOf(fleet))
  const again = restoreFleet(JSON.parse(stored))
  expect(canonicalJson(checkpointOf(again))).toBe(stored)
  expect([...audit(again)].flatMap(({ findings }) => findings)).toEqual([])
  expect(canonicalJson(checkpointOf(copyFleet(fleet)))).toBe(stored)
}
