import { graphql } from '../../lib/service/graphql.ts'

/** The rows of the audit, newest first. */
export const LIST = graphql(`
  query AuditList($q: String!, $after: String) {
    auditLog(first: 100, query: $q, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { id seq at account keyId mutation target result requestId summary hash previous }
    }
  }
`)
