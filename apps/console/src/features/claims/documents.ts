import { graphql } from '../../lib/service/graphql.ts'

/** Claims, oldest first. */
export const LIST = graphql(`
  query ClaimList($q: String!, $after: String, $at: Moment) {
    claims(first: 100, query: $q, after: $after, at: $at) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        id state instanceUuid createdAt expiresAt releasedAt reason account fence
        host { name node hasOtherNodes }
        resources { resourceClass amount }
        gpus { index milli }
        decision { id }
      }
    }
  }
`)

export const CLAIM = graphql(`
  query Claim($id: ID!, $at: Moment) {
    claim(id: $id, at: $at) {
      id state instanceUuid createdAt confirmedAt expiresAt releasedAt heldUntil reason account fence serverGroup
      host { name node hasOtherNodes }
      resources { resourceClass amount }
      gpus { index milli }
      pools { pool gib }
      moveOf { id host { name node hasOtherNodes } }
      movingTo { id host { name node hasOtherNodes } }
      decision { id at outcome spec { flavorName } }
    }
  }
`)

/**
 * The count of claims of each kind in kinds.ts, and the count of conflicting proposals. The variables are the filters in kinds.ts, and have
 * the names of the kinds.
 */
export const COUNTS = graphql(`
  query ClaimCounts(
    $reserved: String!, $ending: String!, $old: String!, $held: String!, $counted: String!, $expired: String!, $at: Moment
  ) {
    reserved: claims(first: 1, query: $reserved, at: $at) { totalCount }
    ending: claims(first: 1, query: $ending, at: $at) { totalCount }
    old: claims(first: 1, query: $old, at: $at) { totalCount }
    held: claims(first: 1, query: $held, at: $at) { totalCount }
    counted: claims(first: 1, query: $counted, at: $at) { totalCount }
    expired: claims(first: 1, query: $expired, at: $at) { totalCount }
    replicas { live proposals conflicts }
  }
`)

/** The count of claims in each range of ages. The variables are the filters that ages.ts makes, one for each bar. */
export const AGES = graphql(`
  query ClaimAges(
    $b0: String!, $b1: String!, $b2: String!, $b3: String!, $b4: String!, $b5: String!, $b6: String!, $b7: String!, $at: Moment
  ) {
    b0: claims(first: 1, query: $b0, at: $at) { totalCount }
    b1: claims(first: 1, query: $b1, at: $at) { totalCount }
    b2: claims(first: 1, query: $b2, at: $at) { totalCount }
    b3: claims(first: 1, query: $b3, at: $at) { totalCount }
    b4: claims(first: 1, query: $b4, at: $at) { totalCount }
    b5: claims(first: 1, query: $b5, at: $at) { totalCount }
    b6: claims(first: 1, query: $b6, at: $at) { totalCount }
    b7: claims(first: 1, query: $b7, at: $at) { totalCount }
  }
`)

/** Ends claims without checking their fences. Only for operators. */
export const REVOKE = graphql(`
  mutation ClaimRevoke($ids: [ID!]!, $reason: String!) {
    claimRevoke(ids: $ids, reason: $reason) {
      __typename
      ... on ClaimPayload { replayed claim { id state } }
      ... on ValidationError { issues { path message } }
      ... on UserError { code message }
    }
  }
`)
