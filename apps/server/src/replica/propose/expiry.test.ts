import { type Change, FEATURE_LEVEL, Fleet } from '@gantt/scheduler-core'
import { aClaim, aLog, aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { createExpiry } from './expiry.ts'

test('proposes to end reservations whose time is over, and ended ones whose amounts were held until then', () => {
  const log = aLog(new Fleet())
  const reserve = (key: string, ttlMs: number) => aClaim({ key, ids: [key], ttlMs, untilCounted: true })
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', { instances: null })])
  log.append([reserve('expired', 1_000), reserve('released', 2_000), reserve('later', 60_000), reserve('released later', 60_000)])
  for (const claim of ['released', 'released later'])
    log.append([{ type: 'release', claim, fence: log.fleet.ledger.claims.get(claim)?.fence ?? 0, reason: null }])
  const { fleet } = log
  let storeTime = fleet.now
  const proposed: (readonly Change[])[] = []
  const expire = createExpiry({
    fleet,
    get storeTime() {
      return storeTime
    },
    propose: (changes) => {
      proposed.push(changes)
      return Promise.resolve()
    },
  })
  storeTime = fleet.now + 2_000
  expire()
  const changes = ['expired', 'released'].map((claim) => ({ type: 'expire', claim }))
  expect(proposed).toEqual([changes])
  expect(log.append(proposed[0] ?? [], { at: storeTime })).toEqual([undefined, undefined])
  expect([...fleet.ledger.lapsing.keys()]).toEqual(['later', 'released later'])
})
