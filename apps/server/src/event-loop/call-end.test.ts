import { expect, test, vi } from 'vitest'
import { CallEnd, type EndOfCall } from './call-end.ts'

test.each<[string, () => { readonly end: EndOfCall; abort(): void }]>([
  [
    'a CallEnd',
    () => {
      const end = new CallEnd()
      return { end, abort: () => end.abort() }
    },
  ],
  [
    'the signal of an AbortController',
    () => {
      const controller = new AbortController()
      return { end: controller.signal, abort: () => controller.abort() }
    },
  ],
])('%s calls each listener once, and none that was removed or added later', (_name, create) => {
  const { end, abort } = create()
  const [stays, removed, late] = [vi.fn(), vi.fn(), vi.fn()]
  end.addEventListener('abort', stays, { once: true })
  end.addEventListener('abort', removed)
  end.removeEventListener('abort', removed)
  expect(end.aborted).toBe(false)
  abort()
  expect(end.aborted).toBe(true)
  end.addEventListener('abort', late)
  abort()
  expect([stays.mock.calls.length, removed.mock.calls.length, late.mock.calls.length]).toEqual([1, 0, 0])
})
