import { expect, test } from 'vitest'
import type { ReplicaStore } from '../../stores/replicas.ts'
import { openRegistry } from './registry.ts'

/** A clock that a test controls, and the callbacks of each tick of two seconds. */
function aClock() {
  let now = 0
  const callbacks: (() => void)[] = []
  return {
    timers: {
      now: () => now,
      after: () => () => undefined,
      every(_: number, callback: () => void) {
        callbacks.push(callback)
        return () => undefined
      },
    },
    async tick(): Promise<void> {
      now += 2_000
      for (const callback of callbacks) callback()
      await new Promise(setImmediate)
    },
  }
}

const SIGN = { id: 'r1' } as ReturnType<Parameters<typeof openRegistry>[0]['describe']>

test('a sign of life that could not be written is written again, and operators are warned once the other replicas consider this one stopped', async () => {
  const { timers, tick } = aClock()
  let isAway = false
  const answer = async <Value>(value: Value): Promise<Value> => (isAway ? Promise.reject(new Error('no connection')) : value)
  const store: ReplicaStore = {
    keep: () => answer(undefined),
    list: () => answer({ now: 0, rows: [] }),
    forget: () => answer(undefined),
    stop: () => answer(undefined),
  }
  const warnings: string[] = []
  await openRegistry({ store, timers, describe: () => SIGN, onLook: () => undefined, warn: (message) => warnings.push(message) })
  isAway = true
  await tick()
  await tick()
  isAway = false
  await tick()
  isAway = true
  for (let missed = 1; missed <= 4; missed++) await tick()
  expect(warnings).toEqual([])
  for (let missed = 5; missed <= 8; missed++) await tick()
  expect(warnings).toEqual(['replica r1 could not write a sign of life for 10 s: no connection'])
})
