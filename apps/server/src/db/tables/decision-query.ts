import {
  compileQuery,
  decisionFields,
  findField,
  isOfTime,
  numberOf,
  type Query,
  type QueryTerm,
  type Span,
  spanOf,
} from '@gantt/scheduler-core/query'
import { Prisma } from '../../generated/prisma/client.ts'

/** The names of each host that has several names. A row contains the name that the host had at the time of the decision. */
export type HostNames = readonly (readonly string[])[]

/**
 * The condition for rows of table `decision` (as d) that match a query. services/decision/decision-query.ts does the same for decisions in
 * memory.
 */
export const decisionQuerySql = (query: Query, now: number, names: HostNames = []): Prisma.Sql =>
  allSql(query, Prisma.sql`d.at_ms`, now, (term) => {
    const others = term.field === null || term.field === 'host' ? namesMeant(term, names) : []
    return others.length === 0 ? termSql(term) : Prisma.sql`(${termSql(term)} OR ${hostsSql(others)})`
  })

/** The condition for decisions that selected a host with one of these names. */
export const hostsSql = (names: readonly string[]): Prisma.Sql => Prisma.sql`d.hosts && ${[...names]}::text[]`

/** All names of each host for which one of its names matches the term. */
function namesMeant(term: QueryTerm, names: HostNames): string[] {
  const readers = { '': (of: readonly string[]) => of, host: (of: readonly string[]) => of }
  return names.filter(compileQuery({ terms: [{ ...term, negated: false }] }, decisionFields, readers)).flat()
}

function termSql(term: QueryTerm): Prisma.Sql {
  if (term.field === null) return wordSql(term.values[0] ?? '')
  if (term.field === 'attempt') return numberSql(Prisma.sql`d.attempt`, term)
  const isOneOf = Prisma.join(term.values.map(matchSql), ' OR ')
  if (term.field === 'request') return answeredSql(isOneOf)
  if (term.field === 'id')
    return Prisma.sql`(EXISTS (SELECT 1 FROM unnest(d.instance_uuids || d.id::text) AS one(text) WHERE ${isOneOf})
    OR ${answeredSql(isOneOf)})`
  const texts = textsOf[term.field]
  if (texts === undefined) throw new RangeError(`the tables cannot be searched by ${term.field}`)
  return Prisma.sql`EXISTS (SELECT 1 FROM ${texts} AS one(text) WHERE ${isOneOf})`
}

/**
 * The condition for rows of the audit (a) whose call was answered with a decision, which is the row's target. It equals the condition of
 * the index `audit_decision_idx`.
 */
export const ANSWERED = Prisma.sql`a.result IN ('SelectDestinationsPayload', 'NoValidHost')`

/**
 * The condition for decisions that answered a request with a matching id (one.text). The audit is read once for the whole query, not once
 * per decision.
 */
const answeredSql = (isWanted: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`d.id = ANY(ARRAY(SELECT a.target::uuid FROM audit a, LATERAL (VALUES (a.request_id)) AS one(text)
    WHERE ${ANSWERED} AND (${isWanted}) AND a.target ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'))`

/**
 * A field of the request. If the decision is stored as one document, the field is read from the document. Otherwise it is read from the
 * request's own row.
 */
const ofRequest = (path: string, column: string): Prisma.Sql =>
  Prisma.sql`coalesce(d.document #>> ${path}::text[], (SELECT r.${Prisma.raw(column)} FROM request_spec r WHERE r.id = d.request_spec_id))`

export const FLAVOR = ofRequest('{record,request,flavor,name}', 'flavor_name')

export const PROJECT = ofRequest('{record,request,projectId}', 'project_id')

/** The first instance of a request. It is the same in all attempts to place the request. */
export const CHAIN = Prisma.sql`d.instance_uuids[1]`

/**
 * The code and text of the cause of a refusal (d), by the rules of `causeOfRefusal`: the recorded cause, or one of the reasons if no cause
 * is recorded. Reasons are in the order of the filters, and for one filter by descending host count.
 */
export const CAUSE = Prisma.sql`SELECT d.document -> 'cause' ->> 'code' AS code, d.document -> 'cause' ->> 'text' AS text
  WHERE d.document ? 'cause'
  UNION ALL
  (SELECT one.reason ->> 'code', one.reason ->> 'text'
    FROM jsonb_array_elements(d.document -> 'reasons') WITH ORDINALITY AS one(reason, place)
    WHERE NOT d.document ? 'cause' AND one.reason ->> 'filter' = d.document #>> '{reasons,-1,filter}' ORDER BY one.place LIMIT 1)`

/** For each field, the texts with which a term is compared. */
const textsOf: Readonly<Record<string, Prisma.Sql>> = {
  outcome: Prisma.sql`(VALUES (d.outcome))`,
  host: Prisma.sql`unnest(d.hosts)`,
  account: Prisma.sql`(VALUES (d.caller))`,
  instance: Prisma.sql`unnest(d.instance_uuids)`,
  chain: Prisma.sql`(VALUES (${CHAIN}))`,
  flavor: Prisma.sql`(VALUES (${FLAVOR}))`,
  zone: Prisma.sql`(VALUES (${ofRequest('{record,request,availabilityZone}', 'availability_zone')}))`,
  project: Prisma.sql`(VALUES (${PROJECT}))`,
  profile: Prisma.sql`(VALUES (d.profile), (split_part(d.profile, '@', 1)))`,
  reason: Prisma.sql`(SELECT reason ->> 'code' FROM jsonb_array_elements(d.document -> 'reasons') AS reason)`,
  cause: Prisma.sql`(SELECT why.code FROM (${CAUSE}) AS why)`,
  filter: Prisma.sql`(SELECT reason ->> 'filter' FROM jsonb_array_elements(d.document -> 'reasons') AS reason)`,
}

/**
 * The condition that a word is contained in the decision's id, an instance's UUID, a selected host's name or the flavor's name, regardless
 * of case, or equals the id of a request that the decision answered.
 */
function wordSql(word: string): Prisma.Sql {
  const plain = word.replace(/\\(.)/g, '$1')
  const part = `%${likeLiteral(plain.toLowerCase())}%`
  return Prisma.sql`(d.id::text LIKE ${part} OR EXISTS (SELECT 1 FROM unnest(d.instance_uuids || d.hosts) AS one(text) WHERE lower(one.text) LIKE ${part})
    OR lower(coalesce(${FLAVOR}, '')) LIKE ${part} OR ${answeredSql(Prisma.sql`one.text = ${plain}`)})`
}

/** A value as a LIKE pattern: an unescaped star matches any text, every other character matches itself. */
export function matchSql(value: string): Prisma.Sql {
  const pattern = value.replace(
    /\\(.)|(\*)|([%_\\])/gs,
    (_whole, kept: string | undefined, star: string | undefined, special: string | undefined) =>
      star === undefined ? likeLiteral(kept ?? special ?? '') : '%',
  )
  return Prisma.sql`one.text LIKE ${pattern}`
}

/** Escapes a text for use in a LIKE pattern. */
export const likeLiteral = (text: string): string => text.replace(/[%_\\]/g, '\\$&')

/**
 * The condition that a column is in a range of milliseconds since 1970. Each comparison has only the column on one side, because PostgreSQL
 * would otherwise not use its index.
 */
export const spanSql = (column: Prisma.Sql, { since, until }: Span): Prisma.Sql[] => [
  ...(since === undefined ? [] : [Prisma.sql`${column} >= ${since}::bigint`]),
  ...(until === undefined ? [] : [Prisma.sql`${column} < ${until}::bigint`]),
]

/**
 * The condition of all terms of a query. Terms about time are combined. `termSql` returns the condition of any other single term, without
 * its negation.
 */
export function allSql(query: Query, column: Prisma.Sql, now: number, termSql: (term: QueryTerm) => Prisma.Sql): Prisma.Sql {
  const others = query.terms
    .filter((term) => !isOfTime(term))
    .map((term) => (term.negated ? Prisma.sql`NOT (${termSql(term)})` : termSql(term)))
  const all = [...spanSql(column, spanOf(query, now)), ...others]
  return all.length === 0 ? Prisma.sql`true` : Prisma.join(all, ' AND ')
}

/** The condition that a number matches a term. */
function numberSql(found: Prisma.Sql, { field, operator, values }: QueryTerm): Prisma.Sql {
  const known = findField(field ?? '', decisionFields)
  const numbers = values.map((value) => (known === undefined ? undefined : numberOf(value, known)) ?? Number.NaN)
  const [first = Number.NaN] = numbers
  switch (operator) {
    case '>':
      return Prisma.sql`${found} > ${first}::float8`
    case '>=':
      return Prisma.sql`${found} >= ${first}::float8`
    case '<':
      return Prisma.sql`${found} < ${first}::float8`
    case '<=':
      return Prisma.sql`${found} <= ${first}::float8`
    default:
      return Prisma.sql`${found} IN (${Prisma.join(numbers.map((number) => Prisma.sql`${number}::float8`))})`
  }
}
