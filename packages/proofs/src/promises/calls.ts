import type { Client } from '@gantt/client'

/** A host that a proof reports, with the few amounts that matter for the proof. */
export interface SmallHost {
  readonly name: string
  readonly vcpus: number
}

export interface Answer {
  readonly __typename: string
  readonly message?: string
  readonly replayed?: boolean
  /** `attempt`: how many times the request was decided. */
  readonly decision?: { readonly id: string; readonly attempt: number }
  readonly destinations?: readonly {
    readonly selected: { readonly host: { readonly name: string }; readonly claim: { readonly id: string; readonly fence: number } | null }
  }[]
}

const REPORT = `mutation Report($input: UpdateResourceStatsInput!) {
  updateResourceStats(input: $input) { appliedCount fleetRevision results { __typename ... on UserError { code message } } } }`

const SELECT = `mutation Select($input: SelectDestinationsInput!) {
  selectDestinations(input: $input) { __typename
    ... on SelectDestinationsPayload { replayed decision { id attempt } destinations { selected { host { name } claim { id fence } } } }
    ... on NoValidHost { message decision { id attempt } }
    ... on UserError { message } } }`

const RELEASE = `mutation Release($claims: [ClaimRef!]!) { claimRelease(claims: $claims) { __typename ... on UserError { message } } }`

const CONFIRM = `mutation Confirm($claims: [ClaimRef!]!) { claimConfirm(claims: $claims) { __typename } }`

const GROUP = `query Group($uuid: UUID!) { serverGroup(uuid: $uuid) { members { host { name } count } } }`

const HOST = `query Host($name: String!) { host(name: $name) { capacity { resourceClass total used claimed free } claims(first: 500, states: [RESERVED, CONFIRMED, MATERIALISED]) { nodes { id state } } } }`

export const INCARNATION = '00000000-0000-4000-8000-0000000000aa'

export async function reportHosts(client: Client, hosts: readonly SmallHost[], sequence = 1): Promise<void> {
  const { updateResourceStats } = await client.request<{ updateResourceStats: { results: { __typename: string; message?: string }[] } }>(
    REPORT,
    {
      input: {
        updates: hosts.map(({ name, vcpus }) => ({
          name: { host: name },
          reporter: { incarnation: INCARNATION, sequence },
          report: {
            full: {
              vcpus,
              vcpusUsed: 0,
              memoryMb: 1_024 * vcpus,
              memoryMbUsed: 0,
              localGb: 100,
              localGbUsed: 0,
              cpuAllocationRatio: 1,
              ramAllocationRatio: 1,
              diskAllocationRatio: 1,
              hypervisorType: 'QEMU',
              hypervisorVersion: 7_002_000,
              hypervisorHostname: name,
            },
          },
        })),
      },
    },
  )
  const refused = updateResourceStats.results.find(({ __typename }) => __typename !== 'ResourceStatsApplied')
  if (refused !== undefined) throw new Error(`a report was refused: ${refused.__typename} ${refused.message ?? ''}`)
}

export interface SelectInput {
  readonly key: string
  readonly vcpus?: number
  readonly numInstances?: number
  readonly forceHosts?: readonly string[]
  readonly profile?: string
  /** The deadline of the call as an ISO 8601 duration. If absent, the service's default applies. */
  readonly deadline?: string
  readonly instanceGroup?: { readonly uuid: string; readonly policy: string; readonly maxServerPerHost?: number }
  /** The claim that is live-migrated. Both the old and the new claim hold resources until the new claim is confirmed. */
  readonly moveOf?: { readonly id: string; readonly fence: number }
}

export async function select(
  client: Client,
  { key, vcpus = 1, numInstances = 1, forceHosts, profile, deadline, instanceGroup, moveOf }: SelectInput,
): Promise<Answer> {
  const input = {
    idempotencyKey: key,
    claim: { mode: moveOf ? 'RESERVE' : 'CONFIRM' },
    ...(moveOf ? { intent: 'LIVE_MIGRATE', moveOf } : {}),
    spec: {
      gantt: {
        flavor: { vcpus, memoryMb: 64 },
        numInstances,
        ...(forceHosts ? { forceHosts } : {}),
        ...(instanceGroup ? { instanceGroup } : {}),
      },
    },
    ...(profile ? { profile } : {}),
    ...(deadline ? { deadline } : {}),
  }
  return (await client.request<{ selectDestinations: Answer }>(SELECT, { input })).selectDestinations
}

export async function release(client: Client, claims: readonly { readonly id: string; readonly fence: number }[]): Promise<void> {
  await client.request(RELEASE, { claims: claims.map(({ id, fence }) => ({ id, fence })) })
}

export async function confirm(client: Client, claims: readonly { readonly id: string; readonly fence: number }[]): Promise<string[]> {
  const { claimConfirm } = await client.request<{ claimConfirm: { __typename: string }[] }>(CONFIRM, {
    claims: claims.map(({ id, fence }) => ({ id, fence })),
  })
  return claimConfirm.map(({ __typename }) => __typename)
}

/** The members of a server group by host, as a replica returns them. Empty for a group without members. */
export async function membersOf(client: Client, uuid: string): Promise<Readonly<Record<string, number>>> {
  const { serverGroup } = await client.request<{ serverGroup: { members: { host: { name: string }; count: number }[] } | null }>(GROUP, {
    uuid,
  })
  return Object.fromEntries((serverGroup?.members ?? []).map(({ host, count }) => [host.name, count]))
}

export interface HostUsage {
  readonly vcpusTotal: number
  readonly vcpusClaimed: number
  readonly liveClaims: readonly string[]
}

export async function usageOf(client: Client, name: string): Promise<HostUsage> {
  const { host } = await client.request<{
    host: {
      capacity: { resourceClass: string; total: number; claimed: number }[]
      claims: { nodes: { id: string; state: string }[] }
    } | null
  }>(HOST, { name })
  const vcpu = host?.capacity.find(({ resourceClass }) => resourceClass === 'VCPU')
  return {
    vcpusTotal: vcpu?.total ?? 0,
    vcpusClaimed: vcpu?.claimed ?? 0,
    liveClaims: (host?.claims.nodes ?? [])
      .filter(({ state }) => ['RESERVED', 'CONFIRMED', 'MATERIALISED'].includes(state))
      .map(({ id }) => id),
  }
}

/** The claims of an answer. */
export const claimsOf = (answer: Answer): { id: string; fence: number; host: string }[] =>
  (answer.destinations ?? []).flatMap(({ selected }) => (selected.claim === null ? [] : [{ ...selected.claim, host: selected.host.name }]))
