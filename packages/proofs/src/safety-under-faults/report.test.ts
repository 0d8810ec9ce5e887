import { expect, test } from 'vitest'
import { figuresOf, linesOf } from './report.ts'
import { claimOn, op, placed, placing, setting, unknown } from './testing/evidence.ts'

const answer = placed([claimOn('a', 'i-x', 1)])
const replayed = placed([claimOn('a', 'i-x', 1)], { replayed: true })

test.each([
  [
    'its first answer is the stored answer of an earlier call (replayed)',
    [op(0, placing('x'), unknown), op(2, placing('x'), replayed)],
    1,
    1,
  ],
  [
    'two calls with its key got no answer',
    [op(0, placing('x'), unknown), op(2, placing('x'), unknown), op(4, placing('x'), replayed)],
    2,
    1,
  ],
  ['the repeated call made the placement', [op(0, placing('x'), unknown), op(2, placing('x'), answer)], 1, 0],
  ['a caller repeats it deliberately', [op(0, placing('x'), answer), op(2, placing('x'), replayed)], 0, 0],
  [
    'a caller repeats it deliberately, even after a call without an answer',
    [op(0, placing('x'), unknown), op(2, placing('x'), answer), op(4, placing('x'), replayed), op(6, placing('x'), replayed)],
    ...[1, 0],
  ],
  ['another placement got no answer', [op(0, placing('y'), unknown), op(2, placing('x'), answer), op(4, placing('x'), replayed)], 1, 0],
] as const)('a placement counts as repeated only if it had taken effect without an answer: %s', (_what, history, retries, repeated) => {
  const figures = figuresOf({ history, injected: [], left: [], final: undefined, setting })
  expect(figures).toMatchObject({ retries, repeated })
  expect(linesOf(figures).join('\n')).toContain(
    `${retries} calls had to be repeated, ${repeated} of these were placements that had taken effect although no answer arrived`,
  )
})
