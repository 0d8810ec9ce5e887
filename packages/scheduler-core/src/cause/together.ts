import type { PreparedFilter, Reason } from '../filters/filter.ts'
import { at, type HostIndex } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { wordsOf } from '../kinds/classes/usual.ts'
import { type GpuState, type GpuWish, gpuShareText, modelFits } from '../kinds/gpu/device.ts'
import { poolsKind } from '../kinds/pools/pools.ts'
import type { FilterStep } from '../pipeline/run-filters.ts'
import { membersOf, sumsOf } from '../request/members.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { AFFINITY_FILTER } from './admission.ts'

/**
 * Members of a new server group that lives together, of which some found a host and the next did not: that host is no home of the group but an
 * attempt, so each host is asked whether all of them have room there, and the attempt is forgotten. Undefined: that is not the case.
 */
export function asTogether(
  steps: readonly FilterStep[],
  fleet: Fleet,
  whole: RequestSpec,
  instance: number,
): readonly FilterStep[] | undefined {
  const tried = attemptOf(fleet, whole, instance)
  if (tried === undefined || !steps.some(({ name }) => name === AFFINITY_FILTER)) return undefined
  const lacks = prepareLacks(fleet, whole, instance, tried)
  const subject = whole.instanceGroup?.uuid ?? ''
  const noRoom: Lack = (host) =>
    lacks.some((lack) => lack(host) !== undefined)
      ? undefined
      : { code: 'group.together', subject, need: whole.numInstances, unit: 'members' }
  return steps.flatMap((step) => {
    if (step.name === AFFINITY_FILTER) return [...lacks, noRoom].map((lack) => ({ ...step, prepared: preparedBy(lack) }))
    // the first of them found room there
    return step.prepared === undefined ? step : { ...step, prepared: butOn(tried, step.prepared) }
  })
}

/** What of one thing a host lacks for all members together. */
type Lack = (host: HostIndex) => Reason | undefined

const preparedBy = (lack: Lack): PreparedFilter => ({
  passes: (host) => lack(host) === undefined,
  reason: (host) => lack(host) as Reason,
})

/** How many members need one host together; null: the request asks for no such thing. */
export const togetherOf = ({ instanceGroup, numInstances }: RequestSpec): number | null =>
  instanceGroup?.policy === 'AFFINITY' && numInstances > 1 ? numInstances : null

/** The host of the earlier members, where nobody but them is in the group. */
function attemptOf({ groups }: Fleet, whole: RequestSpec, instance: number): HostIndex | undefined {
  const { instanceGroup } = whole
  if (instance === 0 || togetherOf(whole) === null || instanceGroup === null || instanceGroup.hosts.length > 0) return undefined
  const [[host, count], ...others] = [...(groups.find(instanceGroup.uuid)?.members ?? [])] as [[HostIndex, number], ...unknown[]] | [[]]
  return host !== undefined && others.length === 0 && count === instance ? host : undefined
}

const butOn = (tried: HostIndex, prepared: PreparedFilter): PreparedFilter => ({
  ...prepared,
  passes: (host) => host === tried || prepared.passes(host),
})

/** Of each host, what of all members together it lacks, one amount after the other. */
function prepareLacks(fleet: Fleet, whole: RequestSpec, instance: number, tried: HostIndex): readonly Lack[] {
  const { hosts } = fleet
  const sums = sumsOf(whole)
  const placed = sumsOf(whole, instance)
  if (poolsKind.isThere?.(hosts) === true) sums.delete('DISK_GB')
  const ofClasses = [...sums].map(([resourceClass, need]): Lack => {
    const held = (host: HostIndex) => (host === tried ? (placed.get(resourceClass) ?? 0) : 0)
    const { free } = hosts.classColumns(resourceClass)
    const { short: code, unit } = wordsOf(resourceClass)
    const asked = { code, unit, subject: resourceClass, need }
    return (host) => {
      const have = at(free, host) + held(host)
      return have < need ? { ...asked, have } : undefined
    }
  })
  const ofGpus = gpusOf(whole).map(({ ask, count, first }): Lack => {
    const held = (host: HostIndex) => (host === tried ? Math.max(0, Math.min(instance - first.from, first.members)) * ask.count : 0)
    return (host) => {
      const have = hosts.get(host).gpus.reduce((sum, gpu) => sum + roomFor(gpu, ask), 0) + held(host)
      return have < count ? { code: 'gpu.short', subject: gpuShareText(ask), need: count, have, unit: 'GPUs' } : undefined
    }
  })
  return [...ofClasses, ...ofGpus]
}

interface GpusTogether {
  readonly ask: GpuWish
  readonly count: number
  readonly first: { readonly from: number; readonly members: number }
}

/** The GPUs of each kind of members. */
const gpusOf = (whole: RequestSpec): readonly GpusTogether[] =>
  membersOf(whole).flatMap(({ request: { gpus }, count, first }) =>
    gpus === null ? [] : [{ ask: gpus, count: gpus.count * count, first: { from: first, members: count } }],
  )

/** How often a GPU has the share free. */
const roomFor = (gpu: GpuState, ask: GpuWish): number => (modelFits(gpu, ask) ? Math.max(0, Math.floor(gpu.freeMilli / ask.shareMilli)) : 0)
