import { graphql, type ResultOf } from '@gantt/client'
import { REFUSAL } from '../../call/failure.ts'
import { GANTT } from '../../output/called.ts'
import { age, counted, decimal } from '../../output/format.ts'
import { shortId } from '../../output/ids.ts'
import { toTable, wrap } from '../../output/table.ts'
import { REASON, toReasonTable } from '../decision/reasons.ts'
import { nameOf } from '../host/hosts.ts'

export const SELECT = graphql(
  `mutation Select($input: SelectDestinationsInput!) {
  selectDestinations(input: $input) {
    __typename
    ... on SelectDestinationsPayload {
      replayed
      ignoredFields unlocatedFields
      decision { id }
      destinations {
        instanceUuid
        selected { weight host { name node hasOtherNodes availabilityZone } claim { id fence state expiresAt moveOf { id } gpus { index milli } } }
        alternates { weight host { name node hasOtherNodes } }
      }
    }
    ... on NoValidHost { message placedCount ignoredFields unlocatedFields decision { id } reasons { ...Reason } }
    ... on ClaimLost { claim { id state } }
    ...Refusal
  }
}`,
  [REASON, REFUSAL],
)

/** The call with a key that is bound to a project. It requests the hosts of the project's instances, and nothing else about hosts. */
export const SELECT_FOR_PROJECT = graphql(
  `mutation SelectForProject($input: SelectDestinationsInput!) {
  selectDestinations(input: $input) {
    __typename
    ... on SelectDestinationsPayload {
      replayed
      ignoredFields unlocatedFields
      decision { id }
      destinations { instanceUuid selected { host { node name } claim { id fence state expiresAt } } }
    }
    ... on NoValidHost { message placedCount ignoredFields unlocatedFields decision { id } }
    ... on ClaimLost { claim { id state } }
    ...Refusal
  }
}`,
  [REFUSAL],
)

export type Selected = ResultOf<typeof SELECT> | ResultOf<typeof SELECT_FOR_PROJECT>
type Answer = Selected['selectDestinations']
export type Placed = Extract<Answer, { readonly __typename: 'SelectDestinationsPayload' }>
export type Refused = Extract<Answer, { readonly __typename: 'NoValidHost' }>

/** Alternates are listed for at most this many instances. With more, the next commands would be hard to find in the output. */
const MAX_INSTANCES_WITH_ALTERNATES = 5

interface FieldsWithoutEffect {
  readonly ignoredFields: readonly string[]
  readonly unlocatedFields: readonly string[]
}

/** The lines about the fields of the request that had no effect, with the reason. Empty if all fields had an effect. */
export function toLinesOfIgnored({ ignoredFields, unlocatedFields }: FieldsWithoutEffect): readonly string[] {
  const unread = ignoredFields.filter((path) => !unlocatedFields.includes(path))
  return [
    ...(unread.length === 0 ? [] : ['', ...wrap(`Ignored fields (nothing in the profile reads them): ${unread.join(', ')}.`)]),
    ...(unlocatedFields.length === 0
      ? []
      : ['', ...wrap(`Ignored fields (no recent document locates what they name): ${unlocatedFields.join(', ')}.`)]),
  ]
}

/** The host of each instance, the claimed resources, and the next command. */
export function toLinesOfPlaced({ replayed, decision, destinations }: Placed): readonly string[] {
  const nowMs = Date.now()
  const rows = destinations.map(({ selected }) => {
    const { host, claim } = selected
    return [
      nameOf(host),
      ...('weight' in selected ? [selected.host.availabilityZone, decimal(selected.weight)] : []),
      claim === null ? '-' : shortId(claim.id),
      claim === null ? '-' : claim.expiresAt === null ? 'no end' : age(claim.expiresAt, nowMs),
    ]
  })
  const claims = destinations.flatMap(({ selected: { claim } }) =>
    claim?.state === 'RESERVED' || isMove(claim) ? [shortId(claim.id)] : [],
  )
  const isToProject = destinations.some(({ selected }) => !('weight' in selected))
  const withOthers = destinations.flatMap((destination) =>
    'alternates' in destination && destination.alternates.length > 0 ? [destination] : [],
  )
  const alternates = withOthers
    .slice(0, MAX_INSTANCES_WITH_ALTERNATES)
    .flatMap(({ selected, alternates: others }) =>
      wrap(`Next best after ${nameOf(selected.host)}: ${others.map(({ host }) => nameOf(host)).join(', ')}`),
    )
  return [
    `${counted(destinations.length, 'instance')} placed${replayed ? ' earlier, by a call with the same idempotency key' : ''}.`,
    '',
    ...toTable(
      [
        { head: 'host', cut: 'middle', least: 10, key: true },
        ...(isToProject
          ? []
          : ([
              { head: 'zone', cut: 'middle', least: 6 },
              { head: 'weight', align: 'right' },
            ] as const)),
        { head: 'claim' },
        { head: 'held for', align: 'right' },
      ],
      rows,
    ),
    '',
    ...alternates,
    ...(withOthers.length > MAX_INSTANCES_WITH_ALTERNATES
      ? [`Next best for ${withOthers.length - MAX_INSTANCES_WITH_ALTERNATES} more instances: see --json`]
      : []),
    `To see why: ${GANTT} explain ${shortId(decision.id)}`,
    ...(claims.length === 1 ? toNext(claims[0] ?? '', isMove(destinations[0]?.selected.claim)) : []),
    ...(claims.length > 1 ? [`To keep them: ${GANTT} claims confirm CLAIM...`] : []),
  ]
}

type Claim = Placed['destinations'][number]['selected']['claim']

const isMove = (claim: Claim | undefined): claim is NonNullable<Claim> =>
  claim !== null && claim !== undefined && 'moveOf' in claim && claim.moveOf !== null

/** The next commands for a new claim: how to confirm it, or the two ways to end a move. */
const toNext = (claim: string, isMove: boolean): readonly string[] =>
  isMove
    ? [`To move:    ${GANTT} claims confirm ${claim}`, `To stay:    ${GANTT} claims revert ${claim}`]
    : [`To keep it: ${GANTT} claims confirm ${claim}`]

/** The reasons why no host fits, and the commands that show more. */
export function toLinesOfRefused(answer: Refused): readonly string[] {
  const { message, decision } = answer
  // the service does not return the reasons for a key that is bound to a project
  if (!('reasons' in answer)) return [...wrap(message), '', `To see why: ${GANTT} explain ${shortId(decision.id)}`]
  return [
    ...wrap(message),
    '',
    ...(answer.reasons.length === 0 ? [] : [...toReasonTable(answer.reasons), '']),
    `To see why:   ${GANTT} explain ${shortId(decision.id)}`,
    `For one host: ${GANTT} why-not ${shortId(decision.id)} HOST`,
  ]
}
