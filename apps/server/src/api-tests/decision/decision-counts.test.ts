import { randomUUID } from 'node:crypto'
import { auditFields, decisionFields, parseQuery, type QueryField } from '@gantt/scheduler-core/query'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrisma } from '../../db/prisma.ts'
import { auditQuerySql } from '../../db/tables/audit-query.ts'
import { createDecisionCountStore } from '../../db/tables/decision-counts.ts'
import { decisionQuerySql } from '../../db/tables/decision-query.ts'
import { lengthOf } from '../../services/decision/decision-counts.ts'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
const tried = randomUUID()
const HUGE = { name: 'huge', vcpus: 1, memoryMb: 1_000_000 }

beforeAll(async () => {
  api = await startTestService()
  await api.report({ a1: {}, a2: { memoryMbUsed: 30_000 } })
  const small = { name: 'small', vcpus: 1, memoryMb: 512 }
  for (const projectId of ['p-1', 'p-1', 'odd, "p" *\\']) await placeWith(api, {}, { flavor: small, projectId })
  await placeWith(api, {}, { flavor: { vcpus: 1, memoryMb: 512 } })
  await placeWith(api, {}, { flavor: HUGE })
  await placeWith(api, {}, { flavor: { name: 'm1.*', vcpus: 64, memoryMb: 512 }, projectId: 'p-1' })
  // The instance `tried` is requested twice alone. A third request has two instances, and its second instance is `tried`.
  for (let i = 0; i < 2; i++) await placeWith(api, {}, { flavor: HUGE, instanceUuids: [tried] })
  await placeWith(api, {}, { flavor: small, numInstances: 2, instanceUuids: [randomUUID(), tried] })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const ALL = 9

const COUNTS = `query ($query: String, $most: Int) { decisionCounts(query: $query) {
  since until decisions isCut steps(most: $most) { at until decisions placed partial noValidHost } } }`
const GROUPS = `query ($query: String, $by: DecisionGrouping!, $first: Int) { decisionCounts(query: $query) {
  decisions isCut groups(by: $by, first: $first) { totalCount nodes { key decisions failed lastAt terms } } } }`

const counts = async (query: string, most = 60): Promise<Json> => (await dataOf(api, COUNTS, { query, most })).decisionCounts
const groups = async (query: string, by: string, first = 50): Promise<Json> =>
  (await dataOf(api, GROUPS, { query, by, first })).decisionCounts.groups
/** How many decisions a list with this query contains. */
const listed = async (...terms: string[]): Promise<number> =>
  (await dataOf(api, 'query ($query: String) { decisions(query: $query, first: 1) { totalCount } }', { query: terms.join(' ').trim() }))
    .decisions.totalCount
const sum = (rows: readonly Json[], count: string): number => rows.reduce((all, row) => all + row[count], 0)

describe('counts of decisions in steps of time', () => {
  test.each(['', 'outcome:NO_VALID_HOST', 'flavor:small last:1h', 'project:p-1 -last>1d'])(
    'each step of %j has as many decisions as the list for its time, and all steps together have as many as the list',
    async (query) => {
      const { steps, decisions, isCut, since, until } = await counts(query)
      expect([decisions, isCut]).toEqual([await listed(query), false])
      expect(sum(steps, 'decisions')).toBe(decisions)
      expect(sum(steps, 'placed') + sum(steps, 'partial') + sum(steps, 'noValidHost')).toBe(decisions)
      expect(steps.length).toBeLessThanOrEqual(60)
      expect([steps[0].at, steps.at(-1).until]).toEqual([since, until])
      for (const [i, step] of steps.entries()) {
        if (i > 0) expect(step.at).toBe(steps[i - 1].until)
        if (step.decisions === 0) continue
        const time = `at>=${step.at} at<${step.until}`
        expect([time, await listed(query, time)]).toEqual([time, step.decisions])
        expect(await listed(query, time, 'outcome:NO_VALID_HOST')).toBe(step.noValidHost)
      }
    },
  )

  test('the steps cover the time range of the query, whatever decisions it contains', async () => {
    const { steps, since, until, decisions } = await counts('at>=2026-01-01T00:00:03Z at<2026-01-01T00:01:00Z', 10)
    expect([since, until, decisions]).toEqual(['2026-01-01T00:00:03.000Z', '2026-01-01T00:01:00.000Z', 0])
    expect(steps.map(({ at }: Json) => at.slice(17, 19))).toEqual(['03', '10', '20', '30', '40', '50'])
  })

  test('without decisions, no steps are returned', async () => {
    expect(await counts('flavor:none')).toMatchObject({ decisions: 0, isCut: false, steps: [] })
    expect(await counts('at>=2026-01-02 at<2026-01-01')).toMatchObject({ decisions: 0, steps: [] })
  })

  test('there are at most as many steps as requested, and the steps are as short as possible', () => {
    const time = fc.integer({ min: 0, max: 4_000_000_000_000 })
    fc.assert(
      fc.property(time, time, fc.integer({ min: 10, max: 500 }), (one, other, most) => {
        const [since, until] = [Math.min(one, other), Math.max(one, other) + 1]
        const length = lengthOf(since, until, most)
        const count = Math.ceil(until / length) - Math.floor(since / length)
        expect(count).toBeLessThanOrEqual(most)
        expect(length % 1_000).toBe(0)
        // the next shorter step length is at least 0.4 times as long and would have given more than `most` steps
        if (length > 1_000) expect(count).toBeGreaterThan(most / 5)
      }),
    )
    expect(lengthOf(0, 3_600_000, 60)).toBe(60_000)
    expect(lengthOf(1, 3_600_001, 60)).toBe(120_000)
    expect(lengthOf(0, 1, 10)).toBe(1_000)
  })
})

describe('counts of decisions in groups', () => {
  test.each(['CAUSE', 'FLAVOR', 'PROJECT', 'PROFILE', 'CHAIN'])(
    'grouped by %s, each group is found by its terms, and each decision is in one group',
    async (by) => {
      for (const query of ['', '-flavor:small']) {
        const { nodes, totalCount } = await groups(query, by)
        expect([sum(nodes, 'decisions'), totalCount]).toEqual([await listed(query), nodes.length])
        for (const { key, decisions, failed, terms } of nodes) {
          expect([key, terms, await listed(query, terms)]).toEqual([key, terms, decisions])
          expect(await listed(query, terms, 'outcome:PARTIAL,NO_VALID_HOST')).toBe(failed)
        }
      }
    },
  )

  test('the largest group comes first, decisions without the field are one group, and a name is never interpreted as a pattern', async () => {
    const { nodes } = await groups('', 'FLAVOR')
    expect(nodes.map(({ key, decisions }: Json) => [key, decisions])).toEqual([
      ['small', 4],
      ['huge', 3],
      ['m1.*', 1],
      [null, 1],
    ])
    expect((await groups('', 'PROJECT')).nodes.map(({ key, decisions }: Json) => [key, decisions])).toEqual([
      [null, 5],
      ['p-1', 3],
      ['odd, "p" *\\', 1],
    ])
    expect((await groups('', 'PROFILE')).nodes).toMatchObject([{ key: expect.stringMatching(/^default@\d+$/), decisions: ALL, failed: 4 }])
  })

  test('retries of a request are in one group, which is found by the instance that the request names first', async () => {
    const { nodes } = await groups('-outcome:PLACED', 'CHAIN')
    expect(nodes.find(({ key }: Json) => key === tried)).toMatchObject({ decisions: 2, failed: 2, terms: `chain:${tried}` })
    expect(await listed(`instance:${tried}`)).toBe(3)
  })

  test('at most the requested count of groups is returned, together with the count of all groups', async () => {
    const { nodes, totalCount } = await groups('', 'FLAVOR', 2)
    expect([nodes.map(({ key }: Json) => key), totalCount]).toEqual([['small', 'huge'], 4])
  })
})

test('if there are too many decisions, only the newest are counted, and decisions of the same millisecond are counted either all or not at all', async () => {
  const prisma = createPrisma(api.connection)
  try {
    const counted = { query: { terms: [] }, span: {}, names: [] }
    for (let most = 1; most <= ALL; most++) {
      const { decisions, since, isCut } = await createDecisionCountStore(prisma, most).reach(counted)
      expect([most, isCut]).toEqual([most, most < ALL])
      expect(decisions).toBeLessThanOrEqual(most)
      const newest = since === undefined ? 0 : await listed(`at>=${new Date(since).toISOString()}`)
      expect([most, newest]).toEqual([most, decisions])
    }
  } finally {
    await prisma.$disconnect()
  }
})

test('a time range is read by the index on the time of decisions', async () => {
  const prisma = createPrisma(api.connection)
  const query = (fields: readonly QueryField[]) => parseQuery('at>=2026-01-01 -at>=2026-01-02 last:1d', fields).query
  try {
    const plans = await prisma.$transaction(async (tx) => {
      // without this setting, PostgreSQL would read a table with so few rows without using its indexes
      await tx.$executeRaw`SET LOCAL enable_seqscan = off`
      return [
        await tx.$queryRaw`EXPLAIN SELECT count(*) FROM decision d WHERE ${decisionQuerySql(query(decisionFields), Date.now())}`,
        await tx.$queryRaw`EXPLAIN SELECT count(*) FROM audit a WHERE ${auditQuerySql(query(auditFields), Date.now())}`,
      ].map((plan) => JSON.stringify(plan))
    })
    expect(plans).toEqual([expect.stringMatching(/Index Cond: \(\(at_ms >= /), expect.stringContaining('audit_at_ms_idx')])
  } finally {
    await prisma.$disconnect()
  }
})

test.each([
  [COUNTS, { most: 9 }, 'most'],
  [COUNTS, { most: 501 }, 'most'],
  [COUNTS, { query: 'at:2026-01-01' }, 'column 1: at is compared with :'],
  [COUNTS, { query: 'at>=yesterday' }, 'column 5: yesterday is not a time in UTC'],
  [GROUPS, { by: 'FLAVOR', first: 0 }, 'first'],
  [GROUPS, { by: 'FLAVOR', first: 501 }, 'first'],
])('%s with %j is refused with a reason', async (document, variables, expected) => {
  const { errors, text } = await api.ask(document, { ...(document === COUNTS ? { most: 60 } : {}), ...variables })
  expect(errors.length, text).toBe(1)
  expect(JSON.stringify(errors[0])).toContain(expected)
})
