import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { guestTopologyFor } from '../nova/hardware/wishes/guest-topology.ts'
import { aRequest } from '../testing/index.ts'
import { wrongTopology } from './guest-topology.ts'

type Cells = NonNullable<NonNullable<Parameters<typeof aRequest>[0]>['numaTopology']>['cells']

/** The problems of a guest's topology, each as a text with its path and rule. */
const problemsOf = (flavor: { readonly vcpus: number; readonly memoryMb: number }, cells: Cells): string[] =>
  wrongTopology(aRequest({ ...flavor, numaTopology: { cells } })).map(({ path, rule }) => `${path.join('.')}: it must ${rule}`)

const four = { vcpus: 4, memoryMb: 4_096 }

describe('settings that need dedicated CPUs are refused if the guest has no dedicated CPUs', () => {
  type Topology = NonNullable<NonNullable<Parameters<typeof aRequest>[0]>['numaTopology']>
  const cell = { id: 0, cpus: [0, 1, 2, 3], memoryMb: 4_096 }
  const two = [
    { id: 0, cpus: [0, 1], memoryMb: 2_048, cpuThreadPolicy: 'isolate' as const },
    { id: 1, cpus: [2, 3], memoryMb: 2_048, cpuPolicy: 'dedicated' as const, cpuThreadPolicy: 'isolate' as const },
  ]
  test.each<[string, Topology, readonly string[]]>([
    [
      'CPUThreadPolicyConfigurationInvalid: a thread policy',
      { cells: [{ ...cell, cpuThreadPolicy: 'prefer' }] },
      ['cells.0.cpuThreadPolicy'],
    ],
    [
      'BadRequirementEmulatorThreadsPolicy: isolated emulator threads',
      { cells: [cell], emulatorThreadsPolicy: 'isolate' },
      ['emulatorThreadsPolicy'],
    ],
    ['emulator threads on shared CPUs are accepted, as by Nova', { cells: [cell], emulatorThreadsPolicy: 'share' }, []],
    [
      'both settings are accepted in a guest with dedicated CPUs',
      { cells: [{ ...cell, cpuPolicy: 'dedicated', cpuThreadPolicy: 'require' }], emulatorThreadsPolicy: 'isolate' },
      [],
    ],
    [
      'both settings are accepted in a guest with the CPU policy mixed',
      { cells: [{ ...cell, cpuPolicy: 'mixed', dedicatedCpus: [0], cpuThreadPolicy: 'prefer' }], emulatorThreadsPolicy: 'isolate' },
      [],
    ],
    ['a thread policy is accepted if another cell has dedicated CPUs', { cells: two }, []],
  ])('%s', (_situation, numaTopology, paths) => {
    expect(wrongTopology(aRequest({ ...four, numaTopology })).map(({ path }) => path.join('.'))).toEqual(paths)
  })
})

describe('a topology that contradicts its flavor or itself is reported with its path', () => {
  test.each<[name: string, flavor: { vcpus: number; memoryMb: number }, cells: Cells, expected: string[]]>([
    [
      'B11b: 2 vCPUs in the flavor, a dedicated cell of 8',
      { vcpus: 2, memoryMb: 1_000 },
      [{ id: 0, cpus: [0, 1, 2, 3, 4, 5, 6, 7], memoryMb: 8_000, cpuPolicy: 'dedicated' }],
      [
        'cells.0.cpus: it must list only CPUs of the flavor, which has 2, numbered from 0: there is no CPU 2',
        'cells: it must have 1000 MiB of memory in total, like the flavor; the cells have 8000 MiB',
      ],
    ],
    [
      'B11b: a CPU that is named several times',
      { vcpus: 2, memoryMb: 1_000 },
      [{ id: 0, cpus: [0, 0, 0, 1], memoryMb: 1_000 }],
      ['cells.0.cpus: it must name each CPU once: CPU 0 is named twice'],
    ],
    [
      'ImageNUMATopologyCPUDuplicates: a CPU in two cells',
      four,
      [
        { id: 0, cpus: [0, 1], memoryMb: 2_048 },
        { id: 1, cpus: [1, 2, 3], memoryMb: 2_048 },
      ],
      ['cells.1.cpus: it must hold CPUs of its own: CPU 1 is in cells.0 too'],
    ],
    [
      'ImageNUMATopologyCPUOutOfRange: a CPU beyond those of the flavor',
      four,
      [{ id: 0, cpus: [0, 1, 2, 3, 4], memoryMb: 4_096 }],
      ['cells.0.cpus: it must list only CPUs of the flavor, which has 4, numbered from 0: there is no CPU 4'],
    ],
    [
      'ImageNUMATopologyCPUsUnassigned: a CPU that is in no cell',
      four,
      [
        { id: 0, cpus: [0, 1], memoryMb: 2_048 },
        { id: 1, cpus: [3], memoryMb: 2_048 },
      ],
      ['cells: it must have each of the 4 CPUs of the flavor in a cell: CPU 2 is in none'],
    ],
    [
      'ImageNUMATopologyMemoryOutOfRange: less memory than the flavor has',
      four,
      [{ id: 0, cpus: [0, 1, 2, 3], memoryMb: 4_095 }],
      ['cells: it must have 4096 MiB of memory in total, like the flavor; the cells have 4095 MiB'],
    ],
    [
      'CPUs that are numbered from 1',
      { vcpus: 2, memoryMb: 1_024 },
      [{ id: 0, cpus: [1, 2], memoryMb: 1_024 }],
      [
        'cells.0.cpus: it must list only CPUs of the flavor, which has 2, numbered from 0: there is no CPU 2',
        'cells: it must have each of the 2 CPUs of the flavor in a cell: CPU 0 is in none',
      ],
    ],
    [
      'uneven cells that divide the flavor are valid, in any order',
      four,
      [
        { id: 1, cpus: [3], memoryMb: 1_024 },
        { id: 0, cpus: [2, 0, 1], memoryMb: 3_072, cpuPolicy: 'mixed', dedicatedCpus: [2] },
      ],
      [],
    ],
  ])('%s', (_name, flavor, cells, expected) => {
    expect(problemsOf(flavor, cells)).toEqual(expected)
  })

  test('law: the topology that Nova makes from a flavor is valid, and invalid after a change of one CPU or one MiB', () => {
    const drawn = fc.record({
      nodes: fc.integer({ min: 1, max: 8 }),
      cpus: fc.integer({ min: 1, max: 6 }),
      mib: fc.integer({ min: 1, max: 64 }),
    })
    fc.assert(
      fc.property(drawn, fc.nat(), ({ nodes, cpus, mib }, at) => {
        const flavor = { vcpus: nodes * cpus, memoryMib: nodes * mib, extraSpecs: { 'hw:numa_nodes': String(nodes) } }
        const made = guestTopologyFor(flavor, {})
        const cells = (made?.cells ?? []).map(({ id, cpuset, memory }) => ({ id, cpus: [...cpuset], memoryMb: memory }))
        const size = { vcpus: flavor.vcpus, memoryMb: flavor.memoryMib }
        expect(cells).toHaveLength(nodes)
        expect(problemsOf(size, cells)).toEqual([])
        const i = at % nodes
        const other = (change: Partial<Cells[number]>) => cells.map((cell, index) => (index === i ? { ...cell, ...change } : cell))
        const own = cells[i]?.cpus ?? []
        expect(problemsOf(size, other({ memoryMb: mib + 1 }))).not.toEqual([])
        expect(problemsOf(size, other({ cpus: [...own, own[0] ?? 0] }))).not.toEqual([])
        expect(problemsOf(size, other({ cpus: [...own.slice(1), size.vcpus] }))).not.toEqual([])
        if (nodes > 1) expect(problemsOf(size, other({ cpus: [...own.slice(1), cells[(i + 1) % nodes]?.cpus[0] ?? 0] }))).not.toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})
