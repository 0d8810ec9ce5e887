import { graphql } from '@gantt/client'
import { createRandom } from '@gantt/scheduler-core'
import { type ClaimRef, type DemoApi, toRef } from './api.ts'
import type { DemoFleet } from './fleet.ts'
import type { DemoHost } from './host.ts'
import { aUuid, type DemoSpec } from './requests.ts'

/** The operators' actions in the demo, and where to see them: the same for the same fleet. */
export interface Operations {
  /** The three members of the group are on separate hosts. */
  readonly group: string
  /** The first of them is on its way to another host: both ends are held. */
  readonly instances: readonly string[]
  /** A host that was emptied; undefined where the fleet is too small for it. */
  readonly emptied: string | undefined
  /** A host that neither reports nor sends heartbeats. */
  readonly silent: string | undefined
}

/** The first places of the fleet have other stories: those of the requests that fail. */
const FIRST_PLACE = 15
const MEMBERS = 3
const ON_EMPTIED = 2
/** Long enough for users to find the open move. */
const OPEN_MOVE_TTL = 'PT24H'
const TTL = 'PT5M'

/** The hosts and instances of these operations, computed from the fleet alone. */
export function operationsOf(fleet: DemoFleet, seed: string): Operations {
  const random = createRandom(`${seed}/operations`)
  const closed = new Set(fleet.closed.flatMap(({ hosts }) => hosts))
  const mayPlay = ({ name, kind }: DemoHost, place: number): boolean => place >= FIRST_PLACE && kind === 'general' && !closed.has(name)
  const [emptied, silent] = fleet.hosts.filter(mayPlay)
  return {
    group: aUuid(random),
    instances: Array.from({ length: MEMBERS + ON_EMPTIED + 1 }, () => aUuid(random)),
    emptied: emptied?.name,
    silent: silent?.name,
  }
}

const GROUP = graphql(`query Group($uuid: UUID!) { serverGroup(uuid: $uuid) { uuid } }`)

const MOVE = graphql(`mutation Move($input: SelectDestinationsInput!) { selectDestinations(input: $input) { __typename } }`)

const EVACUATE = graphql(`mutation Evacuate($input: HostEvacuateInput!) { hostEvacuate(input: $input) {
  __typename
  ... on HostEvacuatePayload { moves { result {
    __typename ... on SelectDestinationsPayload { destinations { selected { claim { id fence } } } }
  } } }
} }`)

const REVOKE = graphql(`mutation Revoke($ids: [ID!]!) {
  claimRevoke(ids: $ids, reason: "The contract of the project has ended") { __typename }
}`)

/**
 * Operators revoke a claim, empty a host, and move a member of a server group. The group comes last and stays: if it
 * exists, an earlier start has done everything; and each step may be repeated, so an interrupted demo continues.
 */
export async function operate(api: DemoApi, { group, instances, emptied, silent }: Operations, seed: string): Promise<void> {
  const { serverGroup } = await api.ask(GROUP, { uuid: group })
  if (serverGroup !== null) return
  const key = (what: string): string => `demo-${seed}-${what}`
  const place = async (what: string, spec: Partial<DemoSpec>): Promise<readonly ClaimRef[]> => {
    // a host that is silent would never say that it runs them
    const ignoreHosts = silent === undefined ? [] : [silent]
    const { claims } = await api.select({ ...SMALL, instanceUuids: [], ignoreHosts, ...spec }, key(what), TTL)
    if (claims.length > 0) await api.confirm(claims)
    return claims
  }

  const members = instances.slice(0, MEMBERS)
  const revoked = await place('revoked', { instanceUuids: instances.slice(-1), projectId: 'closed-shop' })
  if (revoked.length > 0) await api.ask(REVOKE, { ids: revoked.map(({ id }) => id) })

  if (emptied !== undefined) {
    await place('leaving', { instanceUuids: instances.slice(MEMBERS, -1), forceHosts: [emptied] })
    await api.close({ hosts: [emptied], status: 'MAINTENANCE', reason: 'Emptied for a new mainboard' })
    const input = { host: { host: emptied }, idempotencyKey: key('evacuation'), deadline: 'PT60S' }
    const { hostEvacuate } = await api.ask(EVACUATE, { input })
    const moves = 'moves' in hostEvacuate ? hostEvacuate.moves : []
    const there = moves.flatMap(({ result }) =>
      'destinations' in result ? result.destinations.flatMap(({ selected: { claim } }) => (claim === null ? [] : [claim])) : [],
    )
    if (there.length > 0) await api.confirm(there)
  }

  const instanceGroup = { uuid: group, policy: 'ANTI_AFFINITY' } as const
  const [first] = await place('group', { instanceUuids: members, instanceGroup })
  const spec = { gantt: { ...SMALL, instanceUuids: members.slice(0, 1) } }
  const claim = { mode: 'RESERVE' as const, ttl: OPEN_MOVE_TTL }
  if (first !== undefined)
    await api.ask(MOVE, { input: { intent: 'LIVE_MIGRATE', moveOf: toRef(first), idempotencyKey: key('move'), spec, claim } })
}

const SMALL = {
  flavor: { name: 'c1.medium', vcpus: 2, memoryMb: 4_096, rootGb: 40, extraSpecs: [{ key: 'class', value: 'general' }] },
  projectId: 'intranet',
}
