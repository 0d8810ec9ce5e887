import type { Fleet } from '../../fleet/fleet.ts'
import { at } from '../../hosts/columns.ts'
import { type GpuState, type GpuWish, gpuShareText, modelFits, WHOLE_GPU } from '../../hosts/gpu-device.ts'
import { freeFact, leftOf, namespaceSource, poolReserveOf, reportOf, reserveOf } from '../../hosts/sources.ts'
import { wordsOf } from '../../kinds/classes/usual.ts'
import { numaAskOf } from '../../kinds/numa/ask.ts'
import { numaKind } from '../../kinds/numa/numa.ts'
import { whatCellsLackFor } from '../../kinds/numa/several.ts'
import { shortWishes } from '../../kinds/pci/allot.ts'
import { pciAskOf } from '../../kinds/pci/ask.ts'
import { poolsOf } from '../../kinds/pci/pool.ts'
import { poolsKind } from '../../kinds/pools/pools.ts'
import { claimFilterName } from '../../pipeline/filtering/claim-filter-name.ts'
import type { FilterStep } from '../../pipeline/filtering/filter-step.ts'
import { reasonOf } from '../../pipeline/filtering/step-reasons.ts'
import { membersOf, sumsOf } from '../../request/members.ts'
import { demandOf, type RequestSpec } from '../../request/request-spec.ts'
import { amountFrom } from '../../request/sources.ts'
import { type Fact, fromRequest, NEAR_CELLS } from '../../text/evidence.ts'
import type { PreparedFilter } from '../../text/prepared-filter.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { AFFINITY_FILTER, passes } from '../admission.ts'
import { whatLacksNear } from './members-near-devices.ts'

/** How hosts are checked if one host must take all members of a request. */
export interface Together {
  /** Filters that check a host for all members together, one filter for each resource. */
  readonly lacks: readonly FilterStep[]
  /** The filters for a single member, evaluated as if the earlier members of the request were not placed. */
  readonly steps: readonly FilterStep[]
  /**
   * True if the group had no members before this request. The earlier instances of the request were then placed only as a trial, so the
   * host on which they were placed does not exclude other hosts for the group.
   */
  readonly isAttempt: boolean
  /** If the earlier instances were placed as a trial: where, and a check whether another host has room for all members. */
  readonly trial: Trial | undefined
}

/** The host on which the earlier instances of a request were placed as a trial. */
export interface Trial {
  readonly host: HostIndex
  /** True for a host that has room for all members, and is refused only because the earlier instances are on the host of the trial. */
  readonly hasRoom: (host: HostIndex) => boolean
  readonly reasonAt: (host: HostIndex) => Reason
}

/**
 * For a request for several members of a group with the policy AFFINITY: how hosts are checked. One host must take all members, so each
 * host is checked for the sum of all members, as if no member were placed. Undefined if the request has no such group.
 */
export function asTogether(steps: readonly FilterStep[], fleet: Fleet, whole: RequestSpec, instance: number): Together | undefined {
  // under Nova's rules the affinity filter is not called for a group without members, but all members of this request must still share a
  // host
  const affinity =
    steps.find(({ name }) => name === AFFINITY_FILTER) ?? (steps[0] && { ...steps[0], name: AFFINITY_FILTER, prepared: REFUSES_NONE })
  const earlier = togetherOf(whole) === null ? undefined : earlierOf(fleet, whole, instance)
  if (affinity === undefined || earlier === undefined) return undefined
  const { host: tried, isAttempt } = earlier
  const asked = steps.map((step) => {
    if (step.prepared === undefined) return step
    return { ...step, prepared: asIfNone(step, step.prepared, tried, isAttempt) }
  })
  const inCells = cellLack(fleet, whole, instance, tried)
  const lacks = [...prepareLacks(fleet, whole, instance, tried), ...inCells].map((prepared) => asStep(affinity, prepared))
  const noRoom = asStep(affinity, roomAtOnce(whole, lacks, asked, affinity))
  const reasonAt = (host: HostIndex): Reason => reasonOf(noRoom, host)
  const hasRoom = (host: HostIndex): boolean => !passes(noRoom, host) && reasonAt(host).code === 'group.affinity'
  const trial = isAttempt && tried !== undefined ? { host: tried, hasRoom, reasonAt } : undefined
  return { lacks: [...lacks, noRoom], steps: asked.map((step) => saidTogether(step, inCells)), isAttempt, trial }
}

/** A filter that refuses no host. */
const REFUSES_NONE: PreparedFilter = {
  passes: () => true,
  reason() {
    throw new Error('the reason of a refusal was requested, but the filter refuses no host')
  },
}

/** The count of members that must share one host. Null if the request has no group with the policy AFFINITY or only one instance. */
export const togetherOf = ({ instanceGroup, numInstances }: RequestSpec): number | null =>
  instanceGroup?.policy === 'AFFINITY' && numInstances > 1 ? numInstances : null

interface Earlier {
  /** The host of the request's earlier members. Undefined if there are no earlier members. */
  readonly host: HostIndex | undefined
  readonly isAttempt: boolean
}

/**
 * Finds the host of the request's earlier members. Undefined if the host is unknown, because the group has members on several hosts or on
 * none.
 */
function earlierOf({ groups }: Fleet, { instanceGroup }: RequestSpec, instance: number): Earlier | undefined {
  const [first, ...others] = [...(groups.find(instanceGroup?.uuid ?? '')?.members ?? [])]
  const isNew = instanceGroup?.hosts.length === 0
  if (instance === 0) return { host: undefined, isAttempt: isNew && first === undefined }
  if (first === undefined || others.length > 0) return undefined
  const [host, members] = first
  return { host, isAttempt: isNew && members === instance }
}

const asStep = (step: FilterStep, prepared: PreparedFilter): FilterStep => ({ ...step, prepared, isNet: false, isOutside: false })

/**
 * Evaluates a filter as if none of the members were placed. If `isAttempt` is true, the affinity filter then also passes hosts other than
 * the host of the earlier members.
 */
const asIfNone = (step: FilterStep, prepared: PreparedFilter, tried: HostIndex | undefined, isAttempt: boolean): PreparedFilter => ({
  ...prepared,
  passes: (host) =>
    host === tried || passes(step, host) || (isAttempt && tried !== undefined && reasonOf(step, host).code === 'group.affinity'),
})

/** A check of one resource for all members together. */
type Lack = Required<Pick<PreparedFilter, 'passes' | 'reason' | 'facts'>>

/** Creates a check from a function that returns all shortfalls of a host. The first shortfall is the reason. */
const lackOf = (shortOn: (host: HostIndex) => readonly (Reason & { readonly fact: Fact })[]): Lack => ({
  passes: (host) => shortOn(host).length === 0,
  reason(host) {
    const { fact: _, ...reason } = shortOn(host)[0] as Reason & { readonly fact: Fact }
    return reason
  },
  facts: (host) => shortOn(host).map(({ fact }) => fact),
})

/**
 * If the shortfall of a host's cells for all members is reported, makes the NUMA filter pass the host. Otherwise the shortfall for one
 * member would be reported too.
 */
function saidTogether(step: FilterStep, inCells: readonly Lack[]): FilterStep {
  const { name, prepared } = step
  if (prepared === undefined || ![numaKind.filter.name, claimFilterName(numaKind.filter.name)].includes(name)) return step
  return { ...step, prepared: { ...prepared, passes: (host) => inCells.some((lack) => !lack.passes(host)) || passes(step, host) } }
}

/**
 * Refuses a host that has enough of each resource for all members, but on which the members do not fit together. If devices cannot be the
 * cause and the affinity filter refuses the host, the members are on another host. The reason of the affinity filter is then used.
 */
function roomAtOnce(whole: RequestSpec, lacks: readonly FilterStep[], steps: readonly FilterStep[], affinity: FilterStep): PreparedFilter {
  const isElsewhere = (host: HostIndex): boolean => !mayBeShort(whole) && !passes(affinity, host)
  const own = steps.filter(({ isOutside, prepared }) => !isOutside && prepared !== undefined)
  return {
    passes(host) {
      if (lacks.some((lack) => !passes(lack, host))) return true
      const refusing = own.filter((step) => !passes(step, host))
      return refusing.length > 0 && !refusing.some((step) => /^(?:numa|pci|gpu)\./.test(reasonOf(step, host).code))
    },
    reason: (host) =>
      isElsewhere(host)
        ? reasonOf(affinity, host)
        : { code: 'group.together', subject: whole.instanceGroup?.uuid ?? '', need: whole.numInstances, unit: 'members' },
  }
}

/**
 * Returns true if a host can lack devices for all members although it has enough in total. This is possible if devices must be near cells,
 * or if there are several kinds of members or several PCI requests.
 */
const mayBeShort = (whole: RequestSpec): boolean =>
  membersOf(whole).some(({ request }, _, { length }) => {
    const hasDevices = request.gpus !== null || request.pciRequests.length > 0
    return hasDevices && (length > 1 || request.pciRequests.length > 1 || request.numaTopology !== null)
  })

/** Checks that the cells of a host have enough for all members. */
function cellLack({ hosts }: Fleet, whole: RequestSpec, instance: number, tried: HostIndex | undefined): readonly Lack[] {
  const kinds = membersOf(whole).flatMap((members) => {
    const ask = numaAskOf(members.request)
    return ask === undefined ? [] : [{ ask, request: members.request, count: members.count, placed: amongFirst(instance, members) }]
  })
  if (kinds.length === 0) return []
  const areNear = kinds.some(({ ask }) => ask.nearness !== undefined)
  const known = new Map<HostIndex, readonly Reason[]>()
  const lacksOn = (host: HostIndex): readonly Reason[] => {
    const left = kinds.map(({ count, placed: first, ...kind }) => {
      const placed = host === tried ? first : 0
      return { ...kind, placed, count: count - placed }
    })
    const lacks = known.get(host) ?? (areNear ? whatLacksNear : whatCellsLackFor)(hosts, host, left)
    known.set(host, lacks)
    return lacks
  }
  const from = (host: HostIndex) => ({ requiredFrom: fromRequest('numaTopology.cells'), actualFrom: leftOf(hosts.get(host)) })
  return [
    lackOf((host) =>
      lacksOn(host).map(({ subject = 'NUMA', need, have, unit, ...reason }) => ({
        ...{ ...reason, subject: isNear(reason) ? subject : (subject.split(' on ')[0] as string) },
        ...(need !== undefined && { need }),
        ...(have !== undefined && { have }),
        ...(unit !== undefined && { unit }),
        fact: {
          ...{ subject, ...from(host) },
          ...(need !== undefined && { required: need }),
          ...(have !== undefined && { actual: have }),
          ...(unit !== undefined && { unit }),
          ...(reason.code.startsWith('numa.too_') && { amountOf: 'in total' as const }),
          ...(isNear(reason) && { amountOf: NEAR_CELLS }),
        },
      })),
    ),
  ]
}

const isNear = ({ code }: Pick<Reason, 'code'>): boolean => code === 'gpu.numa' || code === 'pci.numa'

/** Prepares the checks of all resources for all members together. */
function prepareLacks(fleet: Fleet, whole: RequestSpec, instance: number, tried: HostIndex | undefined): readonly Lack[] {
  return [
    ...classLacks(fleet, whole, instance, tried),
    ...poolLacks(fleet, whole, instance, tried),
    ...gpuLacks(fleet, whole, instance, tried),
    ...pciLacks(fleet, whole, instance, tried),
  ]
}

function classLacks(fleet: Fleet, whole: RequestSpec, instance: number, tried: HostIndex | undefined): readonly Lack[] {
  const { hosts } = fleet
  const sums = sumsOf(whole)
  const placed = sumsOf(whole, instance)
  return [...sums].map(([resourceClass, need]) => {
    const held = placed.get(resourceClass) ?? 0
    const most = Math.max(...membersOf(whole).map(({ request }) => demandOf(request).amounts[resourceClass] ?? 0))
    const { free, capacity, total, reserved } = hosts.classColumns(resourceClass)
    const { short, tooLittle, unit } = wordsOf(resourceClass)
    const asked = { subject: resourceClass, required: need, unit, requiredFrom: amountFrom(whole, resourceClass) }
    const said = { subject: resourceClass, need, unit, instances: whole.numInstances }
    return lackOf((host) => {
      const left = at(free, host) + (host === tried ? held : 0)
      // the disk space of a host with a disk pool is checked by `poolLacks`
      if (left >= need || (resourceClass === 'DISK_GB' && hosts.get(host).diskPools.length > 0)) return []
      const inAll = at(capacity, host)
      // if a single member is larger than the total, another filter reports it, because no allocation ratio resolves this
      const isInAll = inAll < need && (most <= at(total, host) - at(reserved, host) || inAll <= at(total, host) - at(reserved, host))
      const reserve = (missing: number | 'in total') => reserveOf(hosts, host, resourceClass, unit, { missing })
      const leftFact = { ...freeFact(hosts, host, resourceClass, asked), ...reserve(need - left), actual: left }
      const allFact: Fact = { ...asked, ...reserve('in total'), amountOf: 'in total', actual: inAll, actualFrom: reportOf(hosts.get(host)) }
      return [
        ...(isInAll ? [{ ...said, ...reserve('in total'), code: tooLittle, have: inAll, fact: allFact }] : []),
        ...(isInAll && left === inAll ? [] : [{ ...said, ...reserve(need - left), code: short, have: left, fact: leftFact }]),
      ]
    })
  })
}

/**
 * Checks that the disk pool of a host has enough space for the disks of all members. Passes hosts without a pool, and pools of unknown
 * size, which another filter refuses.
 */
function poolLacks({ hosts }: Fleet, whole: RequestSpec, instance: number, tried: HostIndex | undefined): readonly Lack[] {
  const need = sumsOf(whole).get('DISK_GB')
  if (need === undefined || poolsKind.isThere?.(hosts) !== true) return []
  const placed = sumsOf(whole, instance).get('DISK_GB') ?? 0
  return [
    lackOf((host) => {
      const [pool, ...others] = hosts.get(host).diskPools
      const figure = pool === undefined || others.length > 0 ? undefined : hosts.pools.figure(pool)
      if (pool === undefined || figure === undefined) return []
      const isShared = tried !== undefined && hosts.get(tried).diskPools[0] === pool
      const left = (hosts.pools.freeFor(host, pool) ?? 0) + (isShared ? placed : 0)
      if (left >= need) return []
      const { name: subject, reporter: teller, capacityGib: inAll } = figure
      const from = { requiredFrom: amountFrom(whole, 'DISK_GB'), actualFrom: namespaceSource('storage', hosts.get(teller)) }
      const said = { subject, need, unit: 'GiB', instances: whole.numInstances }
      const asked = { subject, required: need, unit: 'GiB', ...from }
      const reserve = (missing: number | 'in total') => poolReserveOf(hosts, figure, missing)
      const ofAll: Fact = { ...asked, ...reserve('in total'), amountOf: 'in total', actual: inAll }
      return [
        ...(inAll < need ? [{ ...said, ...reserve('in total'), code: 'pool.too_little' as const, have: inAll, fact: ofAll }] : []),
        ...(inAll < need && left === inAll
          ? []
          : [
              {
                ...said,
                ...reserve(need - left),
                code: 'pool.short' as const,
                have: left,
                fact: { ...asked, ...reserve(need - left), actual: left },
              },
            ]),
      ]
    }),
  ]
}

/** How many of the first `instance` members are of this kind. */
const amongFirst = (instance: number, { first, count }: { readonly first: number; readonly count: number }): number =>
  Math.max(0, Math.min(instance - first, count))

/** Checks the GPUs of a host, for each kind of members. */
function gpuLacks({ hosts }: Fleet, whole: RequestSpec, instance: number, tried: HostIndex | undefined): readonly Lack[] {
  return membersOf(whole).flatMap((members) => {
    const { gpus: ask } = members.request
    if (ask === null) return []
    const need = ask.count * members.count
    const held = ask.count * amongFirst(instance, members)
    return lackOf((host) => {
      const record = hosts.get(host)
      const left = record.gpus.reduce((sum, gpu) => sum + roomFor(gpu, ask), 0) + (host === tried ? held : 0)
      if (left >= need) return []
      const inAll = record.gpus.filter((gpu) => modelFits(gpu, ask)).length
      const isInAll = ask.shareMilli === WHOLE_GPU && inAll < need
      const asked = { required: need, unit: 'GPUs', requiredFrom: fromRequest('gpus.count') }
      const subjects = {
        all: ask.models.length === 0 ? 'GPU' : `GPU of model ${ask.models.join(' or ')}`,
        left: gpuShareText(ask, hosts.featureLevel),
      }
      return [
        ...(isInAll
          ? [
              {
                ...{ code: 'gpu.count' as const, subject: subjects.all, need, have: inAll, unit: 'GPUs' },
                fact: { ...asked, subject: subjects.all, amountOf: 'in total' as const, actual: inAll, actualFrom: reportOf(record) },
              },
            ]
          : []),
        ...(isInAll && left === inAll
          ? []
          : [
              {
                ...{ code: 'gpu.short' as const, subject: isInAll ? subjects.all : subjects.left, need, have: left, unit: 'GPUs' },
                fact: { ...asked, subject: isInAll ? subjects.all : subjects.left, actual: left, actualFrom: leftOf(record) },
              },
            ]),
      ]
    })
  })
}

/** How many requested shares fit into the free part of a GPU. */
const roomFor = (gpu: GpuState, ask: GpuWish): number => (modelFits(gpu, ask) ? Math.max(0, Math.floor(gpu.freeMilli / ask.shareMilli)) : 0)

/** Checks the PCI devices of a host, for each kind of members and each of its PCI requests. */
function pciLacks({ hosts }: Fleet, whole: RequestSpec, instance: number, tried: HostIndex | undefined): readonly Lack[] {
  return membersOf(whole).flatMap((members) => {
    const { pciRequests } = members.request
    const ask = pciAskOf({
      ...members.request,
      numaTopology: null,
      pciRequests: pciRequests.map((wish) => ({ ...wish, count: wish.count * members.count })),
    })
    if (ask === undefined) return []
    const placed = amongFirst(instance, members)
    const heldOf = new Map(ask.requests.map(({ subject }, i) => [subject, (pciRequests[i]?.count ?? 0) * placed]))
    return lackOf((host) =>
      shortWishes(poolsOf(hosts.get(host)), ask, undefined).flatMap(({ subject, need, have: free }) => {
        const have = free + (host === tried ? (heldOf.get(subject) ?? 0) : 0)
        if (have >= need) return []
        const from = { requiredFrom: fromRequest('pciRequests'), actualFrom: leftOf(hosts.get(host)) }
        return [
          {
            code: 'pci.short' as const,
            subject,
            need,
            have,
            unit: 'devices',
            fact: { ...from, subject, required: need, actual: have, unit: 'devices' },
          },
        ]
      }),
    )
  })
}
