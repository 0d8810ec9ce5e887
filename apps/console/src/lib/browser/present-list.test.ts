import { expect, test } from 'vitest'
import { neighbourOf, rememberList } from './present-list.ts'

const keys = ['a', 'b', 'c']

test('the neighbours of an item are those in its list, and there is none beyond the ends of the list', () => {
  rememberList('letters', keys.length, (index) => keys[index] ?? '')
  rememberList('others', 0, String)
  const around = (list: string, key: string) => [neighbourOf(list, key, -1), neighbourOf(list, key, 1)]
  expect(around('letters', 'b')).toEqual(['a', 'c'])
  expect(around('letters', 'a')).toEqual([undefined, 'b'])
  expect(around('letters', 'c')).toEqual(['b', undefined])
  expect(around('letters', 'z')).toEqual([undefined, undefined])
  expect(around('others', 'b')).toEqual([undefined, undefined])
  expect(around('never opened', 'b')).toEqual([undefined, undefined])
})
