import { createFitter } from '../../packages/scheduler-core/src/nova/hardware/search/fit-alike.ts'
import { type FitOptions, fitGuest } from '../../packages/scheduler-core/src/nova/hardware/search/fit-guest.ts'
import { aGuest, aGuestCell, aHost, aHostCell, numbers } from '../../packages/scheduler-core/src/nova/hardware/testing.ts'
import type { GuestTopology, HostTopology } from '../../packages/scheduler-core/src/nova/hardware/topology.ts'
import { measureInTurns } from '../measure.ts'
import type { Figure, Question } from '../question.ts'

interface Story {
  readonly host: HostTopology
  readonly guest: GuestTopology
  readonly options: FitOptions
}

const limits = { cpuAllocationRatio: 1, ramAllocationRatio: 1 }

const stories: Readonly<Record<string, (size: number) => Story>> = {
  'each guest cell fits on one host cell fewer than the cell before it, the last cell on none': (size) => ({
    host: aHost(...numbers(size).map((id) => aHostCell(id, { memory: 1000 + 10 * id }))),
    guest: aGuest(numbers(size).map((id) => aGuestCell(id, { memory: 1010 + 10 * id }))),
    options: { limits },
  }),
  'the last two guest cells fit only on the same cell': (size) => ({
    host: aHost(...numbers(size).map((id) => aHostCell(id, { memory: id === 0 ? 8192 : 4096 }))),
    guest: aGuest(numbers(size).map((id) => aGuestCell(id, { memory: id >= size - 2 ? 8000 - id : 512 + id }))),
    options: { limits },
  }),
  'equal pinned guest cells, one more than the host can hold': (size) => ({
    host: aHost(...numbers(size).map((id) => aHostCell(id, { pinnedCpus: id === size - 1 ? numbers(7, id * 8) : [] }))),
    guest: aGuest(numbers(size).map((id) => aGuestCell(id, { cpuPolicy: 'dedicated' }))),
    options: { limits },
  }),
  'half as many guest cells, and one device more than they can get': (size) => ({
    host: aHost(...numbers(size).map((id) => aHostCell(id))),
    guest: aGuest(numbers(size / 2).map((id) => aGuestCell(id, { memory: 512 + id }))),
    options: {
      limits,
      pci: {
        pools: numbers(size).map((cell) => ({ keys: { v: 'x', numa_node: cell }, count: 1 })),
        requests: [{ count: size / 2 + 1, spec: [{ v: 'x' }], numaPolicy: 'required' }],
      },
    },
  }),
  'half as many guest cells, two requests for the same devices': (size) => ({
    host: aHost(...numbers(size).map((id) => aHostCell(id))),
    guest: aGuest(numbers(size / 2).map((id) => aGuestCell(id, { memory: 512 + id }))),
    options: {
      limits,
      pci: {
        pools: numbers(size).map((cell) => ({ keys: { v: 'x', numa_node: cell }, count: 1 })),
        requests: [size / 4 + 1, size / 4].map((count) => ({ count, spec: [{ v: 'x' }], numaPolicy: 'required' })),
      },
    },
  }),
}

/** Measures guests that fit in no order of a host's cells: on equal hosts, on hosts that all differ, and on one large host. */
export const hostileNuma: Question = {
  name: 'hostile-numa',
  asks: "What does Nova's search for NUMA cells cost, with the reason for each host, if the guest fits in no order of the cells?",
  floor: 'the same search on hosts that are all equal',
  rounds: 1,
  async run({ hosts = 10_000, rounds }) {
    const figures: Figure[] = []
    for (const [name, make] of Object.entries(stories))
      for (const search of ['nova', 'pairs'] as const) {
        const alike = numbers(hosts).map(() => make(8))
        // No request reads sockets. The sockets only make hosts differ. Each host therefore needs a complete search.
        const different = alike.map(({ host, ...rest }, i) => ({
          ...rest,
          host: { cells: host.cells.map((cell) => ({ ...cell, socket: i })) },
        }))
        const fitAll = (many: readonly Story[]) => () => {
          const fitOn = createFitter((many[0] as Story).guest)
          for (const { host, options } of many) {
            const result = fitOn(host, { ...options, search })
            if (!result.ok) result.why()
          }
        }
        const samples = await measureInTurns(rounds, { alike: fitAll(alike), different: fitAll(different) })
        const { host, guest, options } = make(64)
        const { steps } = fitGuest(host, guest, { ...options, search })
        const what = `${name}, ${search}`
        figures.push(
          { what: `${what}; ${hosts} equal hosts`, unit: 'ms', median: samples.alike.median, p99: null, ratio: null },
          {
            what: `${what}; all different`,
            unit: 'ms',
            median: samples.different.median,
            p99: null,
            ratio: samples.different.median / samples.alike.median,
          },
          { what: `${what}; one host of 64 cells`, unit: 'steps', median: steps, p99: null, ratio: null },
        )
      }
    return figures
  },
}
