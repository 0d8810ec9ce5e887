import { atOnce, SLICE } from '@gantt/scheduler-core'
import { aClaim, aLog, aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { impactOfLeaving } from './leaving-impact.ts'

const names = Array.from({ length: 10 * SLICE }, (_, i) => `h${i}`)
const log = aLog()
log.append(names.map((name) => aReport(name)))
// claims are created in the reverse order of the hosts, so the claim of the last host is the oldest
for (const host of [...names].reverse()) log.append([aClaim({ key: host, ids: [`c-${host}`], hosts: [host], mode: 'CONFIRM' })])
const all = log.fleet.hosts.present

test('computing the effects of removing many hosts yields after a few hosts', () => {
  const looked: number[] = []
  let now = 0
  const counted = all.map(
    (record) =>
      new Proxy(record, {
        get(of, name) {
          if (name === 'claims') now++
          return Reflect.get(of, name)
        },
      }),
  )
  const steps = impactOfLeaving(log.fleet, counted)
  for (let step = steps.next(); step.done !== true; step = steps.next()) {
    looked.push(now)
    now = 0
  }
  expect(Math.max(...looked)).toBeLessThanOrEqual(SLICE)
  expect(looked.reduce((sum, count) => sum + count, 0)).toBe(all.length)
})

test('the claims of all hosts are counted, and the oldest hundred are listed', () => {
  const { claims, claimCount } = atOnce(impactOfLeaving(log.fleet, all))
  expect(claimCount).toBe(all.length)
  expect(claims.map(({ id }) => id)).toEqual(
    names
      .slice(-100)
      .reverse()
      .map((name) => `c-${name}`),
  )
})
