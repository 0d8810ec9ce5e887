import type { Finding } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import { Found } from './found.ts'

const FINDINGS = 300

test('the findings of one object are compared with its former findings in work proportional to their count', () => {
  const found = new Found()
  let reads = 0
  const findings = Array.from({ length: FINDINGS }, (_, i): Finding => {
    const finding: Finding = {
      ...{ code: 'instance.elsewhere', subject: 'instance', name: 'i', host: `h${i}`, claim: `c${i}` },
      ...{ field: 'live claims', expected: 'a', actual: 'b' },
    }
    const read = (target: Finding, key: string | symbol): unknown => {
      reads++
      return Reflect.get(target, key)
    }
    return new Proxy(finding, { get: read })
  })
  expect(found.note('state', 'instance i', findings.slice(1), 1, 10)).toHaveLength(FINDINGS - 1)
  reads = 0
  expect(found.note('state', 'instance i', findings, 2, 20)).toEqual([findings[0]])
  // Each finding is read a few times, for its id and for the comparison.
  expect(reads).toBeLessThan(50 * FINDINGS)
  expect([...found.all()].map(({ since }) => since)).toEqual([20, ...Array.from({ length: FINDINGS - 1 }, () => 10)])
})
