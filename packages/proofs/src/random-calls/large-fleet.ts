import { aUuid, demoFleet } from '@gantt/cli/for-proofs'
import type { Client } from '@gantt/client'
import { createRandom } from '@gantt/scheduler-core'

/** One call has the reports of this many hosts. */
const REPORTED_AT_ONCE = 500
/** One request places this many instances. */
const PLACED_AT_ONCE = 10
const FLAVORS = [
  { name: 'c1.small', vcpus: 1, memoryMb: 2_048, rootGb: 20 },
  { name: 'c1.large', vcpus: 4, memoryMb: 16_384, rootGb: 80 },
] as const

/** The names and ids of existing objects, which documents can use. */
export interface LargeFleet {
  readonly hosts: readonly string[]
  readonly aggregates: readonly string[]
  readonly groups: readonly string[]
  /** Global ids of decisions. The last decision belongs to a request that was not placed. */
  readonly decisions: readonly string[]
  readonly claims: readonly string[]
  /** The revision that the replica has applied when the fleet is complete. */
  readonly revision: number
}

const REPORT = `mutation ($input: UpdateResourceStatsInput!) {
  updateResourceStats(input: $input) { results { __typename ... on UserError { message } } } }`
const GATHER = `mutation ($input: AggregateCreateInput!) {
  aggregateCreate(input: $input) { ... on AggregatePayload { aggregate { uuid version } } ... on UserError { message } } }`
const JOIN = `mutation ($uuid: UUID!, $ifVersion: Int!, $input: AggregateUpdateInput!) {
  aggregateUpdate(uuid: $uuid, ifVersion: $ifVersion, input: $input) { __typename ... on UserError { message } } }`
const SELECT = `mutation ($input: SelectDestinationsInput!) { selectDestinations(input: $input) { __typename
  ... on SelectDestinationsPayload { decision { id } destinations { selected { claim { id } } } }
  ... on NoValidHost { decision { id } } ... on UserError { message } } }`
const FIND = '{ fleet { asOf } aggregates(first: 100) { nodes { uuid } } }'

interface Selected {
  readonly __typename: string
  readonly message?: string
  readonly decision?: { readonly id: string }
  readonly destinations?: readonly { readonly selected: { readonly claim: { readonly id: string } | null } }[]
}

/** Reports the demo's hosts, creates its aggregates, and places instances. The same seed gives the same fleet. */
export async function fillLargeFleet(
  client: Client,
  { hosts: count, claims: most, seed }: { readonly hosts: number; readonly claims: number; readonly seed: string },
): Promise<LargeFleet> {
  const fleet = demoFleet({ hosts: count, seed })
  for (let first = 0; first < count; first += REPORTED_AT_ONCE) {
    const updates = fleet.hosts.slice(first, first + REPORTED_AT_ONCE).map(({ name, stats }) => ({
      name: { host: name },
      reporter: { incarnation: '00000000-0000-4000-8000-0000000000f0', sequence: 1 },
      report: { full: { ...stats, hypervisorHostname: name } },
    }))
    const { updateResourceStats } = await client.request<{ updateResourceStats: { results: Selected[] } }>(REPORT, { input: { updates } })
    const refused = updateResourceStats.results.find(({ __typename }) => __typename !== 'ResourceStatsApplied')
    if (refused !== undefined) throw new Error(`a report was refused: ${refused.__typename} ${refused.message ?? ''}`)
  }
  for (const { name, metadata, hosts } of fleet.aggregates) {
    const input = { name, metadata: Object.entries(metadata).map(([key, value]) => ({ key, value })) }
    const { aggregateCreate } = await client.request<{ aggregateCreate: { aggregate: { uuid: string; version: number } } }>(GATHER, {
      input,
    })
    const { uuid, version } = aggregateCreate.aggregate
    await client.request(JOIN, { uuid, ifVersion: version, input: { addHosts: hosts } })
  }
  const random = createRandom(`${seed} requests`)
  const groups: string[] = []
  const decisions: string[] = []
  const claims: string[] = []
  for (let i = 0; claims.length < most; i++) {
    const group = i % 4 === 0 ? aUuid(random) : undefined
    if (group !== undefined) groups.push(group)
    const spec = {
      flavor: FLAVORS[i % FLAVORS.length],
      projectId: `project-${i % 7}`,
      instanceUuids: Array.from({ length: PLACED_AT_ONCE }, () => aUuid(random)),
      ...(group === undefined ? {} : { instanceGroup: { uuid: group, policy: 'ANTI_AFFINITY' } }),
    }
    const { selectDestinations } = await client.request<{ selectDestinations: Selected }>(SELECT, {
      input: { idempotencyKey: `fill-${i}`, claim: { mode: 'CONFIRM' }, spec: { gantt: spec } },
    })
    const { decision, destinations = [], message = '' } = selectDestinations
    if (decision === undefined || destinations.length === 0) throw new Error(`a request was not placed: ${message}`)
    decisions.push(decision.id)
    claims.push(...destinations.flatMap(({ selected }) => (selected.claim === null ? [] : [selected.claim.id])))
  }
  const refused = await client.request<{ selectDestinations: Selected }>(SELECT, {
    input: { idempotencyKey: 'refused', spec: { gantt: { flavor: { vcpus: 10_000, memoryMb: 64 }, availabilityZone: 'z2' } } },
  })
  if (refused.selectDestinations.decision !== undefined) decisions.push(refused.selectDestinations.decision.id)
  const found = await client.request<{ fleet: { asOf: string }; aggregates: { nodes: { uuid: string }[] } }>(FIND)
  return {
    hosts: fleet.hosts.map(({ name }) => name),
    aggregates: found.aggregates.nodes.map(({ uuid }) => uuid),
    groups,
    decisions,
    claims,
    revision: Number(found.fleet.asOf),
  }
}
