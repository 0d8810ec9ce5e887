import { graphql } from '../../lib/graphql.ts'

/** Claims, oldest first. */
export const LIST = graphql(`
  query ClaimList($q: String!, $after: String, $at: Moment) {
    claims(first: 100, query: $q, after: $after, at: $at) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        id state instanceUuid createdAt expiresAt releasedAt reason account fence
        host { name node }
        resources { resourceClass amount }
        gpus { index milli }
        decision { id }
      }
    }
  }
`)

/** One claim. */
export const CLAIM = graphql(`
  query Claim($id: ID!, $at: Moment) {
    claim(id: $id, at: $at) {
      id state instanceUuid createdAt confirmedAt expiresAt releasedAt reason account fence serverGroup
      host { name node }
      resources { resourceClass amount }
      gpus { index milli }
      pools { pool gib }
      moveOf { id host { name node } }
      movingTo { id host { name node } }
      decision { id at outcome spec { flavorName } }
    }
  }
`)

/** How many claims there are of each kind that an operator looks for; the same lines as in kinds.ts. */
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
  }
`)

/** Ends claims whatever their fences are; for operators. */
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
