import { Fleet, type Steps } from '@gantt/scheduler-core'
import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import { expect, test, vi } from 'vitest'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { realTimers, type Timers } from '../../timers.ts'
import type { UnloggedAnswer, UnloggedWork } from '../propose/batch.ts'
import type { UnloggedDecision } from '../propose/placement.ts'
import { Replica } from '../replica.ts'
import { createUnlogged } from './unlogged.ts'

/** A clock that advances by a millisecond at each read. A turn of the event loop therefore has time for four steps. */
function ticking(): Timers {
  let now = 0
  return { ...realTimers, now: () => now++ }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** A decision that is complete after this many steps, and what happened to it. */
function aWork(name: string, steps: number, onStep: (step: number) => void = () => undefined) {
  const log: string[] = []
  const work = { abandoned: false, fail: (error: Error) => void log.push(`failed: ${error.message}`) } as UnloggedWork['work']
  function* complete(): Steps<UnloggedAnswer> {
    try {
      for (let step = 0; step < steps; step++) {
        onStep(step)
        yield
      }
      return { decision: { account: name } as UnloggedDecision, answer: () => void log.push('answered'), fail: work.fail }
    } finally {
      log.push('ended')
    }
  }
  return { unlogged: { work, isRefusal: true, complete } satisfies UnloggedWork, work, log }
}

function open(recordUnlogged: (decisions: readonly UnloggedDecision[]) => Promise<void>) {
  const completed: string[] = []
  const warnings: string[] = []
  const options = { timers: ticking(), recordUnlogged, warn: (message: string) => void warnings.push(message) }
  const unlogged = createUnlogged(options, { onCompleted: ({ account }) => void completed.push(account) })
  return { unlogged, completed, warnings }
}

test('while the cause of a refusal is searched on a large fleet, the event loop turns many times, and the answer is the same', async () => {
  const hosts = Array.from({ length: 2_000 }, (_, i) => aReport(`h${i}`))
  const options = { store: createMemoryStore().open(), name: 'r', recordUnlogged: async () => undefined, warn: () => undefined }
  const replica = await Replica.start({ ...options, timers: ticking() })
  try {
    await replica.propose(hosts)
    const call = {
      account: 'nova',
      key: 'k',
      digest: 'k',
      profile: 'default',
      mode: 'RESERVE',
      ttlMs: 120_000,
      deadlineMs: 600_000,
    } as const
    const more = { alternatesPerInstance: 1, intent: 'CREATE', source: null, allOrNothing: true } as const
    const refused = replica.place({ ...call, ...more, request: aRequest({ vcpus: 64, memoryMb: 128 }) })
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
    // each host is examined in more than one step of at most 256 hosts, and a turn has at most four steps
    expect(turns).toBeGreaterThan(10)
  } finally {
    await replica.close()
  }
})

test('decisions are completed in the order of their calls, each before the next begins', async () => {
  const { unlogged, completed } = open(async () => undefined)
  const begun: string[] = []
  const works = ['a', 'b', 'c'].map((name) => aWork(name, 10, (step) => step === 0 && begun.push(`${name} after ${completed.length}`)))
  for (const answer of unlogged.complete(
    works.map(({ unlogged: one }) => one),
    new Fleet(),
  ))
    answer()
  await unlogged.close()
  expect(begun).toEqual(['a after 0', 'b after 1', 'c after 2'])
  for (const { log } of works) expect(log).toEqual(['ended', 'answered'])
})

test('a decision is neither completed nor stored once its caller stopped waiting', async () => {
  const stored = vi.fn(async () => undefined)
  const { unlogged, completed } = open(stored)
  const gone = aWork('gone', 1_000, (step) => {
    if (step === 5) gone.work.abandoned = true
    if (step > 8) throw new Error('the work continued')
  })
  for (const answer of unlogged.complete([gone.unlogged], new Fleet())) answer()
  await unlogged.close()
  expect({ log: gone.log, completed, stored: stored.mock.calls }).toEqual({ log: ['ended'], completed: [], stored: [] })
})

test('an error while a decision is completed fails its call, and the next decision is answered', async () => {
  const { unlogged } = open(async () => undefined)
  const broken = aWork('broken', 2, () => {
    throw new Error('a defect')
  })
  const whole = aWork('whole', 2)
  for (const answer of unlogged.complete([broken.unlogged, whole.unlogged], new Fleet())) answer()
  await unlogged.close()
  expect(broken.log).toEqual(['ended', 'failed: a defect'])
  expect(whole.log).toEqual(['ended', 'answered'])
})

test('decisions that wait for a write are stored together, one that cannot be stored fails alone, and a slow write delays no other', async () => {
  const writes: string[][] = []
  let release = (): void => undefined
  const slow = new Promise<void>((resolve) => {
    release = resolve
  })
  const { unlogged, completed, warnings } = open(async (decisions) => {
    const names = decisions.map(({ account }) => account)
    writes.push(names)
    if (names[0]?.startsWith('slow') === true) await slow
    if (names.includes('large')) throw new Error('too large')
  })
  const [quick, ...works] = ['quick', 'slow-1', 'slow-2', 'slow-3', 'slow-4', 'a', 'large'].map((name) => aWork(name, 1))
  const start = (some: typeof works): void => {
    for (const answer of unlogged.complete(
      some.map(({ unlogged: one }) => one),
      new Fleet(),
    ))
      answer()
  }
  start(works.slice(0, 3))
  while (writes.length < 3) await nextTurn()
  start(quick === undefined ? [] : [quick])
  while (quick?.log.includes('answered') !== true) await nextTurn()
  start(works.slice(3))
  while (completed.length < 7) await nextTurn()
  release()
  await unlogged.close()
  expect(writes).toEqual([['slow-1'], ['slow-2'], ['slow-3'], ['quick'], ['slow-4'], ['a', 'large'], ['a'], ['large']])
  expect(works.slice(4).map(({ log }) => log.at(-1))).toEqual(['answered', 'failed: the decision could not be recorded'])
  expect(warnings).toEqual(['a decision could not be recorded: too large'])
})

test('searches on the same state share a copy of the fleet, and a search on another fleet at the same revision has its own', async () => {
  const { unlogged } = open(async () => undefined)
  const seen: Fleet[] = []
  const searching = (): UnloggedWork => {
    const { unlogged: one } = aWork('search', 2)
    return {
      ...one,
      *complete(fleet) {
        seen.push(fleet)
        return yield* one.complete()
      },
    }
  }
  const [fleet, other] = [new Fleet(), new Fleet()]
  for (const [works, on] of [
    [[searching(), searching()], fleet],
    [[searching()], other],
  ] as const)
    for (const answer of unlogged.complete(works, on)) answer()
  await unlogged.close()
  expect([seen[0] === seen[1], seen[1] === seen[2], seen.includes(fleet), seen.includes(other)]).toEqual([true, false, false, false])
})

test('at most 32 searches wait, a further one is completed at once, and so is a decision that needs no search', async () => {
  const { unlogged, completed } = open(async () => undefined)
  const advice = aWork('advice', 0)
  const works = [...Array.from({ length: 33 }, (_, i) => aWork(`search-${i}`, 5).unlogged), { ...advice.unlogged, isRefusal: false }]
  const answers = unlogged.complete(works, new Fleet())
  expect(completed).toEqual(['search-32', 'advice'])
  for (const answer of answers) answer()
  await unlogged.close()
  expect(completed).toHaveLength(34)
})
