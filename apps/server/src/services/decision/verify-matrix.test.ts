import {
  atOnce,
  type Examination,
  examineAgain,
  examineEach,
  matrixTexts,
  type RequestSpec,
  type Steps,
  verdictMatrix,
} from '@gantt/scheduler-core'
import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DecisionStore, StoredDecision } from '../../db/tables/decisions.ts'
import { receiptOf, sha256 } from '../../db/tables/receipts.ts'
import { createHistory } from '../../replica/follow/history.ts'
import { rowsOf } from '../../replica/follow/rows-of.ts'
import { Replica } from '../../replica/replica.ts'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { createDecisions } from './decisions.ts'
import { createVerifyDecision, type VerificationCheck } from './verify-decision.ts'

const HOSTS = 12
const INSTANCES = 10

let replica: Replica
let stored: StoredDecision
/** Placed in Nova's rounds. Its first instance leaves one host, so that the second instance is not considered on the others. */
let inRounds: StoredDecision
const store = createMemoryStore(() => 1_000_000)
const history = createHistory(store.open().past)

beforeAll(async () => {
  replica = await Replica.start({ store: store.open(), name: 'r', recordUnlogged: async () => {}, warn: (message) => expect.fail(message) })
  const kept: StoredDecision[] = []
  replica.onApplied((applied) => void kept.push(...rowsOf(replica.fleet, applied, ({ id }) => id).decisions))
  await replica.propose(Array.from({ length: HOSTS }, (_, i) => aReport(`h${i}`, { memoryMb: 60_000 + i })))
  const place = (profile: string, request: RequestSpec) =>
    replica.place({
      ...{ account: 'nova', key: profile, digest: profile, profile, mode: 'CONFIRM', ttlMs: 120_000, deadlineMs: 120_000 },
      ...{ alternatesPerInstance: 2, intent: 'CREATE', source: null, allOrNothing: true },
      request,
    })
  await place('default', aRequest({ numInstances: INSTANCES, vcpus: 2, memoryMb: 4_096 }))
  const image = { id: '00000000-0000-4000-8000-000000000009' }
  await place('nova-compat', aRequest({ numInstances: INSTANCES, image }))
  await replica.propose([aReport('later')])
  stored = kept[0] as StoredDecision
  inRounds = kept[1] as StoredDecision
  // the fleet has changed since the decision, so the checks must read a past state
  expect([kept.length, replica.fleet.place.revision > inRounds.place.basis]).toEqual([2, true])
})
afterAll(async () => {
  history.close()
  await replica.close()
})

/** The hash of the verdicts of the first `instances` instances. Each instance is replayed from the start of the decision. */
async function hashOf(instances: number): Promise<string> {
  const fleet = await history.at(stored.place.basis)
  return sha256(
    Array.from({ length: instances }, (_, instance) =>
      examineAgain(fleet, [], stored.record, instance, (found) =>
        [
          ...matrixTexts(stored.id, instance, {
            names: fleet.hosts.records,
            matrix: verdictMatrix(found, found),
            totals: found.ranked.map((position) => found.weighed.totals[position] as number),
          }),
        ].join(''),
      ),
    ).join(''),
  )
}

/** The hash as releases computed it that did not explain Nova's rounds. */
async function hashWithoutRounds({ id, record, place }: StoredDecision): Promise<string> {
  const fleet = await history.at(place.basis)
  const texts: string[] = []
  const read = function* (found: Examination, instance: number): Steps<void> {
    const totals = found.ranked.map((position) => found.weighed.totals[position] as number)
    texts.push(...matrixTexts(id, instance, { names: fleet.hosts.records, matrix: verdictMatrix(found, found), totals }))
    yield
  }
  atOnce(examineEach(fleet, [], record, INSTANCES, false, read))
  return sha256(texts.join(''))
}

async function matrixCheck(kept: string | null, maxVerdicts?: number, of = stored): Promise<VerificationCheck | undefined> {
  const decision = { ...of, receipt: { ...receiptOf(of), matrix: kept, matrixAt: null } }
  const decisionStore: DecisionStore = {
    find: async () => decision,
    findAll: async () => [decision],
    list: async () => [],
    count: async () => 0,
    lostTries: async () => [],
    requestIds: async () => new Map(),
    sample: async () => ({ total: 0, decisions: [] }),
    keepMatrix: async (_id, hash) => ({ matrix: hash, matrixAt: 0 }),
  }
  const requestSpecs = { find: async () => undefined, list: async () => [], count: async () => 0 }
  const decisions = createDecisions(replica, {
    decisions: decisionStore,
    requestSpecs,
    latest: () => undefined,
    projector: { reached: async () => true },
  })
  const { checks } = await createVerifyDecision(replica, history, decisions, decisionStore, maxVerdicts)(of.id)
  return checks.find(({ part }) => part === 'MATRIX')
}

const FIRST = 'This is the first replay: the hash of every verdict is stored from now on.'
const SAME = 'Every verdict on every host equals that of the first replay.'

test('the verdicts of every instance are hashed', async () => {
  expect(await matrixCheck(null)).toMatchObject({ outcome: 'SAME', kept: await hashOf(INSTANCES), text: FIRST })
  expect(await matrixCheck(await hashOf(INSTANCES))).toMatchObject({ outcome: 'SAME', text: SAME })
  expect(await matrixCheck(await hashOf(9))).toMatchObject({ outcome: 'DIFFERENT' })
})

test('if an older release stored a hash of the first eight instances, the check covers these eight and its text says so', async () => {
  const older = await hashOf(8)
  const text = `${SAME} The check covers the first 8 of 10 instances.`
  expect(await matrixCheck(older)).toMatchObject({ outcome: 'SAME', kept: older, found: older, text })
})

test('with more verdicts than the limit, every check covers the same instances and reports how many', async () => {
  const nine = await hashOf(9)
  const verdicts = HOSTS * 9 + 1
  expect(await matrixCheck(null, verdicts)).toMatchObject({ kept: nine, text: `${FIRST} The check covers the first 9 of 10 instances.` })
  expect(await matrixCheck(nine, verdicts)).toMatchObject({
    outcome: 'SAME',
    text: `${SAME} The check covers the first 9 of 10 instances.`,
  })
  // even with a limit of one verdict, a hash covers the eight instances that older releases hashed
  expect(await matrixCheck(null, 1)).toMatchObject({
    kept: await hashOf(8),
    text: `${FIRST} The check covers the first 8 of 10 instances.`,
  })
})

test('a hash of verdicts that left out the rounds of Nova is compared with such verdicts, and the text says so', async () => {
  const before = await hashWithoutRounds(inRounds)
  const now = await matrixCheck(null, undefined, inRounds)
  expect(now).toMatchObject({ outcome: 'SAME', text: FIRST })
  expect(now?.kept).not.toBe(before)
  const text = `${SAME} An older release made that replay, and its verdicts for later instances left out Nova's rounds.`
  expect(await matrixCheck(before, undefined, inRounds)).toMatchObject({ outcome: 'SAME', kept: before, found: before, text })
  expect(await matrixCheck(await hashWithoutRounds(stored), undefined, inRounds)).toMatchObject({ outcome: 'DIFFERENT' })
})
