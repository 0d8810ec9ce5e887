import { at, type Claim, type Fleet, hostStatuses, isLive, livenessStates } from '@gantt/scheduler-core'
import { countAnew } from './model/allocation.ts'
import type { ModelFleet, ModelGroup, ModelHost } from './model/state.ts'

/** Converts a fleet of the core to the model's form. Copies reports, settings and claims, but nothing that the core computed from them. */
export function readModel({ hosts, aggregates, groups, ledger }: Fleet): ModelFleet {
  const { status, liveness } = hosts.columns
  const byIndex = hosts.records.map(
    ({ index, host, node, stats, allocation, present, gone }): ModelHost => ({
      host,
      node,
      reported: stats,
      stats,
      overrides: Object.fromEntries(
        Object.entries(allocation).map(([name, { ratio, reserved }]) => [
          name,
          { ...(ratio && { ratio: ratio.value }), ...(reserved && { reserved: reserved.value }) },
        ]),
      ),
      present: [...present],
      status: hostStatuses[at(status, index)] ?? '',
      liveness: livenessStates[at(liveness, index)] ?? '',
      isGone: gone !== null,
    }),
  )
  const groupOf = (uuid: string | null): ModelGroup | null => {
    const group = uuid === null ? undefined : groups.find(uuid)
    return group === undefined
      ? null
      : { uuid: group.uuid, policy: group.policy, most: group.maxServerPerHost, apartFrom: group.apartFrom ?? [] }
  }
  const held = [...ledger.claims.values()].filter((claim) => hosts.get(claim.host).claims.has(claim))
  const { release, classes } = hosts.fleetAllocation
  const model: ModelFleet = {
    hosts: byIndex,
    allocation: { release, classes },
    aggregates: [...aggregates.byUuid.values()],
    claims: held.map((claim) => ({
      host: byIndex[claim.host] as ModelHost,
      instance: isHeldOnly(claim) ? null : claim.instance,
      // An ended claim is stored as long as its host lists the instance. It is part of the host's use, but its instance is not a member of
      // a group.
      group: isLive(claim) ? groupOf(claim.group) : null,
      takes: (isHeldOnly(claim) ? claim.extra : claim.grants) as ModelFleet['claims'][number]['takes'],
      isListed: isLive(claim) ? claim.state === 'MATERIALISED' : !isHeldOnly(claim),
      isHeldInAddition: claim.extra !== null && !isHeldOnly(claim),
      isLogged: true,
      ...(isHeldOnly(claim) && { isOver: true as const }),
    })),
  }
  countAnew(model)
  return model
}

/** Whether the claim has ended, and holds a part of its grants until a known time. */
const isHeldOnly = (claim: Claim): boolean => !isLive(claim) && claim.heldUntil !== null
