import { expect, test } from 'vitest'
import { Recent } from './recent.ts'

test('the least recently used values are dropped if all need too many bytes', () => {
  const recent = new Recent<{ readonly bytes: number; readonly name: string }>(20_000)
  for (const name of ['a', 'b', 'c']) recent.set(name, { bytes: 3_000, name })
  expect(recent.get('a')?.name).toBe('a')
  expect(recent.set('d', { bytes: 3_000, name: 'd' })).toEqual([{ bytes: 3_000, name: 'b' }])
  expect(['a', 'b', 'c', 'd'].filter((name) => recent.get(name) !== undefined)).toEqual(['a', 'c', 'd'])
  recent.set('e', { bytes: 90_000, name: 'e' })
  expect(['a', 'c', 'd', 'e'].filter((name) => recent.get(name) !== undefined)).toEqual(['e'])
})

test('long keys count, so that endless keys stay within the bound', () => {
  const recent = new Recent<{ readonly bytes: number }>(100_000)
  for (let i = 0; i < 1_000; i++) recent.set(`${i}`.padEnd(5_000), { bytes: 0 })
  expect(recent.size).toBeLessThanOrEqual(8)
  expect(recent.size).toBeGreaterThan(5)
})

test('a value that is taken is gone, and its bytes are free', () => {
  const recent = new Recent<{ readonly bytes: number }>(20_000)
  const value = { bytes: 17_000 }
  recent.set('a', value)
  expect(recent.take('a')).toBe(value)
  expect(recent.take('a')).toBeUndefined()
  for (const name of ['b', 'c', 'd']) recent.set(name, { bytes: 3_000 })
  expect(recent.size).toBe(3)
})
