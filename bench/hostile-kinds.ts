import type { Fleet } from '../packages/scheduler-core/src/fleet/fleet.ts'
import { allKinds } from '../packages/scheduler-core/src/kinds/index.ts'
import { aFleet, aRequest, type HostShape } from '../packages/scheduler-core/src/testing/index.ts'
import type { HostIndex } from '../packages/scheduler-core/src/values/host-index.ts'
import { hash32 } from '../packages/scheduler-core/src/values/random.ts'
import { measureInTurns } from './measure.ts'
import type { Figure, Question } from './question.ts'

type Request = NonNullable<Parameters<typeof aRequest>[0]>
type Cell = NonNullable<Request['numaTopology']>['cells'][number]

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** A host with this many NUMA cells. Each cell has eight CPUs on four cores, huge pages and devices, and every two cells share a socket. */
function aHost(size: number, number: number): HostShape {
  return {
    vcpus: 512,
    numaCells: numbers(size).map((id) => {
      const cpuset = numbers(8).map((cpu) => id * 8 + cpu)
      return {
        id,
        cpuset,
        memoryMb: 4_096,
        memoryUsageMb: (number * 7 + id * 13) % 97,
        pinnedCpus: cpuset.filter((cpu) => (cpu * 31 + number) % 11 === 0),
        siblings: [0, 2, 4, 6].map((thread) => [cpuset[thread], cpuset[thread + 1]] as number[]),
        pages: [
          { sizeKib: 4, total: 1_048_576, used: 0 },
          { sizeKib: 2_048, total: 1_024, used: (number + id) % 5 },
        ],
        socket: id >> 1,
      }
    }),
    pciPools: numbers(size).flatMap((numaNode) => {
      const odds = 2 * (1 + (hash32(`${number} ${numaNode}`) % 13))
      const totals = { a: 2 + ((number + numaNode) % 3), b: 2 + ((number + numaNode) % 3), c: odds, d: 28 - odds }
      return Object.entries(totals).map(([productId, total]) => ({ vendorId: 'v', productId, numaNode, total }))
    }),
  }
}

const cell = (id: number, more: Partial<Cell> = {}): Cell => ({ id, cpus: [0], memoryMb: 1_024 + id, ...more })
const device = (productId: string, count: number, numaPolicy: 'required' | 'socket' | 'legacy' = 'required') => ({
  count,
  numaPolicy,
  specs: [{ vendor_id: 'v', product_id: productId }],
})

const stories: Readonly<Record<string, (size: number) => Request>> = {
  'each guest cell fits on one host cell fewer, the last on none': (size) => ({
    numaTopology: { cells: numbers(size).map((id) => cell(id, { memoryMb: 4_000 + Math.floor((id * 97) / size) + 4 })) },
  }),
  'the last two guest cells fit only on the same cell': (size) => ({
    numaTopology: { cells: numbers(size).map((id) => cell(id, { memoryMb: id >= size - 2 ? 4_094 : 512 + id })) },
  }),
  'isolated cores, a different number for each cell, with pages': (size) => ({
    numaTopology: {
      emulatorThreadsPolicy: 'isolate',
      cells: numbers(size).map((id) =>
        cell(id, {
          cpus: numbers(2 + (id % 3)),
          cpuPolicy: 'dedicated',
          cpuThreadPolicy: id % 2 === 0 ? 'isolate' : 'require',
          memoryMb: 1_024 + 2 * id,
          pageSize: 'large',
        }),
      ),
    },
  }),
  'half as many guest cells, and more devices than are near them': (size) => ({
    numaTopology: { cells: numbers(size / 2).map((id) => cell(id)) },
    pciRequests: [device('a', size * 2), device('b', size * 2)],
  }),
  'half as many guest cells, and devices that are near only some choices': (size) => ({
    numaTopology: { cells: numbers(size / 2).map((id) => cell(id)) },
    pciRequests: [device('a', Math.floor(size * 1.35)), device('b', Math.floor(size * 1.6))],
  }),
  'half as many guest cells, devices by socket and by cell that exclude each other': (size) => ({
    numaTopology: { cells: numbers(size / 2).map((id) => cell(id, { memoryMb: 4_000 + id * 10 })) },
    pciRequests: [device('a', size, 'socket'), device('b', Math.floor(size * 1.5)), device('a', size)],
  }),
  // Each cell has 28 devices of the kinds c and d, an even count of each. The requested counts are odd, so no choice of cells has both.
  'half as many guest cells, and devices of two kinds that no choice has together': (size) => ({
    numaTopology: { cells: numbers(size / 2).map((id) => cell(id)) },
    pciRequests: [device('c', 7 * size + 1), device('d', 7 * size - 1)],
  }),
  '64 requests for the same devices': (size) => ({
    numaTopology: { cells: numbers(size / 2).map((id) => cell(id)) },
    pciRequests: numbers(64).map((i) => ({ ...device(i % 2 === 0 ? 'a' : 'b', 1, 'legacy'), alias: `r${i}` })),
  }),
}

/** Measures requests for guests and devices that nearly fit, on hosts that all differ, including the reason for each refused host. */
export const hostileKinds: Question = {
  name: 'hostile-kinds',
  asks: 'What does a worst-case request for NUMA cells and PCI devices cost on hosts with 8 and 16 cells?',
  floor: 'a request for one plain cell on the same hosts',
  rounds: 2,
  async run({ hosts = 10_000, rounds }) {
    const figures: Figure[] = []
    for (const size of [8, 16]) {
      const fleet = aFleet(Object.fromEntries(numbers(hosts).map((number) => [`h${number}`, aHost(size, number)])))
      const plain = prepareAsking(fleet, { numaTopology: { cells: [cell(0)] } })
      for (const [name, make] of Object.entries(stories)) {
        const { decide, explain } = prepareAsking(fleet, make(size))
        const { floor, deciding, explaining } = await measureInTurns(rounds, { floor: plain.decide, deciding: decide, explaining: explain })
        const figure = (what: string, { median }: { readonly median: number }, ratio: number | null): Figure => ({
          what: `${size} cells, ${name}; ${what}`,
          unit: 'ms',
          median,
          p99: null,
          ratio,
        })
        figures.push(
          figure('one plain cell', floor, null),
          figure('deciding', deciding, deciding.median / floor.median),
          figure('reasons', explaining, explaining.median / floor.median),
        )
      }
    }
    return figures
  },
}

/** Returns two functions: `decide` checks all hosts, and `explain` finds the reason for each host that `decide` refused. */
function prepareAsking(fleet: Fleet, shape: Request) {
  const request = aRequest(shape)
  let refused: [(typeof allKinds)[number], unknown, HostIndex][] = []
  return {
    decide() {
      const asks = allKinds.map((kind) => [kind, kind.ask(request)] as const).filter(([, ask]) => ask !== undefined)
      const can = asks.map(
        ([kind, ask]) => kind.prepareCanGive?.(fleet.hosts, ask) ?? ((host: HostIndex) => kind.canGive(fleet.hosts, host, ask)),
      )
      refused = []
      for (let host = 0 as HostIndex; host < fleet.hosts.count; host = (host + 1) as HostIndex) {
        const first = can.findIndex((gives) => !gives(host))
        if (first >= 0) refused.push([...(asks[first] as (typeof asks)[number]), host])
      }
    },
    explain() {
      for (const [kind, ask, host] of refused) kind.reason(fleet.hosts, host, ask)
    },
  }
}
