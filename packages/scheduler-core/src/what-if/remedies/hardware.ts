import type { Claim } from '../../claims/claim.ts'
import type { HostRecord } from '../../fleet/hosts.ts'
import { type GpuWish, modelFits } from '../../kinds/gpu/device.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { restated, withoutExtraSpecs } from '../change-request.ts'
import { anotherHost } from './another-host.ts'
import { endingClaims, type HeldRoom, waitsOn } from './ending-claims.ts'
import { moreCells, smallerCells } from './guest-cells.ts'
import type { ProposedChange, Refusal, Remedy } from './remedy.ts'
import { asked } from './wishes.ts'

/** The guest's cells do not fit: ask less of them, or none. */
export const numaRemedy: Remedy = {
  name: 'numa',
  codes: [
    'numa.not_reported',
    'numa.cells',
    'numa.memory',
    'numa.too_little_memory',
    'numa.huge_pages',
    'numa.pinned_memory',
    'numa.too_few_cpus',
    'numa.cpus',
    'numa.dedicated_cpus',
    'numa.no_cell',
    'numa.no_match',
    'numa.no_threads',
    'numa.page_size',
    'numa.pages',
    'numa.page_multiple',
    'numa.threads',
    'numa.networks',
    'numa.missed',
    'numa.search_limit',
  ],
  propose(refusal) {
    const { numaTopology, flavor } = refusal.request
    const cells = numaTopology?.cells.length ?? Number(flavor.extraSpecs['hw:numa_nodes'] ?? 1)
    return [
      ...smallerCells(refusal),
      ...moreCells(refusal),
      ...waitsOn(refusal.fleet.hosts.get(refusal.host), ({ grants }) => grants.numa !== undefined || grants.classes !== undefined),
      asked('NUMA topology', `${cells} ${cells === 1 ? 'cell' : 'cells'}`, 'none', 5, withoutTopology),
    ]
  },
}

/** What Nova makes a topology of. */
const topologySpecs = /^hw:(numa_|cpu_policy|cpu_thread_policy|cpu_dedicated_mask|mem_page_size|emulator_threads_policy|pci_numa)/
const topologyProperties = /^hw_(numa_|cpu_policy|cpu_thread_policy|mem_page_size|emulator_threads_policy|pci_numa)/

function withoutTopology(request: RequestSpec): RequestSpec {
  const { flavor } = withoutExtraSpecs(request, (key) => topologySpecs.test(key))
  const { image, gpus } = request
  const properties = Object.fromEntries(Object.entries(image?.properties ?? {}).filter(([key]) => !topologyProperties.test(key)))
  return restated(request, {
    ...{ flavor, numaTopology: null, image: image && { ...image, properties } },
    // near to no cell is nothing that a request can ask
    gpus: gpus && { ...gpus, numaPolicy: null },
  })
}

/** Too few devices: ask for as many as there are, or for none. */
export const pciRemedy: Remedy = {
  name: 'pci',
  codes: ['pci.not_reported', 'pci.short', 'pci.numa', 'pci.unasked'],
  propose(refusal) {
    const { request } = refusal
    if (request.pciRequests.length === 0) return []
    return [
      ...waitsOn(refusal.fleet.hosts.get(refusal.host), ({ grants }) => grants.pci !== undefined),
      ...farther(refusal),
      ...fewer(refusal),
      asked('PCI devices', String(countOf(request)), 'none', 6, (one) => restated(one, { pciRequests: [] })),
    ]
  },
}

const countOf = ({ pciRequests }: RequestSpec): number => pciRequests.reduce((sum, { count }) => sum + count, 0)

function farther({ request, reason }: Refusal): ProposedChange[] {
  if (reason.code !== 'pci.numa' || !request.pciRequests.some(({ numaPolicy }) => numaPolicy !== 'preferred')) return []
  const preferred = request.pciRequests.map((one) => ({ ...one, numaPolicy: 'preferred' as const }))
  return [asked('NUMA policy of PCI devices', 'near', 'near if possible', 3, (one) => restated(one, { pciRequests: preferred }))]
}

/** Of one request for devices of a kind: those that are there. */
function fewer({ request, reason }: Refusal): ProposedChange[] {
  const { have, need } = reason
  const [only, ...others] = request.pciRequests
  if (reason.code !== 'pci.short' || only === undefined || others.length > 0 || typeof have !== 'number' || have < 1) return []
  return [asked('PCI devices', String(need), String(have), 3, (one) => restated(one, { pciRequests: [{ ...only, count: have }] }))]
}

/** Too few GPUs, or of other models: ask for fewer, smaller or other ones, or for none; wait for some, or buy. */
export const gpuRemedy: Remedy = {
  name: 'gpu',
  codes: ['gpu.none', 'gpu.model', 'gpu.count', 'gpu.short', 'gpu.numa'],
  propose({ fleet, host, request: { gpus }, reason: { code, have } }) {
    if (gpus === null) return []
    const record = fleet.hosts.get(host)
    const many = `${gpus.count} × ${gpus.shareMilli}/1000`
    const less = typeof have === 'number' && have >= 1 && have < gpus.count ? have : undefined
    return [
      ...(less === undefined
        ? []
        : [
            asked('GPUs', many, `${less} × ${gpus.shareMilli}/1000`, 3, (one) =>
              restated(one, { gpus: one.gpus && { ...one.gpus, count: less } }),
            ),
          ]),
      ...(code === 'gpu.short'
        ? [...smallerShare(record, gpus), ...endingClaims(record, gpusHeld(record, gpus)), anotherHost(record)]
        : []),
      ...(code === 'gpu.model'
        ? [asked('GPU models', gpus.models.join(', '), 'any', 2, (one) => restated(one, { gpus: one.gpus && { ...one.gpus, models: [] } }))]
        : []),
      ...(code === 'gpu.numa'
        ? [
            asked('NUMA policy of GPUs', 'near', 'near if possible', 3, (one) =>
              restated(one, { gpus: one.gpus && { ...one.gpus, numaPolicy: 'preferred' } }),
            ),
          ]
        : []),
      asked('GPUs', many, 'none', 6, (one) => restated(one, { gpus: null })),
    ]
  },
}

/** The largest share that so many of the host's GPUs have free. */
function smallerShare({ gpus }: HostRecord, { count, shareMilli, models }: GpuWish): ProposedChange[] {
  const free = gpus.filter((gpu) => modelFits(gpu, { count, shareMilli, models })).map(({ freeMilli }) => freeMilli)
  const share = free.sort((a, b) => b - a)[count - 1] ?? 0
  if (share < 1 || share >= shareMilli) return []
  const effort = 1 + (4 * (shareMilli - share)) / shareMilli
  return [
    asked('share of each GPU', `${shareMilli}/1000`, `${share}/1000`, effort, (one) =>
      restated(one, { gpus: one.gpus && { ...one.gpus, shareMilli: share } }),
    ),
  ]
}

/** What claims hold of the GPUs that would do. */
function gpusHeld({ gpus }: HostRecord, ask: GpuWish): HeldRoom {
  const matching = gpus.filter((gpu) => modelFits(gpu, ask))
  const heldBy = ({ grants }: Claim, index: number): number =>
    (grants.gpu ?? []).reduce((sum, grant) => sum + (grant.index === index ? grant.milli : 0), 0)
  return {
    sizeOf: (claim) => matching.reduce((sum, { index }) => sum + heldBy(claim, index), 0),
    isEnough: (ended) =>
      matching.filter(({ index, freeMilli }) => freeMilli + ended.reduce((sum, claim) => sum + heldBy(claim, index), 0) >= ask.shareMilli)
        .length >= ask.count,
  }
}
