import { graphql } from '../../lib/graphql.ts'

/** Takes a host out of the fleet; a dry run only says what would end. */
export const FORGET = graphql(`
  mutation HostForget($host: ResourceNameInput!, $force: Boolean!, $reason: String!, $dryRun: Boolean!) {
    hostForget(hosts: [$host], force: $force, reason: $reason, dryRun: $dryRun) {
      __typename
      ... on HostForgetPayload { impact { claimCount aggregates } }
      ... on HostHasClaims { message code }
      ... on NotFound { message code }
      ... on ValidationError { message code }
    }
  }
`)

/** Lets a forgotten host report again. */
export const READMIT = graphql(`
  mutation HostReadmit($host: ResourceNameInput!, $reason: String!) {
    hostReadmit(host: $host, reason: $reason) {
      __typename
      ... on HostReadmitPayload { unchanged }
      ... on NotFound { message code }
      ... on ValidationError { message code }
    }
  }
`)

/** Gives a host another name; a dry run only says what would follow. */
export const REPLACE = graphql(`
  mutation HostReplace($host: ResourceNameInput!, $by: ResourceNameInput!, $reason: String!, $dryRun: Boolean!) {
    hostReplace(host: $host, by: $by, reason: $reason, dryRun: $dryRun) {
      __typename
      ... on HostReplacePayload { impact { claimCount aggregates } merged { name } }
      ... on HostHasClaims { message code }
      ... on NotFound { message code }
      ... on ValidationError { message code }
    }
  }
`)
