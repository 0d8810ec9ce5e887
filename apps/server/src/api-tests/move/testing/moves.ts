import { randomUUID } from 'node:crypto'
import { dataOf, type Json, type TestService } from '../../../testing/test-service.ts'

const MOVE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { replayed decision { id } destinations { instanceUuid
    selected { host { name } claim { id fence state moveOf { id } } } alternates { host { name } } } }
  ... on NoValidHost { decision { id } reasons { filter code hosts } }
  ... on ClaimLost { message claim { id state } }
  ... on ValidationError { issues { path message } }
  ... on UserError { code message path } } }`

export const CLAIM = `query ($id: ID!) { claim(id: $id) { id state fence reason host { name } serverGroup moveOf { id } movingTo { id } } }`

/** Makes moves through the API of one service. */
export function movesOn(api: () => TestService) {
  const flavor = (vcpus: number) => ({ flavor: { vcpus, memoryMb: 1_024 } })

  /** Places a request. `gantt` is the content of `spec.gantt`, and `input` has further fields of the call. */
  async function place(gantt: Record<string, unknown>, input: Record<string, unknown> = {}): Promise<Json> {
    return (await dataOf(api(), MOVE, { in: { idempotencyKey: randomUUID(), spec: { gantt }, ...input } })).selectDestinations
  }

  const claimOf = (answer: Json): { id: string; fence: number } => {
    const { id, fence } = answer.destinations[0].selected.claim
    return { id, fence }
  }

  const read = async (id: string): Promise<Json> => (await dataOf(api(), CLAIM, { id })).claim

  const end = async (name: string, claims: readonly object[]): Promise<Json> =>
    (
      await dataOf(
        api(),
        `mutation ($c: [ClaimRef!]!) { ${name}(claims: $c) { __typename ... on ClaimPayload { replayed claim { state } } } }`,
        { c: claims },
      )
    )[name]

  const freeOf = async (host: string): Promise<number> =>
    (
      await dataOf(api(), 'query ($name: String!) { host(name: $name) { capacity { resourceClass free } } }', { name: host })
    ).host.capacity.find(({ resourceClass }: Json) => resourceClass === 'VCPU').free

  /** Reports hosts that only one test uses. The requests of the test name these hosts. */
  async function hosts(prefix: string, count: number, shape: Record<string, unknown> = {}): Promise<string[]> {
    const names = Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`)
    await api().report(Object.fromEntries(names.map((name) => [name, { vcpus: 8, ...shape }])))
    return names
  }

  return { flavor, place, claimOf, read, end, freeOf, hosts }
}
