import { restated } from '../../../contracts/restated.ts'
import { type GpuWish, modelFits, percentText, WHOLE_GPU } from '../../../hosts/gpu-device.ts'
import type { HostRecord } from '../../../hosts/hosts.ts'
import type { Claim } from '../../../records/claim.ts'
import type { PciRequest, RequestSpec } from '../../../request/request-spec.ts'
import type { Code } from '../../../text/codes.ts'
import { countedDevices } from '../../../text/device-text.ts'
import { anotherHost } from './another-host.ts'
import { endingClaims, type HeldRoom, waitsOn } from './ending-claims.ts'
import { answers, greatest, moreCells, smallerCells } from './guest-cells.ts'
import type { ProposedChange, Refusal, Remedy } from './remedy.ts'
import { lessOfCells, lessTopology } from './topology.ts'
import { anyOf, asked, eachOf, type Wish } from './wishes.ts'

/** For guests whose NUMA cells do not fit: proposes smaller cells, more cells, waiting, or dropping requirements on the topology. */
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
    'numa.too_few_dedicated',
    'numa.too_few_cores',
    'numa.too_few_pages',
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
    return [
      ...smallerCells(refusal),
      ...moreCells(refusal),
      ...waitsOn(
        refusal.fleet.hosts,
        refusal.fleet.hosts.get(refusal.host),
        ({ grants }) => grants.numa !== undefined || grants.classes !== undefined,
      ),
      ...farther(refusal),
      ...lessTopology(refusal.request).filter((change) => answers(refusal, change.request?.(refusal.request) ?? refusal.request)),
    ]
  },
}

/** For hosts with too few PCI devices: proposes waiting, devices that need not be near, fewer devices, or no devices. */
export const pciRemedy: Remedy = {
  name: 'pci',
  codes: ['pci.not_reported', 'pci.short', 'pci.numa', 'pci.unasked'],
  propose(refusal) {
    const { request } = refusal
    if (request.pciRequests.length === 0) return []
    return [
      ...waitsOn(refusal.fleet.hosts, refusal.fleet.hosts.get(refusal.host), ({ grants }) => grants.pci !== undefined),
      ...farther(refusal),
      ...fewer(refusal),
      ...withoutSome(request),
    ]
  },
}

/**
 * Proposes one change that drops all PCI requests, with a part for each, so that the search can leave out parts that are not needed. Also
 * proposes one change for each PCI request alone.
 */
function withoutSome({ pciRequests }: RequestSpec): ProposedChange[] {
  const wishes = pciRequests.map((wish, i) => ({
    path: `pciRequests.${i}`,
    said: countedDevices(wish.count, wish.alias, wish.specs),
    without: (one: RequestSpec) => withWish(one, wish, () => []),
  }))
  const without = (those: readonly Wish[]) =>
    anyOf(
      those,
      ([first = '', ...more]) => ({ subject: more.length > 0 ? 'some PCI devices' : subjectOf(first, pciRequests), to: 'none' }),
      6,
    )
  return wishes.length > 1 ? [...without(wishes), ...wishes.flatMap((wish) => without([wish]))] : without(wishes)
}

/** The subject of a change of a PCI request. It contains the index of the PCI request if there are several. */
const subjectOf = (path: string, { length }: RequestSpec['pciRequests']): string =>
  length > 1 ? `PCI devices of request ${path.split('.')[1]}` : 'PCI devices'

/**
 * The request with one PCI request replaced. The PCI request is found by its contents, because the index changes if a preceding change
 * drops other PCI requests. If it is not found, the request is unchanged.
 */
function withWish(request: RequestSpec, wish: PciRequest, others: (wish: PciRequest) => readonly PciRequest[]): RequestSpec {
  const { pciRequests } = request
  const isAlike = ({ count, specs }: PciRequest) => count === wish.count && JSON.stringify(specs) === JSON.stringify(wish.specs)
  const itself = pciRequests.includes(wish) ? wish : pciRequests.find(isAlike)
  return restated(request, { pciRequests: pciRequests.flatMap((other) => (other === itself ? others(other) : [other])) })
}

/** The codes of refusals because devices are not near the guest's NUMA cells, or because the search for cells near devices was limited. */
const farCodes: ReadonlySet<Code> = new Set(['pci.numa', 'gpu.numa', 'numa.missed', 'numa.search_limit'])

/**
 * Proposes two kinds of changes: PCI devices or GPUs need not be near the guest's NUMA cells, or requirements on the cells are dropped to
 * make the guest fit on cells near the devices. Returns only the changes with which the reason disappears.
 */
function farther(refusal: Refusal): ProposedChange[] {
  const { request, reason } = refusal
  if (!farCodes.has(reason.code)) return []
  const policies = request.pciRequests.map((wish, i) => ({
    path: `pciRequests.${i}.numaPolicy`,
    said: wish.numaPolicy,
    without: (one: RequestSpec) => withWish(one, wish, (other) => [{ ...other, numaPolicy: 'preferred' }]),
  }))
  const saying = (of: string) => () => ({ subject: `NUMA policy of ${of}`, from: 'near', to: 'near if possible' })
  const gpus = {
    path: 'gpus.numaPolicy',
    said: 'required',
    without: (one: RequestSpec) => restated(one, { gpus: one.gpus && { ...one.gpus, numaPolicy: 'preferred' as const } }),
  }
  return [
    ...eachOf(
      policies.filter(({ said }) => said !== 'preferred'),
      saying('PCI devices'),
    ),
    ...anyOf(request.gpus?.numaPolicy === 'required' ? [gpus] : [], saying('GPUs')),
    ...(reason.code === 'pci.numa' || reason.code === 'gpu.numa' ? lessOfCells(request) : []),
  ].filter((change) => answers(refusal, change.request?.(request) ?? request))
}

/** For each PCI request, proposes the largest smaller count with which the reason disappears. */
const fewer = (refusal: Refusal): ProposedChange[] =>
  refusal.request.pciRequests.flatMap((wish, i) => {
    const change = fewerDevices(refusal.request, i)
    const count = greatest(wish.count - 1, (some) => answers(refusal, change(some).request(refusal.request)))
    return count === undefined ? [] : [change(count)]
  })

/** Returns a function that creates a change of the count of one PCI request. */
function fewerDevices({ pciRequests }: RequestSpec, i: number) {
  const path = `pciRequests.${i}`
  const wish = pciRequests[i] as PciRequest
  const subject = subjectOf(path, pciRequests)
  const at = (count: number) => {
    const request = (one: RequestSpec) => withWish(one, wish, (other) => [{ ...other, count }])
    const change = asked(subject, String(wish.count), String(count), 1 + (4 * (wish.count - count)) / wish.count, request)
    return { ...change, request, gives: [`${path}.count`], number: { from: wish.count, to: count, at } }
  }
  return at
}

/**
 * For several instances: proposes the smallest count of devices and the smallest share of a GPU. If these suffice, the search looks for the
 * largest numbers with which all instances fit.
 */
export function minDevices({ request, reason }: Refusal): ProposedChange[] {
  const { gpus, pciRequests } = request
  if (pciRemedy.codes.includes(reason.code)) return pciRequests.flatMap(({ count }, i) => (count > 1 ? [fewerDevices(request, i)(1)] : []))
  if (gpus === null || !gpuRemedy.codes.includes(reason.code)) return []
  return [...(gpus.count > 1 ? [fewerGpus(gpus, 1)] : []), ...(gpus.shareMilli > 1 ? [shareOf(gpus.shareMilli, 1)] : [])]
}

/**
 * For hosts with too few GPUs, or with GPUs of other models than requested: proposes fewer GPUs, smaller shares, any model, no GPUs,
 * waiting, or one more host.
 */
export const gpuRemedy: Remedy = {
  name: 'gpu',
  codes: ['gpu.none', 'gpu.model', 'gpu.count', 'gpu.short', 'gpu.numa'],
  propose(refusal) {
    const {
      fleet,
      host,
      request: { gpus },
      reason: { code, have },
    } = refusal
    if (gpus === null) return []
    const record = fleet.hosts.get(host)
    const less = typeof have === 'number' && have >= 1 && have < gpus.count ? have : undefined
    const withGpus = (subject: string, from: string, to: string, effort: number, path: keyof typeof gpus, value: Partial<typeof gpus>) => ({
      ...asked(subject, from, to, effort, (one) => restated(one, { gpus: one.gpus && { ...one.gpus, ...value } })),
      gives: [`gpus.${path}`],
    })
    return [
      ...(less === undefined ? [] : [fewerGpus(gpus, less)]),
      ...(code === 'gpu.short'
        ? [...smallerShare(record, gpus), ...endingClaims(fleet.hosts, record, gpusHeld(record, gpus)), anotherHost(record)]
        : []),
      ...(code === 'gpu.model' ? [withGpus('GPU models', gpus.models.join(', '), 'any', 2, 'models', { models: [] })] : []),
      ...farther(refusal),
      { ...asked('GPUs', gpusText(gpus), 'none', 6, (one) => restated(one, { gpus: null })), gives: ['gpus'] },
    ]
  },
}

/** The requested count of GPUs as text, with the share if shares are requested. */
const gpusText = ({ count, shareMilli }: Pick<GpuWish, 'count' | 'shareMilli'>): string =>
  shareMilli === WHOLE_GPU ? `${count}` : `${count} × ${percentText(shareMilli)}`

const fewerGpus = ({ count, shareMilli }: Pick<GpuWish, 'count' | 'shareMilli'>, fewer: number): ProposedChange => ({
  ...asked('GPUs', gpusText({ count, shareMilli }), gpusText({ count: fewer, shareMilli }), 1 + (4 * (count - fewer)) / count, (one) =>
    restated(one, { gpus: one.gpus && { ...one.gpus, count: fewer } }),
  ),
  gives: ['gpus.count'],
  number: {
    from: count,
    to: fewer,
    at: (other) => fewerGpus({ count, shareMilli }, other),
    of: ({ gpus }) => (gpus !== null && gpus.count > fewer ? fewerGpus(gpus, fewer) : undefined),
  },
})

/** Proposes the largest share that is free on as many GPUs of the host as the request needs. */
function smallerShare({ gpus }: HostRecord, { count, shareMilli, models }: GpuWish): ProposedChange[] {
  const free = gpus.filter((gpu) => modelFits(gpu, { count, shareMilli, models })).map(({ freeMilli }) => freeMilli)
  const share = free.sort((a, b) => b - a)[count - 1] ?? 0
  if (share < 1 || share >= shareMilli) return []
  return [shareOf(shareMilli, share)]
}

const shareOf = (now: number, share: number): ProposedChange => ({
  ...asked('share of each GPU', percentText(now), percentText(share), 1 + (4 * (now - share)) / now, (one) =>
    restated(one, { gpus: one.gpus && { ...one.gpus, shareMilli: share } }),
  ),
  gives: ['gpus.shareMilli'],
  number: { from: now, to: share, at: (other) => shareOf(now, other) },
})

/** For the host's GPUs of the requested models: how much each claim holds, and whether the host has enough after some claims end. */
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
