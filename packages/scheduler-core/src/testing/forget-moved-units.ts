import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord, OwnHostRecord } from '../hosts/hosts.ts'
import { cpusOf } from '../kinds/numa/pin.ts'
import { poolsOf, usedByPool } from '../kinds/pci/pool.ts'
import { type Claim, isLive } from '../records/claim.ts'

/** The kinds of units for which an instance on a host can use other units than those that its claim names. */
export const pickedUnits = ['GPU', 'DEDICATED_CPU', 'PCI_DEVICE', 'HUGE_PAGE'] as const
export type PickedUnitKind = (typeof pickedUnits)[number]

/**
 * Plants a defect in a fleet: a claim reserves nothing if another instance uses the unit that the claim names. This was the rule before
 * feature level 8. The tests that claims always reserve their amounts must detect this defect for each kind of unit. `kinds` are the kinds
 * of units with the defect.
 */
export function forgetMovedUnits({ hosts }: Fleet, kinds: readonly PickedUnitKind[] = pickedUnits): void {
  const forget: Readonly<Record<PickedUnitKind, (record: OwnHostRecord) => void>> = {
    GPU: forgetGpus,
    DEDICATED_CPU: forgetCpus,
    PCI_DEVICE: forgetDevices,
    HUGE_PAGE: forgetPages,
  }
  for (const { index } of hosts.present) {
    const record = hosts.own(index)
    // The defect needs units that are in use according to a report. If used amounts come from claims, reports are ignored.
    for (const kind of kinds) if (record.usedFrom === 'REPORT') forget[kind](record)
    hosts.columns.gpuMostFreeMilli[index] = Math.max(0, ...record.gpus.map(({ freeMilli }) => freeMilli))
  }
}

/** The live claims whose use the report does not include. If the report does not state the use of such units, these are all live claims. */
const namingClaims = ({ claims }: HostRecord, isReported: boolean): Claim[] =>
  [...claims].filter((claim) => isLive(claim) && (claim.state !== 'MATERIALISED' || !isReported))

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)

function forgetGpus(record: OwnHostRecord): void {
  for (const gpu of record.gpus) {
    const reported = record.stats.gpus.find(({ index }) => index === gpu.index)?.usedMilli ?? null
    const named = namingClaims(record, reported !== null).flatMap(({ grants }) =>
      (grants.gpu ?? []).filter(({ index }) => index === gpu.index),
    )
    // A GPU that is in use and also claimed is subtracted only once: this is the defect.
    gpu.freeMilli = Math.max(0, 1_000 - (reported ?? 0) - sumOf(named.map(({ milli }) => milli)))
  }
}

function forgetCpus(record: OwnHostRecord): void {
  for (const cell of record.cells) {
    const named = namingClaims(record, cell.countsPinned).flatMap(({ grants }) =>
      (grants.numa ?? []).filter((part) => part.cell === cell.id),
    )
    cell.unpinAll()
    for (const cpu of named.flatMap(cpusOf)) if (!cell.pinnedByReport.has(cpu)) cell.pin(cpu, 1)
  }
}

function forgetDevices(record: OwnHostRecord): void {
  const used = usedByPool(record.stats.pciPools)
  const { pciPools } = record.stats
  for (const pool of poolsOf(record).list) {
    const named = namingClaims(record, pool.countsUse).flatMap(({ grants }) =>
      (grants.pci ?? []).filter(({ pool: key }) => key === pool.key),
    )
    const total = sumOf(pciPools.filter((reported) => usedByPool([reported]).has(pool.key)).map((reported) => reported.total))
    pool.free = Math.max(0, total - (used.get(pool.key) ?? 0) - sumOf(named.map(({ count }) => count)))
  }
}

function forgetPages(record: OwnHostRecord): void {
  for (const cell of record.cells)
    for (const state of cell.pages ?? []) {
      const reported = record.stats.numaCells.find(({ id }) => id === cell.id)?.pages.find(({ sizeKib }) => sizeKib === state.sizeKib)
      const named = namingClaims(record, state.countsUse)
        .flatMap(({ grants }) => grants.numa ?? [])
        .flatMap(({ cell: id, pages }) => (id === cell.id && pages?.sizeKib === state.sizeKib ? [pages.count] : []))
      const { total = 0, reserved = 0, used = null } = reported ?? {}
      state.free = Math.max(0, total - reserved - (used ?? 0) - sumOf(named))
    }
}
