import type { PreparedFilter, Reason } from '../filters/filter.ts'
import { at, type HostIndex } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type GpuState, type GpuWish, modelFits } from '../kinds/gpu/device.ts'
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
  const lacking = prepareLacking(fleet, whole, instance, tried)
  return steps.map((step) => {
    if (step.name === AFFINITY_FILTER)
      return { ...step, prepared: { passes: (host) => lacking(host) === undefined, reason: (host) => lacking(host) as Reason } }
    // the first of them found room there
    return step.prepared === undefined ? step : { ...step, prepared: butOn(tried, step.prepared) }
  })
}

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

/** Of each host, what of all members together it lacks: the amount of which the greatest share is missing. */
function prepareLacking(fleet: Fleet, whole: RequestSpec, instance: number, tried: HostIndex): (host: HostIndex) => Reason | undefined {
  const { hosts } = fleet
  const sums = sumsOf(whole)
  const placed = sumsOf(whole, instance)
  if (poolsKind.isThere?.(hosts) === true) sums.delete('DISK_GB')
  const gpus = gpusOf(whole)
  const subject = whole.instanceGroup?.uuid ?? ''
  return (host) => {
    const lacks: Reason[] = []
    for (const [resourceClass, need] of sums) {
      const held = host === tried ? (placed.get(resourceClass) ?? 0) : 0
      const have = at(hosts.classColumns(resourceClass).free, host) + held
      if (have < need)
        lacks.push({ ...(words[resourceClass] ?? { code: 'class.short', unit: resourceClass }), subject: resourceClass, need, have })
    }
    const devices = hosts.get(host).gpus
    for (const { ask, count, first } of gpus) {
      const held = host === tried ? Math.max(0, Math.min(instance - first.from, first.members)) * ask.count : 0
      const have = devices.reduce((sum, gpu) => sum + roomFor(gpu, ask), 0) + held
      if (have < count) lacks.push({ code: 'gpu.short', subject: `GPU with ${ask.shareMilli}/1000 free`, need: count, have, unit: 'GPUs' })
    }
    const [worst] = lacks.sort((a, b) => shareLeft(a) - shareLeft(b))
    if (worst !== undefined) return worst
    return { code: 'group.together', subject, need: whole.numInstances, unit: 'members' }
  }
}

const shareLeft = ({ need, have }: Reason): number => Number(have) / Number(need)

const words: Readonly<Record<string, Pick<Reason, 'code' | 'unit'>>> = {
  MEMORY_MB: { code: 'memory.short', unit: 'MiB' },
  VCPU: { code: 'cpu.short', unit: 'vCPU' },
  DISK_GB: { code: 'disk.short', unit: 'GiB' },
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
