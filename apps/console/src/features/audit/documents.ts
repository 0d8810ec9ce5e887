import { graphql } from '../../lib/graphql.ts'

/** History, newest first. */
export const LIST = graphql(`
  query AuditList($q: String!, $after: String) {
    auditLog(first: 100, query: $q, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { id seq at account keyId mutation target result requestId summary hash previous }
    }
  }
`)
