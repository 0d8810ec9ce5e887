import type { Change } from '@gantt/scheduler-core'
import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import type { DecisionStore, StoredDecision } from '../../db/tables/decisions.ts'
import { receiptOf } from '../../db/tables/receipts.ts'
import type { RequestSpecStore } from '../../db/tables/request-specs.ts'
import { nothingOutside } from '../../plugin/outside/outside.ts'
import { createHistory, type History } from '../../replica/follow/history.ts'
import { KEPT_THINGS } from '../../replica/follow/past-fleets.ts'
import { rowsOf } from '../../replica/follow/rows-of.ts'
import { Replica } from '../../replica/replica.ts'
import { createMemoryStore, type MemoryStore } from '../../sync/memory/memory.ts'
import { realTimers } from '../../timers.ts'
import { createDecisions } from '../decision/decisions.ts'
import { createVerifyDecision } from '../decision/verify-decision.ts'
import { createExplain } from './explain.ts'

const HOSTS = 100
const CHANGES = 50_000
const PER_ENTRY = 500
const DAY_MS = 86_400_000

const names = Array.from({ length: HOSTS }, (_, i) => `h${i}`)

// the clock is stopped, because on a busy machine a slow decision would end a log entry early
const timers = { ...realTimers, now: () => 0 }

const open = (store: MemoryStore, name: string): Promise<Replica> =>
  Replica.start({ store: store.open(), name, timers, recordUnlogged: async () => {}, warn: (message) => expect.fail(message) })

/** Reports that change every host repeatedly, as in a day of operation. */
const reportsFrom = (first: number): Change[] =>
  Array.from({ length: PER_ENTRY }, (_, i) => {
    const { incarnation } = aReport('any')
    const host = names[(first + i) % HOSTS] as string
    const baseSequence = Math.floor((first + i) / HOSTS) + 1
    const delta = { baseSequence, memoryMbUsed: (first + i * 37) % 60_000, numIoOps: (first + i) % 7 }
    return { type: 'report', host, node: host, incarnation, sequence: baseSequence + 1, delta }
  })

/** The services that explain and verify decisions on a replica. A list in memory replaces the tables. */
function servicesOf(replica: Replica, history: History, kept: readonly StoredDecision[]) {
  const matrices = new Map<string, string>()
  const store: DecisionStore = {
    find: async (id) => kept.find((decision) => decision.id === id),
    findAll: async (ids) => kept.filter(({ id }) => ids.includes(id)),
    list: async () => [...kept],
    count: async () => kept.length,
    lostTries: async () => [],
    requestIds: async () => new Map(),
    sample: async () => ({ total: kept.length, decisions: [...kept] }),
    async keepMatrix(id, hash) {
      const matrix = matrices.get(id) ?? hash
      matrices.set(id, matrix)
      return { matrix, matrixAt: 0 }
    },
  }
  const requestSpecs: RequestSpecStore = { find: async () => undefined, list: async () => [], count: async () => 0 }
  const decisions = createDecisions(replica, {
    decisions: store,
    requestSpecs,
    latest: () => undefined,
    projector: { reached: async () => true },
  })
  return {
    explain: createExplain(replica, history, decisions, nothingOutside),
    verify: createVerifyDecision(replica, history, decisions, store),
  }
}

type Services = ReturnType<typeof servicesOf>

/** The explanation and the verification of a decision, as text. */
async function answersOf({ explain, verify }: Services, stored: StoredDecision): Promise<string> {
  const { question, matrix, outcomeOf, verdict, hosts: known, steps, ranked, weighed } = await explain.decision(stored)
  const { firstRefusing, reason, codes, refusedBy, rank, distance } = await matrix()
  const hosts = await Promise.all(
    known.map(async ({ host, node }, i) => [{ host, node }, outcomeOf(i), verdict(i).weights, await verdict(i).checks(false)]),
  )
  const { outcome, checks } = await verify(stored.id)
  expect([question.fidelity, question.basis, outcome]).toEqual(['REPLAYED', stored.place.basis, 'SAME'])
  const columns = [firstRefusing, reason, refusedBy, rank, distance, weighed.totals].map((column) => [...column])
  return JSON.stringify([hosts, steps, ranked, codes, columns, checks.map(({ part, found }) => [part, found])])
}

test('after 50,000 changes and a day, the explanation of a decision equals the explanation given right after the decision', async () => {
  let clock = 1_000_000
  const store = createMemoryStore(() => clock)
  const replica = await open(store, 'first')
  const kept: StoredDecision[] = []
  replica.onApplied((applied) => {
    const { decisions } = rowsOf(replica.fleet, applied, ({ id }) => id)
    kept.push(...decisions.map((decision) => ({ ...decision, receipt: { ...receiptOf(decision), matrix: null, matrixAt: null } })))
  })
  await replica.propose(names.map((name, i) => aReport(name, { memoryMb: 60_000 + i, vcpus: 8 + (i % 5) })))
  const place = (key: string, profile: string) =>
    replica.place({
      ...{ account: 'nova', key, digest: key, profile, mode: 'CONFIRM', ttlMs: 120_000, deadlineMs: 120_000, alternatesPerInstance: 2 },
      ...{ request: aRequest({ numInstances: 2, vcpus: 6, memoryMb: 4_096 }), intent: 'CREATE', source: null, allOrNothing: true },
    })
  // one entry contains several decisions, and each was decided on the result of the preceding decisions
  const profiles = ['default', 'default', 'random', 'nova-compat', 'best-fit', 'default']
  const outcomes = await Promise.all(profiles.map((profile, i) => place(`k${i}`, profile)))
  expect(outcomes.map(({ type }) => type)).toEqual(profiles.map(() => 'placed'))
  expect(kept.length).toBe(profiles.length)
  const positions = kept.map(({ place: { position } }) => position)
  expect(Math.max(...positions.map(Number))).toBeGreaterThan(0)

  const history = createHistory(store.open().past, KEPT_THINGS)
  const atOnce = await Promise.all(kept.map((stored) => answersOf(servicesOf(replica, history, kept), stored)))

  for (let change = 0; change < CHANGES; change += PER_ENTRY) {
    clock += (DAY_MS * PER_ENTRY) / CHANGES
    await replica.propose(reportsFrom(change))
  }
  expect(replica.fleet.now).toBeGreaterThanOrEqual(1_000_000 + DAY_MS)
  expect(replica.fleet.hosts.records[0]?.reporters.get('compute')?.sequence).toBe(CHANGES / HOSTS + 1)

  // the answers are compared on the same replica, which has cached states, and on a replica that starts a day later with only the log
  const late = await open(store, 'late')
  for (const [asked, past] of [
    [replica, history],
    [late, createHistory(store.open().past, KEPT_THINGS)],
  ] as const) {
    const services = servicesOf(asked, past, kept)
    for (const [i, stored] of kept.entries()) expect(await answersOf(services, stored)).toBe(atOnce[i])
    past.close()
  }
  await Promise.all([replica.close(), late.close()])
})
