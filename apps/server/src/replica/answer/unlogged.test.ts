import { Fleet, type Steps } from '@gantt/scheduler-core'
import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { realTimers, type Timers } from '../../timers.ts'
import type { Refusal, UnloggedAnswer } from '../propose/batch.ts'
import type { PlacementCall, UnloggedDecision } from '../propose/placement.ts'
import { Replica } from '../replica.ts'
import { createUnlogged } from './unlogged.ts'

/** A clock that advances by a millisecond at each read. A turn of the event loop therefore has time for four steps. */
function ticking(): Timers {
  let now = 0
  return { ...realTimers, now: () => now++ }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** A refusal whose cause is found once `isFound` returns true. `log` states what happened to the refusal. */
function aRefusal(name: string, isFound: () => boolean = () => true) {
  const log: string[] = []
  const work = { abandoned: false, fail: (error: Error) => void log.push(`failed: ${error.message}`) } as Refusal['work']
  const complete: UnloggedAnswer = {
    decision: { account: name } as UnloggedDecision,
    answer: () => void log.push('answered'),
    fail: work.fail,
  }
  function* search(): Steps<UnloggedAnswer> {
    while (!isFound()) yield
    log.push('found')
    return complete
  }
  return { refusal: { work, search } satisfies Refusal, work, complete, log }
}

function open() {
  const stored: string[] = []
  const found: string[] = []
  const options = {
    timers: ticking(),
    recordUnlogged: async (decisions: readonly UnloggedDecision[]) => void stored.push(...decisions.map(({ account }) => account)),
    warn: () => undefined,
  }
  const unlogged = createUnlogged(options, { onFound: ({ account }) => void found.push(account) })
  return { unlogged, stored, found }
}

async function openReplica() {
  const stored: UnloggedDecision[] = []
  const replica = await Replica.start({
    store: createMemoryStore().open(),
    name: 'r',
    recordUnlogged: async (decisions) => void stored.push(...decisions),
    warn: () => undefined,
    timers: ticking(),
  })
  return { replica, stored }
}

const aCall = (key: string, call: Pick<PlacementCall, 'request' | 'mode'>): PlacementCall => ({
  account: 'nova',
  key,
  digest: key,
  profile: 'default',
  ttlMs: 120_000,
  deadlineMs: 600_000,
  alternatesPerInstance: 1,
  intent: 'CREATE',
  source: null,
  allOrNothing: true,
  ...call,
})

test('while the cause of a refusal is searched on a large fleet, the event loop turns many times, and the answer is the same', async () => {
  const { replica } = await openReplica()
  try {
    await replica.propose(Array.from({ length: 2_000 }, (_, i) => aReport(`h${i}`)))
    const refused = replica.place(aCall('k', { mode: 'RESERVE', request: aRequest({ vcpus: 64, memoryMb: 128 }) }))
    let turns = 0
    let isAnswered = false
    void refused.finally(() => {
      isAnswered = true
    })
    while (!isAnswered) {
      await nextTurn()
      turns++
    }
    expect(await refused).toMatchObject({ type: 'refused', reasons: [{ code: 'cpu.too_few', hosts: 2_000 }] })
    // the search goes through all hosts more than once, in steps of at most 256 hosts, and a turn has at most four steps
    expect(turns).toBeGreaterThan(10)
  } finally {
    await replica.close()
  }
})

test('a refusal and a placement that claims nothing are stored and counted, and only the refusal has a cause', async () => {
  const { replica, stored } = await openReplica()
  try {
    await replica.propose([aReport('h1')])
    const advised = await replica.place(aCall('advised', { mode: 'NONE', request: aRequest({ vcpus: 1, memoryMb: 64 }) }))
    const refused = await replica.place(aCall('refused', { mode: 'NONE', request: aRequest({ vcpus: 64, memoryMb: 64 }) }))
    expect([advised.type, refused.type]).toEqual(['placed', 'refused'])
    expect(stored.map(({ outcome, reasons }) => [outcome, reasons.map(({ code }) => code)])).toEqual([
      ['PLACED', []],
      ['NO_VALID_HOST', ['cpu.too_few']],
    ])
    expect([replica.tally.unlogged, [...replica.tally.refused]]).toEqual([2, [['cpu.too_few', 1]]])
  } finally {
    await replica.close()
  }
})

test('a refusal is stored once its cause is known and the function that `search` returned was called; then its caller is answered', async () => {
  const { unlogged, stored, found } = open()
  const { refusal, log } = aRefusal('refused')
  const answer = unlogged.search(refusal, new Fleet())
  await expect.poll(() => found).toEqual(['refused'])
  expect([log, stored]).toEqual([['found'], []])
  answer()
  await unlogged.close()
  expect([log, stored]).toEqual([['found', 'answered'], ['refused']])
})

test('a placement that claims nothing is stored without a search, and does not wait for the searches of refusals', async () => {
  const { unlogged, stored, found } = open()
  const advised = aRefusal('advised')
  const refused = aRefusal('refused', () => advised.log.includes('answered'))
  unlogged.search(refused.refusal, new Fleet())()
  unlogged.store(advised.complete)
  await unlogged.close()
  expect([advised.log, refused.log]).toEqual([['answered'], ['found', 'answered']])
  expect([stored, found]).toEqual([['advised', 'refused'], ['refused']])
})

test('a refusal is not stored once its caller stopped waiting', async () => {
  const { unlogged, stored, found } = open()
  const gone = aRefusal('gone', () => false)
  unlogged.search(gone.refusal, new Fleet())()
  gone.work.abandoned = true
  await unlogged.close()
  expect([gone.log, stored, found]).toEqual([[], [], []])
})
