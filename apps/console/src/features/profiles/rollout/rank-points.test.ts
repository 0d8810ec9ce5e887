import { expect, test } from 'vitest'
import { otherVersion, placeOfRank, rankPoints, rankTicks, topRank } from './rank-points.ts'

const one = (old: number | null, next: number | null, kind = 'ELSEWHERE') => ({
  ...{ kind, candidateChoice: { rank: old }, baselineChoice: { rank: next } },
})

test('decisions with the same two ranks form one point, points without a rank are last, and decisions without different hosts have no point', () => {
  const points = rankPoints([one(null, 2), one(3, 2), one(2, 40), one(3, 2), one(null, null, 'NEW_FAILURE')])
  expect(points.map(({ key, of }) => [key, of.length])).toEqual([
    ['2 40', 1],
    ['3 2', 2],
    ['none 2', 1],
  ])
})

test.each([
  [[], 10],
  [[[2, 2]], 10],
  [[[2, 10]], 10],
  [[[2, 11]], 100],
  [[[null, 4_000]], 10_000],
] as const)('for the ranks %j the axis ends at %i', (ranks, top) => {
  expect(topRank(ranks.map(([old, next]) => ({ old, new: next })))).toBe(top)
})

test('ranks are placed on a logarithmic scale, and each power of ten has a tick', () => {
  expect([1, 10, 100].map((rank) => placeOfRank(rank, 100))).toEqual([0, 0.5, 1])
  expect(rankTicks(1_000)).toEqual([1, 10, 100, 1_000])
})

test('a decision is replayed with the other one of the two versions', () => {
  const versions = { name: 'site', active: 1, candidate: 2 }
  expect([1, 2, undefined].map((decider) => otherVersion(versions, decider))).toEqual(['site@2', 'site@1', 'site@2'])
})
