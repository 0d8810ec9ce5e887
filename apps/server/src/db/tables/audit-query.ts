import type { Query, QueryTerm } from '@gantt/scheduler-core/query'
import { Prisma } from '../../generated/prisma/client.ts'
import { allSql, likeLiteral, matchSql } from './decision-query.ts'

/** The condition for rows of table `audit` (as a) that match a query. */
export const auditQuerySql = (query: Query, now: number): Prisma.Sql => allSql(query, Prisma.sql`a.at_ms`, now, termSql)

function termSql(term: QueryTerm): Prisma.Sql {
  if (term.field === null) {
    const part = `%${likeLiteral((term.values[0] ?? '').replace(/\\(.)/g, '$1').toLowerCase())}%`
    return Prisma.sql`(lower(a.target) LIKE ${part} OR lower(a.summary) LIKE ${part} OR lower(a.mutation) LIKE ${part})`
  }
  const text = texts[term.field]
  if (text === undefined) throw new RangeError(`the audit cannot be searched by ${term.field}`)
  return Prisma.sql`EXISTS (SELECT 1 FROM (VALUES (${text})) AS one(text) WHERE ${Prisma.join(term.values.map(matchSql), ' OR ')})`
}

const texts: Readonly<Record<string, Prisma.Sql>> = {
  account: Prisma.sql`a.account`,
  key: Prisma.sql`a.key_id`,
  mutation: Prisma.sql`a.mutation`,
  target: Prisma.sql`a.target`,
  result: Prisma.sql`a.result`,
  request: Prisma.sql`a.request_id`,
}
