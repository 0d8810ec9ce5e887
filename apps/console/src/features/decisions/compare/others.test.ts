import { expect, test } from 'vitest'
import { othersOf } from './others.ts'

type Answer = NonNullable<Parameters<typeof othersOf>[1]>
type Other = Answer['decisions']['nodes'][number]

const decided = (id: string, outcome: Other['outcome'] = 'PLACED'): Other => ({
  id,
  at: '2026-11-22T09:00:00.000Z',
  outcome,
  spec: { flavorName: null, vcpus: 1 },
  destinations: [],
})
const answer = (previous: Other | null, placed: Other[], like: Other[]): Answer => ({
  decision: { previous },
  placed: { nodes: placed },
  decisions: { nodes: like },
})
const me = decided('me')

test.each([
  ['the retried decision, even if it placed nothing', answer(decided('before', 'NO_VALID_HOST'), [decided('same')], [me]), 'before', 2],
  ['or else the last decision that placed the same request', answer(null, [me, decided('same')], [me, decided('like')]), 'same', 2],
  [
    'or else the last decision that placed a similar request',
    answer(null, [me], [me, decided('failed', 'NO_VALID_HOST'), decided('like')]),
    'like',
    2,
  ],
  ['or else any decision about a similar request', answer(null, [], [me, decided('failed', 'NO_VALID_HOST')]), 'failed', 1],
  ['the retried decision, only once if it is found twice', answer(decided('a'), [decided('a'), decided('b')], [decided('b'), me]), 'a', 2],
  ['no decision if there is no other one', answer(null, [me], [me]), undefined, 0],
  ['no decision before the decisions are loaded', undefined, undefined, 0],
])('the comparison proposes %s', (_name, found, best, count) => {
  const { others, best: taken } = othersOf('me', found)
  expect([taken?.id, others.length]).toEqual([best, count])
})
