import { type Given, graphql, type ResultOf, type VariablesOf } from './graphql.ts'

const claim = graphql(`
  fragment ClaimParts on Claim @_unmask {
    id
    fence
    state
    instanceUuid
    createdAt
    expiresAt
    confirmedAt
  }
`)

const placed = graphql(
  `
  fragment PlacedParts on SelectDestinationsPayload @_unmask {
    replayed
    fleetRevision
    ignoredFields
    decision { id }
    destinations {
      instanceUuid
      selected { weight host { name node availabilityZone } limits { resource limit } claim { ...ClaimParts } }
      alternates { weight host { name node availabilityZone } }
    }
  }
`,
  [claim],
)

/** Selects hosts for instances, and claims resources on them. */
export const selectDestinations = graphql(
  `
  mutation SelectDestinations($input: SelectDestinationsInput!) {
    selectDestinations(input: $input) {
      __typename
      ... on SelectDestinationsPayload { ...PlacedParts }
      ... on NoValidHost { code message path placedCount decision { id } reasons { code filter hosts text } }
      ... on ReplicaBehind { code message path retryAfter }
      ... on ClaimLost { code message path claim { ...ClaimParts } }
      ... on InstanceTaken { code message path claim { ...ClaimParts } }
      ... on IdempotencyConflict { code message path firstSeenAt }
      ... on ValidationError { code message path issues { path message expected actual } }
      ... on UserError { code message path }
    }
  }
`,
  [placed, claim],
)

/**
 * Selects hosts and claims resources with a key that is bound to a project. The document requests only fields that such a key may read: the
 * hosts of the project's instances, and nothing about other hosts.
 */
export const selectDestinationsForProject = graphql(
  `
  mutation SelectDestinationsForProject($input: SelectDestinationsInput!) {
    selectDestinations(input: $input) {
      __typename
      ... on SelectDestinationsPayload {
        replayed
        fleetRevision
        ignoredFields
        decision { id }
        destinations { instanceUuid selected { host { name node } claim { ...ClaimParts } } }
      }
      ... on NoValidHost { code message path placedCount decision { id } }
      ... on ReplicaBehind { code message path retryAfter }
      ... on ClaimLost { code message path claim { ...ClaimParts } }
      ... on InstanceTaken { code message path claim { ...ClaimParts } }
      ... on IdempotencyConflict { code message path firstSeenAt }
      ... on ValidationError { code message path issues { path message expected actual } }
      ... on UserError { code message path }
    }
  }
`,
  [claim],
)

/** Claims resources on a host that an earlier decision returned, such as an alternate. */
export const claimCreate = graphql(
  `
  mutation ClaimCreate($input: ClaimCreateInput!) {
    claimCreate(input: $input) {
      __typename
      ... on SelectDestinationsPayload { ...PlacedParts }
      ... on NoValidHost { code message path decision { id } reasons { code filter hosts text } }
      ... on ReplicaBehind { code message path retryAfter }
      ... on ClaimLost { code message path claim { ...ClaimParts } }
      ... on InstanceTaken { code message path claim { ...ClaimParts } }
      ... on IdempotencyConflict { code message path firstSeenAt }
      ... on UserError { code message path }
    }
  }
`,
  [placed, claim],
)

/**
 * The result of a change of a claim. The fields do not include lists, because lists add to the cost of the call, and one call can change a
 * thousand claims.
 */
const ended = graphql(
  `
  fragment EndedParts on ClaimResult @_unmask {
    __typename
    ... on ClaimPayload { replayed fleetRevision claim { ...ClaimParts } }
    ... on ClaimLost { code message path claim { ...ClaimParts } }
    ... on UserError { code message path }
  }
`,
  [claim],
)

export const claimConfirm = graphql('mutation ClaimConfirm($claims: [ClaimRef!]!) { claimConfirm(claims: $claims) { ...EndedParts } }', [
  ended,
])

export const claimExtend = graphql(
  'mutation ClaimExtend($claims: [ClaimRef!]!, $ttl: Duration!) { claimExtend(claims: $claims, ttl: $ttl) { ...EndedParts } }',
  [ended],
)

export const claimRelease = graphql(
  'mutation ClaimRelease($claims: [ClaimRef!]!, $reason: String) { claimRelease(claims: $claims, reason: $reason) { ...EndedParts } }',
  [ended],
)

/**
 * Releases all claims of an idempotency key. The answer has a list of claims, because one call with the key can place several instances.
 */
export const claimAbandon = graphql(
  `
  mutation ClaimAbandon($key: String!) {
    claimAbandon(idempotencyKey: $key) {
      __typename
      ... on ClaimPayload { replayed fleetRevision claims { ...ClaimParts } }
      ... on UserError { code message path }
    }
  }
`,
  [claim],
)

export type SelectDestinationsInput = Given<VariablesOf<typeof selectDestinations>['input']>
export type ClaimCreateInput = Given<VariablesOf<typeof claimCreate>['input']>
export type ClaimCreateResult = ResultOf<typeof claimCreate>['claimCreate']
export type ClaimRef = VariablesOf<typeof claimConfirm>['claims'][number]
export type ClaimResult = ResultOf<typeof claimConfirm>['claimConfirm'][number]
export type AbandonResult = ResultOf<typeof claimAbandon>['claimAbandon']
export type Claim = ResultOf<typeof claim>

type Whole = ResultOf<typeof selectDestinations>['selectDestinations']
type WholePlaced = Extract<Whole, { readonly __typename: 'SelectDestinationsPayload' }>

/**
 * An alternate: a further host of a decision, on which nothing is claimed. Zone and weight are null for a key that is bound to a project.
 */
export interface Alternate {
  readonly host: { readonly name: string; readonly node: string; readonly availabilityZone: string | null }
  /** The total score of the host. */
  readonly weight: number | null
}
/** The selected host, and the claim on it. Limits are empty for a key that is bound to a project. */
export type Destination = Alternate & Pick<WholePlaced['destinations'][number]['selected'], 'limits' | 'claim'>
/** The answer if hosts were selected. Alternates are empty for a key that is bound to a project. */
export type Placed = Omit<WholePlaced, 'destinations'> & {
  readonly destinations: readonly {
    readonly instanceUuid: string | null
    readonly selected: Destination
    readonly alternates: readonly Alternate[]
  }[]
}
export type SelectDestinationsResult = Exclude<Whole, WholePlaced> | Placed

type ToProject = ResultOf<typeof selectDestinationsForProject>['selectDestinations']

/** Converts the answer to `selectDestinationsForProject` to the general form. Values that a project may not read become empty or null. */
export function fromProject(answer: ToProject): SelectDestinationsResult {
  if (answer.__typename === 'NoValidHost') return { ...answer, reasons: [] }
  if (answer.__typename !== 'SelectDestinationsPayload') return answer
  const destinations = answer.destinations.map(({ instanceUuid, selected: { host, claim } }) => ({
    instanceUuid,
    selected: { host: { ...host, availabilityZone: null }, claim, weight: null, limits: [] },
    alternates: [],
  }))
  return { ...answer, destinations }
}
