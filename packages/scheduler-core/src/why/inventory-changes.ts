import type { FieldChange } from '../compare/field-change.ts'
import { poolKey } from '../kinds/pci/pool.ts'
import type { HostStats } from '../report/stats.ts'
import { shorten } from '../values/storable.ts'

/**
 * The differences between the inventories of two reports, in a fixed order: totals, reserved amounts, ratios, traits, GPUs, PCI devices,
 * NUMA cells, CPUs, hypervisor and omitted fields. Usage and measurements are not compared. Texts are only made for values that differ,
 * because this function runs for every report.
 */
export function inventoryChanges(before: HostStats, after: HostStats): readonly FieldChange[] {
  return comparisons.flatMap(({ differs, wordsOf }) => {
    if (!differs(before, after)) return []
    const [was, is] = [wordsOf(before), wordsOf(after)]
    return [...new Set([...was.keys(), ...is.keys()])].flatMap((field) => {
      const change = { field: shown(field), before: was.get(field) ?? null, after: is.get(field) ?? null }
      return change.before === change.after ? [] : [change]
    })
  })
}

/** A part of a host's inventory. `differs` compares it in two reports, and `wordsOf` writes its fields as text. */
interface Comparison {
  differs(before: HostStats, after: HostStats): boolean
  wordsOf(stats: HostStats): ReadonlyMap<string, string>
}

const MAX_TEXT = 200

const shown = (value: unknown): string => shorten(typeof value === 'string' ? value : JSON.stringify(value), MAX_TEXT)

/** Compares a field of the report that is a number, a string or null. */
const plain = (
  field: { [Name in keyof HostStats]: HostStats[Name] extends string | number | null ? Name : never }[keyof HostStats],
): Comparison => ({
  differs: (before, after) => before[field] !== after[field],
  wordsOf: (stats) => new Map(stats[field] === null ? [] : [[field, shown(stats[field])]]),
})

/** Compares a list. `members` are the compared members of an item, and `says` returns the fields of an item with their texts. */
function listed<Item extends object>(
  of: (stats: HostStats) => readonly Item[],
  members: readonly (keyof Item)[],
  says: (item: Item) => readonly (readonly [field: string, text: string])[],
): Comparison {
  const isSame = (one: Item, other: Item): boolean => members.every((member) => isAlike(one[member], other[member]))
  return {
    differs(before, after) {
      const [was, is] = [of(before), of(after)]
      return was !== is && (was.length !== is.length || !was.every((item, i) => isSame(item, is[i] as Item)))
    },
    wordsOf: (stats) => new Map(of(stats).flatMap((item) => says(item).map(([field, text]) => [field, shown(text)] as const))),
  }
}

/** Compares a set of texts or numbers, such as traits. */
const words = (field: string, of: (stats: HostStats) => readonly (string | number)[]): Comparison => ({
  differs: (before, after) => !isAlike(of(before), of(after)),
  wordsOf: (stats) => new Map(of(stats).map((word) => [`${field} ${word}`, 'yes'])),
})

/** True if two values of plain data are deeply equal. */
function isAlike(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((item, i) => isAlike(item, other[i]))
  const members = Object.entries(one)
  return members.length === Object.keys(other).length && members.every(([name, value]) => isAlike(value, Reflect.get(other, name)))
}

type Cell = HostStats['numaCells'][number]

const cellText = ({ cpuset, dedicatedCpuset, memoryMb, siblings, socket, pages, physicalNetworks }: Cell): string =>
  [
    `CPUs ${cpuset.join(',') || 'none'}`,
    ...(dedicatedCpuset === null ? [] : [`dedicated ${dedicatedCpuset.join(',') || 'none'}`]),
    ...(siblings.length === 0 ? [] : [`threads ${siblings.map((core) => core.join('+')).join(',')}`]),
    `${memoryMb} MiB`,
    ...pages.map(({ sizeKib, total, reserved }) => `${total} pages of ${sizeKib} KiB${reserved === 0 ? '' : ` (${reserved} reserved)`}`),
    ...(socket === null ? [] : [`socket ${socket}`]),
    ...physicalNetworks.map((name) => `near ${name}`),
  ].join('; ')

/** The pages of a cell without their usage. */
const pagesOf = ({ pages }: Cell) => pages.map(({ sizeKib, total, reserved }) => ({ sizeKib, total, reserved }))
const cellMembers = ['id', 'cpuset', 'memoryMb', 'siblings', 'dedicatedCpuset', 'socket', 'physicalNetworks'] as const

const cells: Comparison = {
  differs: ({ numaCells: before }, { numaCells: after }) =>
    before !== after &&
    (before.length !== after.length ||
      before.some((cell, i) => {
        const other = after[i] as Cell
        return cellMembers.some((member) => !isAlike(cell[member], other[member])) || !isAlike(pagesOf(cell), pagesOf(other))
      })),
  wordsOf: ({ numaCells }) => new Map(numaCells.map((cell) => [`NUMA cell ${cell.id}`, shown(cellText(cell))])),
}

/**
 * PCI devices, compared by their count per description. If a report lists the same description in several pools, the counts of these pools
 * are added up.
 */
const devices: Comparison = {
  ...listed(
    ({ pciPools }) => pciPools,
    ['vendorId', 'productId', 'numaNode', 'deviceType', 'tags', 'total'],
    () => [],
  ),
  wordsOf({ pciPools }) {
    const totals = new Map<string, number>()
    for (const pool of pciPools) totals.set(poolKey(pool), (totals.get(poolKey(pool)) ?? 0) + pool.total)
    return new Map([...totals].map(([key, total]) => [`PCI ${key} total`, String(total)]))
  },
}

const comparisons: readonly Comparison[] = [
  plain('vcpus'),
  plain('cpuAllocationRatio'),
  plain('memoryMb'),
  plain('ramAllocationRatio'),
  plain('localGb'),
  plain('diskAllocationRatio'),
  listed(
    ({ inventories }) => inventories,
    ['resourceClass', 'total', 'reserved', 'allocationRatio', 'minUnit', 'maxUnit', 'stepSize'],
    ({ resourceClass, total, reserved, allocationRatio, minUnit, maxUnit, stepSize }) => [
      [`${resourceClass} total`, String(total)],
      [`${resourceClass} reserved`, String(reserved)],
      [`${resourceClass} ratio`, String(allocationRatio)],
      [`${resourceClass} units`, `${minUnit} to ${maxUnit ?? 'any'} by ${stepSize}`],
    ],
  ),
  words('trait', ({ traits }) => traits),
  listed(
    ({ gpus }) => gpus,
    ['index', 'model'],
    ({ index, model }) => [[`GPU ${index}`, model ?? 'unnamed']],
  ),
  devices,
  cells,
  plain('hypervisorType'),
  plain('hypervisorVersion'),
  plain('hypervisorHostname'),
  plain('hostIp'),
  {
    differs: (before, after) => !isAlike(before.cpuInfo, after.cpuInfo),
    wordsOf: ({ cpuInfo }) =>
      new Map(
        cpuInfo === null
          ? []
          : [
              ...Object.entries({ ...cpuInfo, features: null }).flatMap(([name, value]): [string, string][] =>
                value === null ? [] : [[`cpuInfo.${name}`, shown(value)]],
              ),
              ...cpuInfo.features.map((flag): [string, string] => [`CPU flag ${flag}`, 'yes']),
            ],
      ),
  },
  listed(
    ({ supportedInstances }) => supportedInstances,
    ['arch', 'hvType', 'vmMode'],
    ({ arch, hvType, vmMode }) => [[`runs ${arch}/${hvType}/${vmMode}`, 'yes']],
  ),
  words('tunnels at cell', ({ tunneledCells }) => tunneledCells),
  words('leaves out', ({ omitted }) => omitted),
]
