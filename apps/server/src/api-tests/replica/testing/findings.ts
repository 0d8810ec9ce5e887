import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { decodeId } from '../../../schema/types/ids.ts'
import { dataOf, type Json, type TestService } from '../../../testing/test-service.ts'

const REPORT = 'mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename } } }'

export const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { destinations { selected { claim { id state } } } } ... on UserError { message } } }`

export const FINDINGS = `{ auditor { violations warnings notices cleanRounds
  findings { id code severity host claim actual repair { automatic text options { name text asksSize asksOwner } } } } health { violations warnings } }`

export const REPAIR = `mutation ($id: ID!, $reason: String!, $choose: String, $size: InstanceSizeInput, $project: String, $account: String, $dryRun: Boolean!) {
  findingRepair(id: $id, reason: $reason, choose: $choose, size: $size, project: $project, account: $account, dryRun: $dryRun) { __typename
  ... on FindingRepairPayload { dryRun finding { id } differenceCount differences { subject name field before after } }
  ... on UserError { code message path } } }`

interface Chosen {
  readonly choose?: string
  readonly size?: { readonly vcpus: number; readonly memoryMib: number }
  readonly project?: string
  readonly account?: string
}

/** Makes reports, placements and repairs through the API of one service. */
export function findingsOn(api: () => TestService) {
  const reporter = { incarnation: randomUUID() }

  let sequence = 0

  async function report(host: string, full: object): Promise<void> {
    const machine = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_000, localGbUsed: 0 }
    const update = { name: { host }, reporter: { ...reporter, sequence: ++sequence }, report: { full: { ...machine, ...full } } }
    const { updateResourceStats } = await dataOf(api(), REPORT, { u: [update] })
    expect(updateResourceStats.results).toEqual([{ __typename: 'ResourceStatsApplied' }])
  }

  async function place(host: string): Promise<{ readonly instance: string; readonly claim: string }> {
    const instance = randomUUID()
    const gantt = { forceHosts: [host], instanceUuids: [instance], flavor: { vcpus: 2, memoryMb: 1_024 } }
    const { selectDestinations } = await dataOf(api(), PLACE, {
      in: { idempotencyKey: randomUUID(), claim: { mode: 'CONFIRM' }, spec: { gantt } },
    })
    return { instance, claim: decodeId(selectDestinations.destinations[0].selected.claim.id).id }
  }

  const repair = async (id: string, dryRun: boolean, reason = 'a test', chosen: Chosen = {}): Promise<Json> =>
    (await dataOf(api(), REPAIR, { id, reason, dryRun, ...chosen })).findingRepair

  /** The differences that a repair makes: the values before and after, by subject, name and field. */
  const changesOf = ({ differences }: Json): Readonly<Record<string, readonly [string | null, string | null]>> =>
    Object.fromEntries(differences.map(({ subject, name, field, before, after }: Json) => [`${subject} ${name} ${field}`, [before, after]]))

  const liveClaims = (instance: string) =>
    api()
      .service.replica.fleet.ledger.claimsFor(instance)
      .map(({ id, host, state }) => ({
        ...{ id, state },
        host: api().service.replica.fleet.hosts.get(host).host,
      }))

  /** The findings about `hosts`. Waits until the findings have exactly the codes in `codes`. */
  async function found(hosts: readonly string[], codes: readonly string[]): Promise<Json[]> {
    const about = async (): Promise<Json[]> =>
      (await dataOf(api(), FINDINGS)).auditor.findings.filter(({ host }: Json) => hosts.includes(host))
    await expect.poll(async () => (await about()).map(({ code }) => code).sort()).toEqual([...codes].sort())
    return (await about()).sort((a, b) => a.code.localeCompare(b.code))
  }

  const running = (...instances: string[]) => ({ instances, vcpusUsed: 2 * instances.length, memoryMbUsed: 1_024 * instances.length })

  return { report, place, repair, changesOf, liveClaims, found, running }
}
