import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@gantt/client'
import { STATS } from './callers/host-agents.ts'
import { type ClaimState, type ClassUsage, type FinalClaim, type FinalState, firstNameOf } from './history.ts'
import { CLAIM_UNITS, type ClaimUnits, freeUnitsOfHost, HOST_UNITS, type HostUnits, unitsOfClaim } from './picked-units.ts'

const HOSTS = `query Hosts($after: String) { hosts(first: 200, after: $after) {
  pageInfo { hasNextPage endCursor } nodes { name capacity { resourceClass capacity used claimed } ${HOST_UNITS} } } }`

const CLAIMS = `query Claims($after: String, $states: [ClaimState!], $first: Int) { claims(first: $first, after: $after, states: $states) {
  totalCount pageInfo { hasNextPage endCursor } nodes { id fence state instanceUuid serverGroup moveOf { id } host { name } resources { resourceClass amount } ${CLAIM_UNITS} } } }`

const GROUPS = `query Groups($after: String) { serverGroups(first: 200, after: $after) {
  pageInfo { hasNextPage endCursor } nodes { uuid members { host { name } count } } } }`

const FINDINGS = '{ auditor { rounds counts { code count } findings { code name actual } } }'

/**
 * The findings are read after this many further rounds of the auditor. The first of these rounds can have begun before the state was final.
 * Only the last round certainly examined nothing but the final state.
 */
const ROUNDS = 3
const ROUNDS_MS = 60_000
const POLL_INTERVAL_MS = 200

const DECISIONS = `query Decisions($after: String) { decisions(first: 200, after: $after) {
  pageInfo { hasNextPage endCursor } nodes { id } } }`

interface Page<Node> {
  readonly totalCount?: number
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  readonly nodes: readonly Node[]
}

/** Everything that a replica returns about hosts, claims (including ended ones) and groups, and the findings of its auditor. */
export async function readFinalState(client: Client, replica: number): Promise<FinalState> {
  interface Node extends HostUnits {
    readonly name: string
    readonly capacity: readonly ({ readonly resourceClass: string } & ClassUsage)[]
  }
  const hosts = await all<Node>(client, HOSTS, 'hosts')
  const claims = await claimsOf(client)
  const audited = await findingsOf(client)
  const groups = await all<{ uuid: string; members: { host: { name: string }; count: number }[] }>(client, GROUPS, 'serverGroups')
  return {
    replica,
    hosts: hosts.map(({ name, capacity, ...units }) => ({
      name: firstNameOf(name),
      called: name,
      classes: Object.fromEntries(
        capacity.map(({ resourceClass, capacity: most, used, claimed }) => [resourceClass, { capacity: most, used, claimed }]),
      ),
      freeUnits: freeUnitsOfHost(units),
    })),
    claims,
    groups: groups.map(({ uuid, members }) => ({
      uuid,
      members: Object.fromEntries(members.map(({ host, count }) => [firstNameOf(host.name), count])),
    })),
    ...audited,
  }
}

/** Reads the findings of a replica's auditor, after it has examined the final state. */
async function findingsOf(client: Client): Promise<Pick<FinalState, 'findings' | 'findingCounts'>> {
  interface Auditor {
    readonly rounds: number
    readonly counts: readonly { readonly code: string; readonly count: number }[]
    readonly findings: readonly { readonly code: string; readonly name: string; readonly actual: string }[]
  }
  const look = async (): Promise<Auditor> => (await client.request<{ auditor: Auditor }>(FINDINGS)).auditor
  let auditor = await look()
  const wanted = auditor.rounds + ROUNDS
  for (const end = performance.now() + ROUNDS_MS; auditor.rounds < wanted; auditor = await look()) {
    if (performance.now() > end) throw new Error(`the auditor has completed ${auditor.rounds} rounds; ${wanted} were expected`)
    await sleep(POLL_INTERVAL_MS)
  }
  return {
    findings: auditor.findings.map(({ code, name, actual }) => ({
      code,
      name: firstNameOf(name),
      hosts: code === 'instance.two_hosts' ? actual.split(', ').map(firstNameOf).sort() : [],
    })),
    findingCounts: Object.fromEntries(auditor.counts.map(({ code, count }) => [code, count])),
  }
}

/** Reads the claims that are in one of these states. If no states are given, reads all claims. */
export async function claimsOf(client: Client, states?: readonly ClaimState[]): Promise<FinalClaim[]> {
  interface Node extends ClaimUnits {
    readonly id: string
    readonly fence: number
    readonly state: ClaimState
    readonly instanceUuid: string | null
    readonly serverGroup: string | null
    readonly moveOf: { readonly id: string } | null
    readonly host: { readonly name: string }
    readonly resources: readonly { readonly resourceClass: string; readonly amount: number }[]
  }
  const nodes = await all<Node>(client, CLAIMS, 'claims', { first: 200, ...(states === undefined ? {} : { states }) })
  return nodes.map(({ id, fence, state, instanceUuid, serverGroup, moveOf, host, resources, ...units }) => ({
    id,
    fence,
    state,
    instance: instanceUuid,
    host: firstNameOf(host.name),
    group: serverGroup,
    moveOf: moveOf?.id ?? null,
    amounts: { ...Object.fromEntries(resources.map(({ resourceClass, amount }) => [resourceClass, amount])), ...unitsOfClaim(units) },
  }))
}

/** The ids of all decisions in the tables, newest first. */
export const decisionsOf = async (client: Client): Promise<string[]> =>
  (await all<{ id: string }>(client, DECISIONS, 'decisions')).map(({ id }) => id)

/**
 * Waits until a replica has caught up with the log. It sends a report without new content, which the replica answers only after it has
 * caught up.
 */
export async function makeFresh(client: Client, again: Readonly<Record<string, unknown>>): Promise<void> {
  await client.request(STATS, { input: { updates: [again] } })
}

async function all<Node>(
  client: Client,
  document: string,
  field: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<Node[]> {
  const nodes: Node[] = []
  for (let after: string | null = null; ; ) {
    const page: Page<Node> | undefined = (await client.request<Record<string, Page<Node>>>(document, { ...variables, after }))[field]
    if (page === undefined) throw new Error(`the answer has no ${field}`)
    nodes.push(...page.nodes)
    if (!page.pageInfo.hasNextPage) return nodes
    after = page.pageInfo.endCursor
  }
}
