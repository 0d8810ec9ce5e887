import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { draws } from '../../../../../testing/extent.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import { causeText } from '../cause-text.ts'
import { shortfallsOf, shortfallsText } from '../shortfalls.ts'
import { causeIn, foundOf, profiles } from '../testing/drawn.ts'

interface Cell {
  readonly cpus: number
  readonly gib: number
  readonly gpus: number
  readonly devices: number
}

const hostOf = (cells: readonly Cell[]): HostShape => ({
  ...{ vcpus: 512, memoryMb: 1_048_576 },
  numaCells: cells.map(({ cpus, gib }, id) => ({
    ...{ id, memoryMb: gib * 1_024 },
    cpuset: Array.from({ length: cpus }, (_, cpu) => 100 * id + cpu),
  })),
  gpus: cells.flatMap(({ gpus }, numaNode) => Array.from({ length: gpus }, (_, i) => ({ index: 100 * numaNode + i, numaNode }))),
  pciPools: cells.map(({ devices }, numaNode) => ({ vendorId: 'v', productId: 'p', numaNode, total: devices })),
})

const fleetWith = (cells: readonly Cell[]) => {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h0', hostOf(cells))])
  return log.fleet
}

type Asks = Parameters<typeof aRequest>[0]

interface Guest {
  readonly cpus: number
  readonly gib: number
  readonly isDedicated: boolean
}

const guestOf = ({ cpus, gib, isDedicated }: Guest): Asks => ({
  flavor: { vcpus: cpus, memoryMb: gib * 1_024 },
  numaTopology: {
    cells: [
      {
        ...{ id: 0, memoryMb: gib * 1_024, cpuPolicy: isDedicated ? 'dedicated' : 'shared' },
        cpus: Array.from({ length: cpus }, (_, cpu) => cpu),
      },
    ],
  },
})

const members = (numInstances: number, guest: Guest, devices: Asks) =>
  aRequest({ ...guestOf(guest), ...devices, numInstances, instanceGroup: { uuid: aUuid(9), policy: 'AFFINITY' } })

const gpus = (count: number): Asks => ({ gpus: { count, numaPolicy: 'required' } })
const pci = (count: number): Asks => ({ pciRequests: [{ count, specs: [{ vendor_id: 'v' }], numaPolicy: 'required' }] })

describe('A9: if members with devices near their cells must share a host, the shortfalls of the nearest host are for the members that do not fit', () => {
  const small = { cpus: 2, gib: 1, isDedicated: false }
  test.each<readonly [string, readonly Cell[], Parameters<typeof members>, string]>([
    [
      'GPUs near a cell, while other GPUs are near another cell',
      [
        { cpus: 8, gib: 8, gpus: 1, devices: 0 },
        { cpus: 8, gib: 8, gpus: 3, devices: 0 },
      ],
      [2, small, gpus(2)],
      'h0: 2 GPUs needed by one more instance near cell 0 of the host, 1 free there; elsewhere 1 at cell 1.',
    ],
    [
      'PCI devices',
      [
        { cpus: 8, gib: 8, gpus: 0, devices: 1 },
        { cpus: 8, gib: 8, gpus: 0, devices: 4 },
      ],
      [4, small, pci(2)],
      'PCI request 0 (vendor v): 4 devices needed by 2 more instances near cell 0 of the host, 1 free there.',
    ],
    [
      'CPUs of the cell where the GPUs are',
      [
        { cpus: 8, gib: 8, gpus: 0, devices: 0 },
        { cpus: 8, gib: 8, gpus: 4, devices: 0 },
      ],
      [2, { cpus: 6, gib: 1, isDedicated: false }, gpus(2)],
      'h0: cell 0 of one more instance on cell 1 of the host: 6 CPUs needed, 2 here.',
    ],
    [
      'C9: CPUs if no member has room, with nothing about another cell',
      [
        { cpus: 8, gib: 8, gpus: 0, devices: 0 },
        { cpus: 2, gib: 8, gpus: 2, devices: 0 },
      ],
      [2, { cpus: 4, gib: 1, isDedicated: true }, gpus(1)],
      'h0: cell 0 of 2 instances on cell 1 of the host: 4 CPUs needed, 2 in total; 8 CPUs needed, 2 here.',
    ],
    [
      'C9: devices if no member has room',
      [{ cpus: 8, gib: 8, gpus: 1, devices: 0 }],
      [2, small, gpus(2)],
      'h0: 4 GPUs needed; the host has 1 in total. 4 GPUs needed by 2 instances near cell 0 of the host, 1 free there.',
    ],
    [
      'C8: GPUs and PCI devices',
      [
        { cpus: 8, gib: 8, gpus: 2, devices: 2 },
        { cpus: 8, gib: 8, gpus: 1, devices: 1 },
      ],
      [3, { cpus: 2, gib: 1, isDedicated: true }, { ...gpus(1), ...pci(2) }],
      'h0: PCI request 0 (vendor v): 4 devices needed by 2 more instances near cell 1 of the host, 1 free there. ' +
        'GPU near cell 1 of the host: 2 GPUs needed, 1 free there. PCI request 0 (vendor v): 6 devices needed, 3 free.',
    ],
  ])('%s', (_name, cells, asked, text) => {
    for (const profile of profiles) expect(causeText(causeIn(fleetWith(cells), members(...asked), profile))).toContain(text)
  })
})

test('C8: for one guest, the cause names both kinds of devices that are missing near its cells, and with these devices the guest fits', () => {
  const near = { cpus: 8, gib: 8, gpus: 1, devices: 1 }
  const far = { cpus: 1, gib: 8, gpus: 1, devices: 1 }
  const request = aRequest({ ...guestOf({ cpus: 2, gib: 1, isDedicated: true }), ...gpus(2), ...pci(2) })
  for (const profile of profiles) {
    const text = causeText(causeIn(fleetWith([near, far]), request, profile))
    expect(text).toContain("2 devices needed near the guest's NUMA cells, 1 free there; elsewhere 1 at cell 1.")
    expect(text).toContain("2 GPUs needed, 1 near the guest's cells.")
    expect(foundOf(fleetWith([{ ...near, gpus: 2, devices: 2 }, far]), request, profile)).toBe(1)
  }
})

/** The cells of the host, enlarged by exactly the named shortfalls. */
function mended(cells: readonly Cell[], shortfalls: ReturnType<typeof shortfallsOf>): readonly Cell[] {
  return cells.map((cell, id) => {
    const missing = (isOf: (subject: string, unit: string | undefined) => boolean): number =>
      Math.max(
        0,
        ...shortfalls.filter(({ subject, unit }) => isOf(subject, unit)).map(({ required, actual }) => Number(required) - Number(actual)),
      )
    const isNear = (subject: string) => subject.endsWith(` near cell ${id} of the host`)
    const isHere = (subject: string) => subject.includes(` on cell ${id} of the host`)
    return {
      cpus: cell.cpus + missing((subject, unit) => isHere(subject) && unit !== 'MiB'),
      gib: cell.gib + Math.ceil(missing((subject, unit) => isHere(subject) && unit === 'MiB') / 1_024),
      gpus: cell.gpus + missing((subject, unit) => isNear(subject) && unit === 'GPUs'),
      devices: cell.devices + missing((subject, unit) => isNear(subject) && unit === 'devices'),
    }
  })
}

test('law: if exactly the named shortfalls are added to the host, all members fit, and finding the cause leaves the fleet unchanged', () => {
  const kinds = new Set<string>()
  const cell = fc.record({
    cpus: fc.nat({ max: 6 }),
    gib: fc.integer({ min: 1, max: 6 }),
    gpus: fc.nat({ max: 4 }),
    devices: fc.nat({ max: 4 }),
  })
  const guest = fc.record({ cpus: fc.integer({ min: 1, max: 3 }), gib: fc.integer({ min: 1, max: 3 }), isDedicated: fc.boolean() })
  const some = fc.integer({ min: 1, max: 3 })
  const both = fc.tuple(some, some).map(([ofGpus, ofPci]) => ({ ...gpus(ofGpus), ...pci(ofPci) }))
  const devices = fc.oneof(some.map(gpus), some.map(pci), both)
  fc.assert(
    fc.property(
      fc.array(cell, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 2, max: 4 }),
      guest,
      devices,
      fc.constantFrom(...profiles),
      (cells, count, drawn, asks, profile) => {
        const request = members(count, drawn, asks)
        const fleet = fleetWith(cells)
        const before = JSON.stringify(fleet.hosts.get(fleet.hosts.presentIndexes[0] as never))
        fc.pre(foundOf(fleet, request, profile) < count)
        const { nearest, onOneHost, admitted } = causeIn(fleet, request, profile)
        fc.pre(nearest !== null && onOneHost !== null && admitted > 0)
        if (nearest === null) return
        expect(JSON.stringify(fleet.hosts.get(fleet.hosts.presentIndexes[0] as never))).toBe(before)
        const shortfalls = shortfallsOf(nearest)
        const text = shortfallsText(shortfalls)
        expect(text).not.toContain('do not have enough free resources')
        for (const { reason } of nearest.refusals) kinds.add(reason.code)
        // the devices that are added near the cells also resolve the shortfall of devices in total
        const better = mended(cells, shortfalls)
        expect([text, foundOf(fleetWith(better), request, profile)]).toEqual([text, count])
      },
    ),
    draws(400, 400, 5_000),
  )
  expect([...kinds]).toEqual(expect.arrayContaining(['gpu.numa', 'pci.numa', 'numa.cpus']))
})
