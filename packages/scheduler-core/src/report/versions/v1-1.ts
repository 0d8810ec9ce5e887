import { z } from 'zod'
import { limits } from '../../request/limits.ts'
import { keyValues } from '../../request/versions/v1-0.ts'
import { novaDocument } from '../../request/versions/v1-1.ts'
import { newerField, type Parsed, type Problem } from '../../text/problem.ts'
import { cellsOf, cpus, type HostStatsV1_0, list, name, numaCellFields, numaCellText, statsFields, unique, whole } from './v1-0.ts'

const pages = z
  .strictObject({
    sizeKib: z
      .number()
      .int()
      .min(1)
      .max(limits.memoryMib * 1_024)
      .meta({ description: 'Size of a page.', unit: 'KiB' }),
    total: whole(limits.amount).meta({ description: 'How many pages of this size the cell has.', unit: 'pages' }),
    used: whole(limits.amount)
      .nullable()
      .default(null)
      .meta({ description: 'Pages that running instances use; if null, the usage is computed from claims.', unit: 'pages' }),
    reserved: whole(limits.amount)
      .default(0)
      .meta({ description: 'Pages that are reserved for the host itself; at most `total`.', unit: 'pages' }),
  })
  .refine((given) => given.reserved <= given.total, { path: ['reserved'], error: 'must be at most the total' })
  .describe('Memory pages of one size.')

const numaCell = z
  .strictObject({
    ...numaCellFields,
    siblings: list(cpus, limits.cpus)
      .default([])
      .describe('CPUs of the cell that are threads of the same core, one list for each core. CPUs in no list are cores with one thread.'),
    pages: list(pages, 16)
      .refine(
        unique((given: { sizeKib: number }) => given.sizeKib),
        'must not list a page size twice',
      )
      .default([])
      .describe('Memory pages of the cell. Each size may occur once.'),
    dedicatedCpuset: cpus
      .nullable()
      .default(null)
      .describe('Host CPUs that can be dedicated to instances, from `cpuset` or in addition to it; null: any CPU in `cpuset`.'),
    socket: whole(limits.cpus).nullable().default(null).describe('The id of the socket that contains the cell.'),
    physicalNetworks: list(name).default([]).describe('Physical networks that are near to the cell.'),
  })
  .superRefine(({ cpuset, siblings, dedicatedCpuset, pinnedCpus }, context) => {
    const refuse = (field: string, found: unknown, message: string) =>
      context.addIssue({ code: 'custom', path: [field], input: found, message })
    const own = new Set([...cpuset, ...(dedicatedCpuset ?? [])])
    const threads = siblings.flat()
    if (new Set(cpuset).size !== cpuset.length) refuse('cpuset', cpuset, 'must not list a CPU twice')
    if (new Set(dedicatedCpuset).size !== (dedicatedCpuset ?? []).length)
      refuse('dedicatedCpuset', dedicatedCpuset, 'must not list a CPU twice')
    if (!(pinnedCpus ?? []).every((cpu) => own.has(cpu))) refuse('pinnedCpus', pinnedCpus, 'must be CPUs of the cell')
    if (!threads.every((cpu) => own.has(cpu))) refuse('siblings', siblings, 'must be CPUs of the cell')
    if (new Set(threads).size !== threads.length) refuse('siblings', siblings, 'must not list a CPU twice')
  })
  .describe(numaCellText)

const pciPool = z
  .strictObject({
    vendorId: name.describe("PCI vendor, four hexadecimal digits in Nova's reports."),
    productId: name.describe("PCI product, four hexadecimal digits in Nova's reports."),
    numaNode: whole(limits.cpus)
      .nullable()
      .default(null)
      .describe('The id of the NUMA cell that the devices are near to; null: not known.'),
    deviceType: name.nullable().default(null).describe('Type of the devices, e.g. type-PCI, type-PF or type-VF.'),
    tags: keyValues.default({}).describe('Further properties, e.g. physical_network.'),
    total: whole(limits.amount).meta({ description: 'How many devices the pool has.', unit: 'devices' }),
    used: whole(limits.amount)
      .nullable()
      .default(null)
      .meta({ description: 'Devices that running instances use; if null, the usage is computed from claims.', unit: 'devices' }),
  })
  .describe('Equal PCI devices of the host.')

/**
 * HostStats 1.1 adds threads, page sizes and sockets of cells, PCI devices, and the ComputeNode in Nova's form. It is the first version
 * with a field `version`.
 */
export const hostStatsV1_1 = z.strictObject({
  ...statsFields,
  version: z.literal('1.1').default('1.1').describe('Version of this form.'),
  numaCells: cellsOf(numaCell).default([]).describe('The NUMA cells of the host. No two cells may have the same id or share a CPU.'),
  tunneledCells: list(whole(limits.cpus), limits.numaCells)
    .default([])
    .describe('Ids of the NUMA cells that are near to tunnelled networks.'),
  pciPools: list(pciPool, limits.pciPools).default([]).describe('PCI devices of the host, with equal devices in one pool.'),
  nova: z
    .strictObject({
      computeNode: novaDocument.describe(
        'The ComputeNode, stored unchanged, because a missing key and a key with null have different meanings.',
      ),
      service: novaDocument.nullable().default(null).describe('The nova-compute service of the host.'),
      cellUuid: name.nullable().default(null).describe("Nova's cell, which is not a NUMA cell."),
      images: z
        .record(name, keyValues)
        .refine((images) => Object.keys(images).length <= limits.entries, `must hold at most ${limits.entries} instances`)
        .default({})
        .describe('The reported image properties of instances on the host, by UUID.'),
      flavors: keyValues.default({}).describe('The reported flavors (flavorid) of instances on the host, by UUID.'),
    })
    .nullable()
    .default(null)
    .describe(
      "The host in Nova's form, if it was reported in that form. Nova's rules read this field. The other fields are derived from it.",
    ),
})

export type HostStatsV1_1 = z.output<typeof hostStatsV1_1>

/** Converts a report of 1.0 to 1.1. The fields that 1.1 added get their defaults. */
export function upgradeFrom1_0(stats: HostStatsV1_0): HostStatsV1_1 {
  return {
    ...stats,
    version: '1.1',
    numaCells: stats.numaCells.map((cell) => ({
      ...cell,
      siblings: [],
      pages: [],
      dedicatedCpuset: null,
      socket: null,
      physicalNetworks: [],
    })),
    tunneledCells: [],
    pciPools: [],
    nova: null,
  }
}

/** Converts a report of 1.1 to 1.0, or returns a problem for each field that 1.0 cannot express. */
export function downgradeTo1_0(stats: HostStatsV1_1): Parsed<HostStatsV1_0> {
  const { version: _, numaCells, tunneledCells, pciPools, nova, ...rest } = stats
  const problems: Problem[] = []
  const mustBe = (isSo: boolean, path: readonly string[], found: unknown, expected: string): void => {
    if (!isSo) problems.push(newerField('stats', '1.0', path, found, expected))
  }
  mustBe(tunneledCells.length === 0, ['tunneledCells'], tunneledCells, 'an empty list')
  mustBe(pciPools.length === 0, ['pciPools'], pciPools, 'an empty list')
  mustBe(nova === null, ['nova'], nova, 'null')
  const cells = numaCells.map(({ siblings, pages: sizes, dedicatedCpuset, socket, physicalNetworks, ...cell }, i) => {
    const at = ['numaCells', String(i)]
    mustBe(siblings.length === 0, [...at, 'siblings'], siblings, 'an empty list')
    mustBe(sizes.length === 0, [...at, 'pages'], sizes, 'an empty list')
    mustBe(dedicatedCpuset === null, [...at, 'dedicatedCpuset'], dedicatedCpuset, 'null')
    mustBe(socket === null, [...at, 'socket'], socket, 'null')
    mustBe(physicalNetworks.length === 0, [...at, 'physicalNetworks'], physicalNetworks, 'an empty list')
    return cell
  })
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: { ...rest, numaCells: cells } }
}
