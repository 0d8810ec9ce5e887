/**
 * What a hostile NUMA request costs: guests that no order of a host's cells suits, on one host of 8 to 64 cells, and on
 * 10,000 hosts of 8 with the reason for each: hosts that are all alike, and hosts that are no two alike. Time is the processor's, so that what else runs does not count. Run:
 * npx esbuild packages/scheduler-core/bench/hostile-numa.ts --bundle --format=esm | node --input-type=module -
 */
import { createFitter } from '../src/nova/hardware/fit-alike.ts'
import { type FitOptions, fitGuest } from '../src/nova/hardware/fit-guest.ts'
import { aGuest, aGuestCell, aHost, aHostCell, numbers } from '../src/nova/hardware/testing.ts'
import type { GuestTopology, HostTopology } from '../src/nova/hardware/topology.ts'

interface Story {
  readonly host: HostTopology
  readonly guest: GuestTopology
  readonly options: FitOptions
}

const limits = { cpuAllocationRatio: 1, ramAllocationRatio: 1 }

const stories: Readonly<Record<string, (size: number) => Story>> = {
  'each cell fits one place less, the last none': (size) => ({
    host: aHost(...numbers(size).map((id) => aHostCell(id, { memory: 1000 + 10 * id }))),
    guest: aGuest(numbers(size).map((id) => aGuestCell(id, { memory: 1010 + 10 * id }))),
    options: { limits },
  }),
  'the last two want the same cell': (size) => ({
    host: aHost(...numbers(size).map((id) => aHostCell(id, { memory: id === 0 ? 8192 : 4096 }))),
    guest: aGuest(numbers(size).map((id) => aGuestCell(id, { memory: id >= size - 2 ? 8000 - id : 512 + id }))),
    options: { limits },
  }),
  'alike and pinned, one cell of the host short': (size) => ({
    host: aHost(...numbers(size).map((id) => aHostCell(id, { pinnedCpus: id === size - 1 ? numbers(7, id * 8) : [] }))),
    guest: aGuest(numbers(size).map((id) => aGuestCell(id, { cpuPolicy: 'dedicated' }))),
    options: { limits },
  }),
  'half the cells, and one device more than they can have': (size) => ({
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
  'half the cells, two requests that want the same devices': (size) => ({
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

/** Milliseconds of the processor that a run takes. */
function cpuMs(run: () => void): number {
  const from = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
}

for (const [name, make] of Object.entries(stories)) {
  for (const search of ['nova', 'pairs'] as const) {
    const costOf = (many: readonly Story[]): string => {
      const fitAll = () => {
        const fitOn = createFitter((many[0] as Story).guest)
        for (const { host, options } of many) {
          const result = fitOn(host, { ...options, search })
          if (!result.ok) result.why()
        }
      }
      fitAll()
      return cpuMs(fitAll).toFixed(0)
    }
    const alike = numbers(10_000).map(() => make(8))
    // no request looks at sockets, so every host takes its whole search
    const different = alike.map(({ host, ...rest }, i) => ({
      ...rest,
      host: { cells: host.cells.map((cell) => ({ ...cell, socket: i })) },
    }))
    const all = `${costOf(alike)} ms, no two alike ${costOf(different)}`
    const single = [8, 16, 32, 64].map((size) => {
      const { host, guest, options } = make(size)
      let steps = 0
      const ms = cpuMs(() => {
        steps = fitGuest(host, guest, { ...options, search }).steps
      })
      return `${size} cells ${ms.toFixed(1)} ms (${steps} steps)`
    })
    console.log(`${name}, ${search}: 10,000 hosts of 8 cells ${all} ms; one host of ${single.join(', ')}`)
  }
}
