import { restated } from '../../../contracts/restated.ts'
import type { NumaCellRequest, RequestSpec } from '../../../request/request-spec.ts'
import { withoutKeys } from '../change-request.ts'
import type { ProposedChange } from './remedy.ts'
import { eachOf, type Wish } from './wishes.ts'

const WHOLE = 'numaTopology'

/**
 * A requirement on the guest's NUMA topology: its name, the keys of extra specs and image properties from which Nova derives it, its value
 * as text, and a function that drops it from the request.
 */
interface TopologyWish {
  readonly name: string
  readonly keys: RegExp
  said(request: RequestSpec): string
  without(request: RequestSpec): RequestSpec
}

const cellsOf = ({ numaTopology }: RequestSpec): readonly NumaCellRequest[] => numaTopology?.cells ?? []

const withCells = (request: RequestSpec, parts: Partial<NumaCellRequest>): RequestSpec =>
  restated(request, {
    numaTopology: request.numaTopology && {
      ...request.numaTopology,
      cells: request.numaTopology.cells.map((cell) => ({ ...cell, ...parts })),
    },
  })

/** The different values that the guest's cells have for a field, as text. Null and the usual value are left out. */
const saidOf = (request: RequestSpec, field: 'pageSize' | 'cpuPolicy' | 'cpuThreadPolicy', usual: string | null): string =>
  [...new Set(cellsOf(request).flatMap((cell) => (cell[field] === null || cell[field] === usual ? [] : [String(cell[field])])))].join(', ')

const whole: TopologyWish = {
  name: WHOLE,
  keys: /^hw[:_](numa_|cpu_policy|cpu_thread_policy|cpu_dedicated_mask|mem_page_size|emulator_threads_policy|pci_numa)/,
  said: (request) => {
    const count = request.numaTopology?.cells.length ?? Number(request.flavor.extraSpecs['hw:numa_nodes'] ?? 1)
    return `${count} ${count === 1 ? 'cell' : 'cells'}`
  },
  // the NUMA policy of GPUs is dropped too, because there are no cells to be near
  without: (request) => restated(request, { numaTopology: null, gpus: request.gpus && { ...request.gpus, numaPolicy: null } }),
}

/**
 * The requirements on a topology. A requirement comes after the requirements that depend on it, so the whole topology is last. The search
 * first tries to keep the last requirement, and therefore proposes to drop the whole topology only if nothing else suffices.
 */
const topologyWishes: readonly TopologyWish[] = [
  {
    name: 'emulator threads policy',
    keys: /^hw[:_]emulator_threads_policy/,
    said: ({ numaTopology }) => numaTopology?.emulatorThreadsPolicy ?? '',
    without: (request) =>
      restated(request, { numaTopology: request.numaTopology && { ...request.numaTopology, emulatorThreadsPolicy: null } }),
  },
  {
    name: 'CPU thread policy',
    keys: /^hw[:_]cpu_thread_policy/,
    said: (request) => saidOf(request, 'cpuThreadPolicy', null),
    without: (request) => withCells(request, { cpuThreadPolicy: null }),
  },
  {
    name: 'page size',
    keys: /^hw[:_]mem_page_size/,
    said: (request) => saidOf(request, 'pageSize', null).replace(/\d+/g, '$& KiB'),
    without: (request) => withCells(request, { pageSize: null }),
  },
  {
    name: 'CPU policy',
    // the thread policy and the emulator threads policy are dropped too, because they apply only to dedicated CPUs
    keys: /^hw[:_](cpu_policy|cpu_dedicated_mask|cpu_thread_policy|emulator_threads_policy)/,
    said: (request) => saidOf(request, 'cpuPolicy', 'shared'),
    without: (request) => {
      const shared = withCells(request, { cpuPolicy: 'shared', dedicatedCpus: [], cpuThreadPolicy: null })
      return restated(shared, { numaTopology: shared.numaTopology && { ...shared.numaTopology, emulatorThreadsPolicy: null } })
    },
  },
  whole,
]

/** Proposes to drop each requirement on the topology, including the topology itself, separately and together. */
export const lessTopology = (request: RequestSpec): ProposedChange[] => without(request, topologyWishes)

/** Proposes to drop each requirement on the topology separately and together, but never the topology itself. */
export const lessOfCells = (request: RequestSpec): ProposedChange[] =>
  without(
    request,
    topologyWishes.filter((wish) => wish !== whole),
  )

function without(request: RequestSpec, those: readonly TopologyWish[]): ProposedChange[] {
  const wishes = those.flatMap((wish): Wish[] => {
    const text = wish.said(request)
    if (text === '') return []
    const isWhole = wish.name === WHOLE
    return [
      {
        path: isWhole ? WHOLE : `${WHOLE}.${wish.name}`,
        said: isWhole ? text : `${wish.name} ${text}`,
        without: (one) => withoutKeys(wish.without(one), wish.keys),
        ...(isWhole && request.gpus?.numaPolicy != null && { with: ['gpus.numaPolicy'] }),
      },
    ]
  })
  return eachOf(
    wishes,
    (paths) =>
      paths.includes(WHOLE)
        ? { subject: 'NUMA topology', from: whole.said(request), to: 'none' }
        : {
            subject: `NUMA topology, ${paths.map((path) => path.slice(WHOLE.length + 1)).join(', ')}`,
            // if a single requirement is dropped, the subject already names it, so `from` is only its value
            ...(paths.length === 1 && { from: those.find(({ name }) => paths[0] === `${WHOLE}.${name}`)?.said(request) ?? '' }),
            to: 'not asked',
          },
    5,
  )
}
