export const REPORT = `mutation Report($input: UpdateResourceStatsInput!) {
  updateResourceStats(input: $input) { results { __typename ... on UserError { message } } }
}`

export const AGGREGATE_CREATE = `mutation Gather($input: AggregateCreateInput!) {
  aggregateCreate(input: $input) { __typename ... on AggregatePayload { aggregate { uuid version } } ... on UserError { message } }
}`

export const AGGREGATE_DELETE = `mutation Scatter($uuid: UUID!, $ifVersion: Int!) {
  aggregateDelete(uuid: $uuid, ifVersion: $ifVersion) { __typename ... on UserError { message } }
}`

export const PROFILE_CREATE = `mutation Write($profile: String!, $input: ProfileVersionInput!) {
  profileVersionCreate(profile: $profile, input: $input) { __typename ... on UserError { message } }
}`

export const SELECT = `mutation Place($input: SelectDestinationsInput!) {
  selectDestinations(input: $input) {
    __typename
    ... on SelectDestinationsPayload { destinations { selected { host { name } claim { id fence gpus { index } } } } }
    ... on UserError { message }
  }
}`

export const RELEASE = `mutation Release($claims: [ClaimRef!]!) {
  claimRelease(claims: $claims) { __typename ... on UserError { message } }
}`

export const HOSTS = `query Shown($run: String!, $after: String) {
  hosts(first: 200, after: $after, filter: { aggregate: { eq: $run } }) {
    pageInfo { hasNextPage endCursor } nodes { name capacity { resourceClass free } gpus { index freeMilli } } }
}`
