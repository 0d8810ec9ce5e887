import { graphql } from '../../lib/service/graphql.ts'

export const LIST = graphql(`
  query AggregateList($q: String, $order: AggregateOrder, $after: String, $at: Moment) {
    aggregates(first: 200, after: $after, query: $q, orderBy: $order, at: $at) {
      totalCount
      nodes { uuid name availabilityZone metadata { key value } hostCount version updatedAt }
      pageInfo { endCursor hasNextPage }
    }
  }
`)

export const AGGREGATE = graphql(`
  query Aggregate($uuid: UUID!, $at: Moment) {
    aggregate(uuid: $uuid, at: $at) {
      uuid name availabilityZone hostNames version updatedAt
      metadata { key value isOwn unusedReaders similarKeys readers { kind part key by profiles } }
    }
  }
`)

/** The most requested flavors, with their extra specs. */
export const ASKED = graphql(`
  query AggregateAsked {
    activity(window: "P7D", steps: 1) { flavors { name extraSpecs { key } } }
  }
`)

/** The states of the aggregate's members as packed columns, because an aggregate can contain the whole fleet. */
export const MEMBERS = graphql(`
  query AggregateMembers($query: String!, $at: Moment) {
    fleet(at: $at) {
      columns(names: [STATE, STATUS, AZ], query: $query) {
        names
        dictionaries { column values }
        columns { name elementType data }
      }
    }
  }
`)

/** The names of the hosts that match a filter. */
export const MATCHING = graphql(`
  query AggregateMatching($query: String!) {
    fleet { columns(names: [STATE], query: $query) { names } }
  }
`)

/** The history of an aggregate's changes. Only keys with the scope OPERATE may read it. */
export const HISTORY = graphql(`
  query AggregateHistory($query: String!) {
    auditLog(first: 100, query: $query) { nodes { id at account mutation result summary } }
  }
`)

export const CREATE = graphql(`
  mutation AggregateCreate($input: AggregateCreateInput!, $dryRun: Boolean!) {
    aggregateCreate(input: $input, dryRun: $dryRun) {
      __typename
      ... on AggregatePayload { dryRun impact { hostsAffected azChanges claimsOnAffectedHosts warnings } aggregate { uuid } }
      ... on ValidationError { issueCount issues { path message } }
      ... on UserError { code message }
    }
  }
`)

export const UPDATE = graphql(`
  mutation AggregateUpdate($uuid: UUID!, $ifVersion: Int!, $input: AggregateUpdateInput!, $dryRun: Boolean!) {
    aggregateUpdate(uuid: $uuid, ifVersion: $ifVersion, input: $input, dryRun: $dryRun) {
      __typename
      ... on AggregatePayload { dryRun impact { hostsAffected azChanges claimsOnAffectedHosts warnings } aggregate { uuid } }
      ... on VersionConflict { expected actual current { uuid name availabilityZone metadata { key value } hostNames version updatedAt } }
      ... on ValidationError { issueCount issues { path message } }
      ... on UserError { code message }
    }
  }
`)

/** A dry run of an edit: the placed instances whose hosts would then refuse their requests. */
export const WARNINGS = graphql(`
  mutation AggregateWarnings($uuid: UUID!, $ifVersion: Int!, $input: AggregateUpdateInput!) {
    aggregateUpdate(uuid: $uuid, ifVersion: $ifVersion, input: $input, dryRun: true) {
      __typename
      ... on AggregatePayload {
        warnings { asked outOfTime notAskable refused hosts told { code filter host node claims text } }
      }
      ... on UserError { message }
    }
  }
`)

/** A dry run of an edit: its effect on the latest requests, and on the free capacity for flavors. */
export const REPLAY = graphql(`
  mutation AggregateReplay($uuid: UUID!, $ifVersion: Int!, $input: AggregateUpdateInput!) {
    aggregateUpdate(uuid: $uuid, ifVersion: $ifVersion, input: $input, dryRun: true) {
      __typename
      ... on AggregatePayload {
        replay {
          asOf drawn sampled outOfTime notReplayable unreadable newFailures newPlacements elsewhere
          otherwise { kind hostsBefore hostsAfter because decision { id at spec { flavorName } } }
          room { flavor before after exact zones { zone before after } }
        }
      }
      ... on UserError { message }
    }
  }
`)

export const DELETE = graphql(`
  mutation AggregateDelete($uuid: UUID!, $ifVersion: Int!, $dryRun: Boolean!) {
    aggregateDelete(uuid: $uuid, ifVersion: $ifVersion, dryRun: $dryRun) {
      __typename
      ... on AggregatePayload { dryRun impact { hostsAffected azChanges claimsOnAffectedHosts warnings } }
      ... on VersionConflict { expected actual }
      ... on ValidationError { issueCount issues { path message } }
      ... on UserError { code message }
    }
  }
`)
