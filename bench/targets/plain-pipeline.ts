import type { Decided, Fleet, HostIndex, Overlay, Profile, RequestSpec } from '@gantt/scheduler-core'
import { openOverlay } from '@gantt/scheduler-core'
import { compileProfile } from '../../packages/scheduler-core/src/pipeline/compile.ts'
import { prepareFilters, runFilters } from '../../packages/scheduler-core/src/pipeline/filtering/run-filters.ts'
import { best, createTieOrder } from '../../packages/scheduler-core/src/pipeline/weighing/pick.ts'
import { prepareWeighers, runWeighers } from '../../packages/scheduler-core/src/pipeline/weighing/run-weighers.ts'
import { membersAt } from '../../packages/scheduler-core/src/request/members.ts'
import { groupOf, prepareGrants, prepareLimits } from '../../packages/scheduler-core/src/schedulers/filter-scheduler.ts'
import type { Placed } from './same.ts'

const BEST = 10
const ALTERNATES = 2

/**
 * Decides a request as the service would without caches and indexes: every filter is called for each remaining host, every weigher scores
 * each remaining host, and all totals are compared.
 */
export function createPlainPipeline(fleet: Fleet, profile: Profile): (request: RequestSpec, seed: string) => Placed {
  const compiled = compileProfile(profile)
  const placeOne = (request: RequestSpec, seed: string, instance: number) => {
    const { request: asked } = membersAt(request, instance)
    const steps = prepareFilters(compiled, asked, fleet).map((step) => ({ ...step, cacheName: undefined }))
    const { hosts, steps: filters } = runFilters(steps, fleet)
    const weighed = runWeighers(prepareWeighers(compiled, asked, fleet), hosts)
    const { totals, weighers } = weighed
    const ranked = best(weighed, BEST, createTieOrder(profile, seed))
    const nameOf = (position: number) => {
      const { host, node } = fleet.hosts.get(hosts[position] as HostIndex)
      return { host, node }
    }
    const record = {
      candidates: fleet.hosts.presentCount,
      filters,
      best: ranked.map((position) => ({
        ...nameOf(position),
        raw: weighers.map(({ raw }) => raw[position] as number),
        total: totals[position] as number,
      })),
      tied: totals.filter((total) => total === totals[ranked[0] ?? 0]).length,
    }
    const [first] = ranked
    if (first === undefined) return { record, placed: undefined }
    const limitsOf = prepareLimits(asked, fleet)
    const destination = (position: number) => ({
      ...nameOf(position),
      weight: totals[position] as number,
      limits: limitsOf(hosts[position] as HostIndex),
    })
    const uuid = request.instanceUuids[instance] ?? null
    const grants = prepareGrants(compiled, asked, fleet)(hosts[first] as HostIndex)
    return {
      record,
      placed: {
        part: { claim: `claim of ${uuid}`, instance: uuid, ...nameOf(first), grants },
        answer: { instance: uuid, selected: destination(first), alternates: ranked.slice(1, ALTERNATES + 1).map(destination) },
      },
    }
  }
  const placeAll = (overlay: Overlay, request: RequestSpec, seed: string): Placed => {
    const made = {
      parts: [] as Decided['parts'][number][],
      answer: [] as Decided['answer'][number][],
      instances: [] as Placed['instances'][number][],
    }
    for (let instance = 0; instance < request.numInstances; instance++) {
      const { record, placed } = placeOne(request, seed, instance)
      made.instances.push(record)
      if (placed === undefined) return { parts: [], answer: [], instances: made.instances }
      overlay.hold(placed.part, groupOf(request))
      made.parts.push(placed.part)
      made.answer.push(placed.answer)
    }
    return made
  }
  return (request, seed) => {
    const overlay = openOverlay(fleet)
    try {
      return placeAll(overlay, request, seed)
    } finally {
      overlay.discard()
    }
  }
}
