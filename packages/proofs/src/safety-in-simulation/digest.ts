import { at, type Fleet, hostStatuses, isLive, livenessStates } from '@gantt/scheduler-core'
import { zoneOf } from './model/aggregate.ts'
import { CLASSES } from './model/allocation.ts'
import { isLive as isLiveInModel } from './model/claim.ts'
import type { ModelFleet } from './model/fleet.ts'
import { membersOf } from './model/group.ts'
import { freeOf, gpusLeft } from './model/room.ts'

/**
 * The state of a replica's fleet as text: hosts, live claims, keys, aggregates and groups, with the fields that the reference model has
 * too.
 */
export function digestOfFleet({ place, hosts, groups, aggregates, ledger }: Fleet): string {
  const { status, liveness, lastEdit } = hosts.columns
  return JSON.stringify({
    revision: place.revision,
    hosts: hosts.records.map(({ host, index, zone, gpus, gone, formerNames }) => [
      host,
      gone === null ? null : gone.mergedInto !== null ? 'merged' : gone.isReadmitted ? 'readmitted' : 'forgotten',
      formerNames.filter(({ isFree }) => !isFree).map((former) => former.host),
      zone,
      hostStatuses[at(status, index)],
      livenessStates[at(liveness, index)],
      at(lastEdit, index),
      CLASSES.map((resourceClass) => at(hosts.classColumns(resourceClass).free, index)),
      gpus.filter(({ freeMilli }) => freeMilli > 0).map((gpu) => gpu.index),
    ]),
    claims: [...ledger.claims.values()]
      .filter(isLive)
      .map(({ id, state, fence, expiresAt, host, group, source, target }) => [
        id,
        state,
        fence,
        expiresAt,
        hosts.get(host).host,
        group,
        source,
        target,
      ]),
    keys: [...ledger.keys()].map(({ account, key, claims, forgottenAt }) => [account, key, claims, forgottenAt]).sort(byText),
    aggregates: [...aggregates.byUuid.values()]
      .map(({ uuid, name, hosts: members, version }) => [uuid, name, members, version])
      .sort(byText),
    groups: [...groups.byUuid.values()]
      .map(({ uuid, policy, maxServerPerHost, apartFrom, version, lastEdit: edited, members }) => [
        uuid,
        policy,
        maxServerPerHost,
        [...(apartFrom ?? [])],
        version,
        edited,
        [...members].map(([index, count]) => [hosts.get(index).host, count]).sort(byText),
      ])
      .sort(byText),
  })
}

/** The state of the reference model as text. It is equal to the text of a fleet with the same state. */
export function digestOfModel(model: ModelFleet): string {
  return JSON.stringify({
    revision: model.revision,
    hosts: model.hosts.map((host) => [
      host.name,
      host.gone,
      host.former,
      host.gone === null ? zoneOf(model, host.name) : 'nova',
      host.status,
      host.liveness,
      host.edited,
      CLASSES.map((resourceClass) => freeOf(model, host, resourceClass)),
      gpusLeft(model, host),
    ]),
    claims: model.claims
      .filter(isLiveInModel)
      .map(({ id, state, fence, expiresAt, host, group, source, target }) => [id, state, fence, expiresAt, host, group, source, target]),
    keys: model.keys.map(({ account, key, claims, forgottenAt }) => [account, key, claims, forgottenAt]).sort(byText),
    aggregates: model.aggregates.map(({ uuid, name, hosts, version }) => [uuid, name, hosts, version]).sort(byText),
    groups: model.groups
      .map(({ uuid, policy, max, apart, version, edited }) => {
        const counts = new Map<string, number>()
        for (const { host } of membersOf(model, uuid)) counts.set(host, (counts.get(host) ?? 0) + 1)
        return [uuid, policy, max, [...apart], version, edited, [...counts].sort(byText)]
      })
      .sort(byText),
  })
}

const byText = (a: unknown, b: unknown): number => (String(a) < String(b) ? -1 : 1)
