import { Fleet, type Steps } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import { realTimers, type Timers } from '../../timers.ts'
import type { Refusal, UnloggedAnswer } from '../propose/batch.ts'
import type { UnloggedDecision } from '../propose/placement.ts'
import { createCauseSearches } from './search-causes.ts'

/** A clock that advances by a millisecond at each read. A turn of the event loop therefore has time for four steps. */
function ticking(): Timers {
  let now = 0
  return { ...realTimers, now: () => now++ }
}

/** A refusal whose cause is found after this many steps. `log` states what happened to the refusal. */
function aRefusal(name: string, steps: number, onStep: (step: number, fleet: Fleet) => void = () => undefined) {
  const log: string[] = []
  const work = { abandoned: false, fail: (error: Error) => void log.push(`failed: ${error.message}`) } as Refusal['work']
  function* search(fleet: Fleet): Steps<UnloggedAnswer> {
    try {
      for (let step = 0; step < steps; step++) {
        onStep(step, fleet)
        yield
      }
      return { decision: { account: name } as UnloggedDecision, answer: () => undefined, fail: work.fail }
    } finally {
      log.push('ended')
    }
  }
  return { refusal: { work, search } satisfies Refusal, work, log }
}

function open() {
  const found: string[] = []
  const searches = createCauseSearches(ticking(), { onFound: ({ account }) => void found.push(account) })
  return { searches, found }
}

test('causes are searched in the order of the calls, each before the next search begins', async () => {
  const { searches, found } = open()
  const begun: string[] = []
  const refusals = ['a', 'b', 'c'].map((name) => aRefusal(name, 10, (step) => step === 0 && begun.push(`${name} after ${found.length}`)))
  const fleet = new Fleet()
  const answers = await Promise.all(refusals.map(({ refusal }) => searches.start(refusal, fleet)))
  expect(begun).toEqual(['a after 0', 'b after 1', 'c after 2'])
  expect(answers.map((complete) => complete?.decision.account)).toEqual(['a', 'b', 'c'])
})

test('a search ends at its next step after its caller stopped waiting, and its refusal is neither found nor counted', async () => {
  const { searches, found } = open()
  const gone = aRefusal('gone', 1_000, (step) => {
    if (step === 5) gone.work.abandoned = true
    if (step > 8) throw new Error('the search continued')
  })
  expect(await searches.start(gone.refusal, new Fleet())).toBeUndefined()
  expect({ log: gone.log, found }).toEqual({ log: ['ended'], found: [] })
})

test('an error in a search fails its call, and the cause of the next refusal is found', async () => {
  const { searches } = open()
  const broken = aRefusal('broken', 2, () => {
    throw new Error('a defect')
  })
  const fleet = new Fleet()
  const [first, second] = await Promise.all([broken, aRefusal('whole', 2)].map(({ refusal }) => searches.start(refusal, fleet)))
  expect([broken.log, first, second?.decision.account]).toEqual([['ended', 'failed: a defect'], undefined, 'whole'])
})

test('searches on the same state share a copy of the fleet, and a search on another fleet at the same revision has its own', async () => {
  const { searches } = open()
  const seen: Fleet[] = []
  const start = (fleet: Fleet) =>
    searches.start(aRefusal('refused', 2, (step, copy) => void (step === 0 && seen.push(copy))).refusal, fleet)
  const [fleet, other] = [new Fleet(), new Fleet()]
  await Promise.all([start(fleet), start(fleet), start(other)])
  expect([seen[0] === seen[1], seen[1] === seen[2], seen.includes(fleet), seen.includes(other)]).toEqual([true, false, false, false])
})

test('at most 32 searches wait, and a further search runs at once to its end, on a copy of its own', async () => {
  const { searches, found } = open()
  const fleet = new Fleet()
  const seen = new Set<Fleet>()
  const refusals = Array.from({ length: 33 }, (_, i) => aRefusal(`refused-${i}`, 5, (_step, copy) => void seen.add(copy)).refusal)
  const answers = refusals.map((refusal) => searches.start(refusal, fleet))
  expect(found).toEqual(['refused-32'])
  expect((await Promise.all(answers)).every((complete) => complete !== undefined)).toBe(true)
  expect([found.length, seen.size, seen.has(fleet)]).toEqual([33, 2, false])
})

test('a search beyond the 32 waiting ones fails its call at once if the search fails', async () => {
  const { searches } = open()
  const fleet = new Fleet()
  const waiting = Array.from({ length: 32 }, (_, i) => searches.start(aRefusal(`refused-${i}`, 5).refusal, fleet))
  const broken = aRefusal('broken', 2, () => {
    throw new Error('a defect')
  })
  const answer = searches.start(broken.refusal, fleet)
  expect(broken.log).toEqual(['ended', 'failed: a defect'])
  expect(await answer).toBeUndefined()
  await Promise.all(waiting)
})
