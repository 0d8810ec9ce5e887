import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { checkCases } from './run.ts'
import { mistakes } from './testing/planted.ts'

test('recorded decisions, replays and explanations agree with the model, bit for bit, on random cases', () => {
  const { tally, failures } = checkCases({ seed: 1, from: 0, cases: byExtent(300, 300, 3_000), maxFailures: 1 })
  expect(failures).toEqual([])
  expect(Object.entries({ ...tally.refusedBy, ...tally.weighedBy }).filter(([, cases]) => cases === 0)).toEqual([])
  for (const kind of ['placed', 'inPart', 'refused', 'emptyFleets', 'chance', 'tied'] as const) expect(tally[kind], kind).toBeGreaterThan(0)
})

const planted = Object.entries(mistakes)

test.each(planted)('the model finds that %s', (_, plant) => {
  const { core, remove } = plant()
  try {
    expect(checkCases({ seed: 1, from: 0, cases: 2_000, maxFailures: 1, isShrinking: false, core }).failures).toHaveLength(1)
  } finally {
    remove()
  }
})
