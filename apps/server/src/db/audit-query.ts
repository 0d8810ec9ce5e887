import type { Query, QueryTerm } from '@gantt/scheduler-core/query'
import { Prisma } from '../generated/prisma/client.ts'
import { likeLiteral, matchSql, numberSql } from './decision-query.ts'

/** The rows of table `audit` (as a) that a query means. */
export function auditQuerySql({ terms }: Query, now: number): Prisma.Sql {
  if (terms.length === 0) return Prisma.sql`true`
  return Prisma.join(
    terms.map((term) => {
      const holds = termSql(term, now)
      return term.negated ? Prisma.sql`NOT (${holds})` : holds
    }),
    ' AND ',
  )
}

function termSql(term: QueryTerm, now: number): Prisma.Sql {
  if (term.field === null) {
    const part = `%${likeLiteral((term.values[0] ?? '').replace(/\\(.)/g, '$1').toLowerCase())}%`
    return Prisma.sql`(lower(a.target) LIKE ${part} OR lower(a.summary) LIKE ${part} OR lower(a.mutation) LIKE ${part})`
  }
  // `last:1h` reads as "at most an hour old"
  if (term.field === 'last')
    return numberSql(Prisma.sql`((${now}::bigint - a.at_ms) / 1000.0)`, term.operator === ':' ? { ...term, operator: '<=' } : term)
  const text = texts[term.field]
  if (text === undefined) throw new RangeError(`the audit cannot be asked for ${term.field}`)
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
