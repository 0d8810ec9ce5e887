import { expect, test, vi } from 'vitest'
import type { Claim } from '../records/claim.ts'
import { aLog, aReport, aUuid, someInstances } from '../testing/index.ts'
import { SharedMap } from '../values/shared-map.ts'
import { InstanceIndex } from './instances.ts'

const INSTANCE = aUuid(1)
const CLAIMS = 2_000

/** Claims of one instance that differ only in their ids. */
function someClaims(count: number): Claim[] {
  const log = aLog()
  log.append([aReport('h1')])
  log.append([someInstances({ key: 'k', ids: ['c0'], hosts: ['h1'], instances: [INSTANCE], mode: 'CONFIRM' })])
  const claim = log.fleet.ledger.claims.get('c0') as Claim
  return Array.from({ length: count }, (_, i) => ({ ...claim, id: `c${i}` }))
}

test('adding and removing a claim of an instance with many claims does not copy their ids', () => {
  const index = new InstanceIndex()
  let written = 0
  const own = SharedMap.prototype.set
  const counted = vi.spyOn(SharedMap.prototype, 'set').mockImplementation(function (this: SharedMap<object>, key: string, value) {
    written += Array.isArray(value) ? value.length : 1
    return own.call(this, key, value) as SharedMap<object>
  })
  const claims = someClaims(CLAIMS)
  for (const claim of claims) index.add(claim)
  expect(index.of(INSTANCE)).toEqual(claims.map(({ id }) => id))
  for (const claim of claims.slice(1)) index.remove(claim)
  counted.mockRestore()
  expect(index.of(INSTANCE)).toEqual(['c0'])
  expect(written).toBeLessThan(100)
})

test('a copy of the index and the index do not see each other\u2019s later changes', () => {
  for (const count of [3, 30]) {
    const index = new InstanceIndex()
    const [last, ...claims] = someClaims(count) as [Claim, ...Claim[]]
    for (const claim of claims) index.add(claim)
    const copy = index.copy()
    index.add(last)
    copy.remove(claims[0] as Claim)
    expect([index, copy].map((one) => one.of(INSTANCE).length)).toEqual([count, count - 2])
    expect([index.has(INSTANCE, last.id), copy.has(INSTANCE, last.id)]).toEqual([true, false])
    for (const claim of [last, ...claims]) index.remove(claim)
    expect([[...index.names()], [...copy.names()]]).toEqual([[], [INSTANCE]])
  }
})
