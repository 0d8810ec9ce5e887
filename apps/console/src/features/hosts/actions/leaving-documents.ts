import { graphql } from '../../../lib/service/graphql.ts'

/** Removes hosts from the fleet. A dry run only returns the claims that would end. */
export const FORGET = graphql(`
  mutation HostForget($hosts: [ResourceNameInput!]!, $force: Boolean!, $expectedClaims: Int, $reason: String!, $dryRun: Boolean!) {
    hostForget(hosts: $hosts, force: $force, expectedClaims: $expectedClaims, reason: $reason, dryRun: $dryRun) {
      __typename
      ... on HostForgetPayload { impact { claimCount claims { id instanceUuid state account } aggregates serverGroups } }
      ... on HostHasClaims { message claimCount claims { id instanceUuid state account } }
      ... on NotFound { message }
      ... on ValidationError { message issues { message } }
    }
  }
`)

/** Makes the service accept reports under a name again. */
export const READMIT = graphql(`
  mutation HostReadmit($host: ResourceNameInput!, $reason: String!) {
    hostReadmit(host: $host, reason: $reason) {
      __typename
      ... on HostReadmitPayload { unchanged }
      ... on NotFound { message }
      ... on ValidationError { message issues { message } }
    }
  }
`)

/** Gives a host another name. A dry run only returns the effects. */
export const REPLACE = graphql(`
  mutation HostReplace($host: ResourceNameInput!, $by: ResourceNameInput!, $reason: String!, $dryRun: Boolean!) {
    hostReplace(host: $host, by: $by, reason: $reason, dryRun: $dryRun) {
      __typename
      ... on HostReplacePayload {
        hosts { name node hasOtherNodes }
        merged { name node hasOtherNodes }
        impact { claimCount claims { id instanceUuid state account } aggregates serverGroups }
      }
      ... on HostHasClaims { message claimCount claims { id instanceUuid state account } }
      ... on NotFound { message }
      ... on ValidationError { message issues { message } }
    }
  }
`)

/** Keys that can be used, a page at a time, with the hosts that they are bound to. */
export const BOUND_KEYS = graphql(`
  query BoundKeys($after: String) {
    apiKeys(first: 500, after: $after, states: [ACTIVE]) {
      pageInfo { endCursor hasNextPage }
      nodes { id name hosts }
    }
  }
`)

/** The last call that forgot a host. */
export const FORGOTTEN_BY = graphql(`
  query HostForgottenBy($host: String!, $node: String, $at: Moment) {
    host(name: $host, node: $node, at: $at) {
      timeline(first: 1, kinds: [FORGOTTEN]) { nodes { edit { account requestId } } }
    }
  }
`)

/** Finds the host that has, or formerly had, a name. Also returns the earlier names of the host. */
export const FORMER_NAMES = graphql(`
  query HostFormerNames($host: String!, $node: String) {
    host(name: $host, node: $node) { id formerNames }
  }
`)

/** Hosts that were forgotten, by name. */
export const FORGOTTEN = graphql(`
  query ForgottenHosts($find: String!, $after: String, $at: Moment) {
    hosts(first: 50, after: $after, gone: true, filter: { name: { contains: $find } }, orderBy: [{ field: NAME }], at: $at) {
      totalCount
      pageInfo { endCursor hasNextPage }
      nodes { name node hasOtherNodes gone { at reason readmitted } }
    }
  }
`)

/** The count of forgotten hosts. */
export const FORGOTTEN_COUNT = graphql(`
  query ForgottenCount($at: Moment) {
    hosts(first: 1, gone: true, at: $at) { totalCount }
  }
`)
