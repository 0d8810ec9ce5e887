import { graphql } from '@gantt/client'
import { createRandom } from '@gantt/scheduler-core'
import { type ClaimRef, type DemoApi, toRef } from './api.ts'
import type { DemoFleet } from './fleet.ts'
import type { DemoHost } from './host.ts'
import { aUuid, type DemoSpec } from './requests.ts'

/** The server group, instances and hosts of the demo's operator edits. They depend only on the fleet and the seed. */
export interface Operations {
  /** The uuid of the server group. Its three members are on separate hosts. */
  readonly group: string
  /**
   * The instances of the edits: first the group's members, then the instances on the host that is emptied, and last the instance whose
   * claim is revoked. The first member is being moved, so claims for it are held on two hosts.
   */
  readonly instances: readonly string[]
  /** A host that was emptied; undefined if the fleet is too small for one. */
  readonly emptied: string | undefined
  /** A host that sends neither reports nor heartbeats. */
  readonly silent: string | undefined
}

/** The index of the first host that operator edits may use. The earlier hosts stay unchanged for the example requests that find no host. */
const FIRST_INDEX = 15
const MEMBERS = 3
const ON_EMPTIED = 2
/** The move stays open for this time, so that users can find it. */
const OPEN_MOVE_TTL = 'PT24H'
const TTL = 'PT5M'

/** Chooses the server group, instances and hosts of the operator edits. */
export function operationsOf(fleet: DemoFleet, seed: string): Operations {
  const random = createRandom(`${seed}/operations`)
  const closed = new Set(fleet.closed.flatMap(({ hosts }) => hosts))
  const mayPlay = ({ name, kind }: DemoHost, index: number): boolean => index >= FIRST_INDEX && kind === 'general' && !closed.has(name)
  const [emptied, silent] = fleet.hosts.filter(mayPlay)
  return {
    group: aUuid(random),
    instances: Array.from({ length: MEMBERS + ON_EMPTIED + 1 }, () => aUuid(random)),
    emptied: emptied?.name,
    silent: silent?.name,
  }
}

const GROUP = graphql(`query Group($uuid: UUID!, $members: String!, $moved: String!) {
  serverGroup(uuid: $uuid) { uuid }
  members: claims(first: 500, query: $members) { nodes { id fence state instanceUuid } }
  moved: claims(first: 500, query: $moved) { nodes { id } }
}`)

const MOVE = graphql(`mutation Move($input: SelectDestinationsInput!) { selectDestinations(input: $input) { __typename } }`)

const EVACUATE = graphql(`mutation Evacuate($input: HostEvacuateInput!) { hostEvacuate(input: $input) {
  __typename
  ... on HostEvacuatePayload { moves { result {
    __typename ... on SelectDestinationsPayload { destinations { selected { claim { id fence } } } }
  } } }
} }`)

const REVOKE = graphql(`mutation Revoke($ids: [ID!]!) {
  claimRevoke(ids: $ids, reason: "The contract of the tenant has ended") { __typename }
}`)

/**
 * Makes the edits: operators revoke a claim, empty a host, and move a member of a server group. The group is created before the move and
 * stays. If it exists, an earlier start has made all other edits. Each step may be repeated, so an interrupted demo can continue.
 */
export async function operate(api: DemoApi, { group, instances, emptied, silent }: Operations, seed: string): Promise<void> {
  const earlier = await api.ask(GROUP, { uuid: group, members: `group:${group}`, moved: `instance:${instances[0]}` })
  const key = (what: string): string => `demo-${seed}-${what}`
  const place = async (what: string, spec: Partial<DemoSpec>): Promise<readonly ClaimRef[]> => {
    // A silent host sends no reports, so these instances are not placed on it.
    const ignoreHosts = silent === undefined ? [] : [silent]
    const { claims } = await api.select({ ...SMALL, instanceUuids: [], ignoreHosts, ...spec }, key(what), TTL)
    if (claims.length > 0) await api.confirm(claims)
    return claims
  }

  const members = instances.slice(0, MEMBERS)
  const moveFirst = async (claims: readonly ClaimRef[]): Promise<void> => {
    const [first] = claims
    const spec = { gantt: { ...SMALL, instanceUuids: members.slice(0, 1) } }
    const claim = { mode: 'RESERVE' as const, ttl: OPEN_MOVE_TTL }
    if (first !== undefined)
      await api.ask(MOVE, { input: { intent: 'LIVE_MIGRATE', moveOf: toRef(first), idempotencyKey: key('move'), spec, claim } })
  }
  if (earlier.serverGroup !== null) {
    const placed = earlier.members.nodes
    const reserved = placed.filter(({ state }) => state === 'RESERVED')
    // A move makes a second claim for the instance, which may have ended since.
    if (earlier.moved.nodes.length > 1) return
    if (reserved.length > 0) await api.confirm(reserved)
    await moveFirst(placed.filter(({ instanceUuid }) => instanceUuid === members[0]))
    return
  }
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
  await moveFirst(await place('group', { instanceUuids: members, instanceGroup }))
}

const SMALL = {
  flavor: { name: 'c1.medium', vcpus: 2, memoryMb: 4_096, rootGb: 40, extraSpecs: [{ key: 'class', value: 'general' }] },
  projectId: 'intranet',
}
