import type { Claim } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import { countAllWithoutClaims, countWithoutClaims } from './without-claims.ts'

const claim = (instance: string | null, state: Claim['state'] = 'CONFIRMED'): Claim => ({ instance, state }) as Claim
const host = (instances: readonly string[] | null, runningVms: number, ...claims: readonly Claim[]) => ({
  stats: { instances: instances === null ? null : [...instances], runningVms },
  claims,
})

test.each([
  ['every listed instance has a claim', host(['a', 'b'], 2, claim('a'), claim('b', 'MATERIALISED')), 0],
  ['a listed instance has no claim', host(['a', 'b', 'c'], 3, claim('a')), 2],
  ['a claim that ended covers nothing', host(['a'], 1, claim('a', 'RELEASED')), 1],
  ['a claim without an instance name covers one instance', host(['a', 'b'], 2, claim(null)), 1],
  ['a claim of an unlisted instance covers no other instance', host(['a'], 1, claim('b', 'RESERVED')), 1],
  ['there are no instances', host([], 0), 0],
  ['the report has only the count of instances', host(null, 5, claim('a'), claim(null)), 3],
  ['the report counts fewer instances than there are claims', host(null, 1, claim('a'), claim('b')), 0],
])('%s', (_what, given, count) => expect(countWithoutClaims(given)).toBe(count))

test('instances without claims are counted for each node, and the counts of all nodes of a host are added', () => {
  expect(countAllWithoutClaims([host(null, 5), host(null, 0, claim('a'), claim('b'))])).toBe(5)
})
