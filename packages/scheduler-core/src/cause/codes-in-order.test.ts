import { expect, test } from 'vitest'
import type { Reason } from '../text/reason.ts'
import { codesInOrder } from './refused.ts'

/** The reasons of `count` hosts. `takeRead` returns how many reads of reasons there were since its last call. */
function manyHosts(count: number) {
  let read = 0
  const reason = (code: Reason['code']): Reason => ({ code, subject: 'VCPU' })
  const hosts = Array.from({ length: count }, (_, i) => {
    const reasons = [reason(i % 3 === 0 ? 'memory.short' : 'cpu.short')]
    return new Proxy(reasons, {
      get(target, key) {
        if (key === Symbol.iterator || key === 'map' || key === 'some') read++
        return Reflect.get(target, key)
      },
    })
  })
  return {
    hosts,
    takeRead() {
      const taken = read
      read = 0
      return taken
    },
  }
}

test('counting the codes of 10,000 hosts makes at most 1,000 reads between two yields', () => {
  const { hosts, takeRead } = manyHosts(10_000)
  const steps = codesInOrder(hosts)
  let count = 0
  for (;;) {
    const step = steps.next()
    expect(takeRead()).toBeLessThanOrEqual(1_000)
    count++
    if (!step.done) continue
    expect(step.value).toEqual(['cpu.short', 'memory.short'])
    break
  }
  expect(count).toBeGreaterThan(10)
})
