import { graphql } from '../../lib/service/graphql.ts'

/** The matching keys, oldest first, and the count of all keys. */
export const LIST = graphql(`
  query KeyList($find: String, $states: [ApiKeyState!], $after: String) {
    all: apiKeys(first: 1) { totalCount }
    apiKeys(first: 200, after: $after, find: $find, states: $states) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { id name account prefix scopes hosts maxNodes project replaces state createdAt expiresAt revokedAt lastUsedAt }
    }
  }
`)

/** The key of this session. */
export const OWN = graphql(`
  query OwnKey {
    viewer { actor { id name account } }
  }
`)

const keyEnd = graphql(`
  fragment KeyEnd on ApiKeyResult {
    ... on ApiKeyPayload { secret key { id name account } }
    ... on ValidationError { issues { path message } }
    ... on UserError { code message }
  }
`)

export const CREATE = graphql(
  `
  mutation KeyCreate($input: ApiKeyCreateInput!) {
    apiKeyCreate(input: $input) { __typename ...KeyEnd }
  }
`,
  [keyEnd],
)

export const ROTATE = graphql(
  `
  mutation KeyRotate($id: ID!, $overlap: Duration!) {
    apiKeyRotate(id: $id, overlap: $overlap) { __typename ...KeyEnd }
  }
`,
  [keyEnd],
)

export const REVOKE = graphql(
  `
  mutation KeyRevoke($id: ID!) {
    apiKeyRevoke(id: $id) { __typename ...KeyEnd }
  }
`,
  [keyEnd],
)
