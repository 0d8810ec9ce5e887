import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { dataOf, type Json, type TestService } from '../../../testing/test-service.ts'

export const SELECT = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { replayed decision { id } destinations { selected { host { name }
    claim { id fence state gpus { index } cells { cell pinned memoryMb } resources { resourceClass amount } } } } }
  ... on NoValidHost { message reasons { code text } ignoredFields }
  ... on IdempotencyConflict { firstSeenAt }
  ... on UserError { code message path }
  ... on ValidationError { issues { path message } } } }`

const CLAIMS = {
  confirm: `mutation ($c: [ClaimRef!]!) { done: claimConfirm(claims: $c) { __typename ... on UserError { code message } } }`,
  release: `mutation ($c: [ClaimRef!]!) { done: claimRelease(claims: $c) { __typename ... on UserError { code message } } }`,
}

/** Makes placements and claims through the API of one service. */
export function casesOn(api: () => TestService) {
  const flavor = { vcpus: 1, memoryMb: 64 }

  const select = async (gantt: Json, input: Json = {}): Promise<Json> => {
    const spec = { gantt: { flavor, ...gantt } }
    return (await dataOf(api(), SELECT, { in: { idempotencyKey: randomUUID(), spec, ...input } })).selectDestinations
  }

  const hostsOf = (answer: Json): string[] | undefined => answer.destinations?.map(({ selected }: Json) => selected.host.name)

  const claimOf = (answer: Json): { readonly id: string; readonly fence: number } => {
    const { id, fence } = answer.destinations[0].selected.claim
    return { id, fence }
  }

  /** The selected hosts, or the reason codes of a refusal. */
  const outcomeOf = (answer: Json): unknown => hostsOf(answer) ?? answer.reasons?.map(({ code }: Json) => code) ?? answer.__typename

  /** Reports hosts in a separate zone. Otherwise hosts of other tests would influence the result. */
  async function zone(
    name: string,
    hosts: Readonly<Record<string, Json>>,
    metadata: readonly { readonly key: string; readonly value: string }[] = [],
  ): Promise<{ readonly availabilityZone: string }> {
    await api().report(hosts)
    const { aggregateCreate } = await dataOf(
      api(),
      `mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { __typename ... on UserError { message } } }`,
      { in: { name, hosts: Object.keys(hosts), availabilityZone: name, metadata } },
    )
    expect(aggregateCreate).toMatchObject({ __typename: 'AggregatePayload' })
    return { availabilityZone: name }
  }

  const confirm = async (claim: object): Promise<Json> => (await dataOf(api(), CLAIMS.confirm, { c: [claim] })).done

  const release = async (claim: object): Promise<Json> => (await dataOf(api(), CLAIMS.release, { c: [claim] })).done

  const stateOf = async (id: string): Promise<string> =>
    (await dataOf(api(), `query ($id: ID!) { claim(id: $id) { state } }`, { id })).claim.state

  const fenceOf = async (id: string): Promise<number> =>
    (await dataOf(api(), `query ($id: ID!) { claim(id: $id) { fence } }`, { id })).claim.fence

  const setStatus = (host: string, status: string): Promise<Json> =>
    dataOf(
      api(),
      `mutation ($hosts: [ResourceNameInput!]!, $status: HostStatus!) { hostSetStatus(hosts: $hosts, status: $status, reason: "a test") { __typename } }`,
      { hosts: [{ host }], status },
    )

  /** Places a new instance, and returns its confirmed claim. */
  async function placed(gantt: Json): Promise<{ readonly id: string; readonly fence: number }> {
    const answer = await select({ instanceUuids: [randomUUID()], ...gantt }, { claim: { mode: 'CONFIRM' } })
    expect(hostsOf(answer)).toHaveLength(1)
    return claimOf(answer)
  }

  const move = (claim: object, intent: string, gantt: Json): Promise<Json> =>
    select(gantt, { intent, moveOf: claim, claim: { mode: 'RESERVE' } })

  return { flavor, select, hostsOf, claimOf, outcomeOf, zone, confirm, release, stateOf, fenceOf, setStatus, placed, move }
}
