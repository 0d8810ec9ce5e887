import { expect, test, vi } from 'vitest'
import { CallEnd, type EndOfCall } from './call-end.ts'

const kinds: readonly [string, () => { readonly end: EndOfCall; abort(): void }][] = [
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
]

test.each(kinds)('%s calls each listener once, and none that was removed or added later', (_name, create) => {
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

test.each(kinds)('during the abort, %s calls no listener that another one removed or added', (_name, create) => {
  const { end, abort } = create()
  const [removed, late] = [vi.fn(), vi.fn()]
  end.addEventListener('abort', () => {
    end.removeEventListener('abort', removed)
    end.addEventListener('abort', late)
  })
  end.addEventListener('abort', removed)
  abort()
  expect([removed.mock.calls.length, late.mock.calls.length]).toEqual([0, 0])
})

test.each(kinds)('an error of a listener does not stop the other listeners of %s, and is thrown afterwards', async (_name, create) => {
  const { end, abort } = create()
  const thrown = new Promise((resolve) => {
    process.setUncaughtExceptionCaptureCallback(resolve)
  })
  try {
    const other = vi.fn()
    end.addEventListener('abort', () => {
      throw new Error('a fault of a listener')
    })
    end.addEventListener('abort', other)
    abort()
    expect(other).toHaveBeenCalledOnce()
    await expect(thrown).resolves.toMatchObject({ message: 'a fault of a listener' })
  } finally {
    process.setUncaughtExceptionCaptureCallback(null)
  }
})
