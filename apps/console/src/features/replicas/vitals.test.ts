import { expect, test } from 'vitest'
import { conflictsText, hostsText, memoryText, pluginsText, rateText } from './vitals.ts'

test.each([
  [null, 'unknown'],
  [0, '0'],
  [0.02, '< 0.1'],
  [1.25, '1.3'],
  [1234.4, '1,234'],
])('%s decisions in the last minute are shown as %s', (decisionsPerSecond, text) => {
  expect(rateText({ decisionsPerSecond })).toBe(text)
})

test.each([
  [null, null, 'unknown'],
  [0, 0, '-'],
  [10, 0, '0 %'],
  [10_000, 1, '< 0.1 %'],
  [3, 1, '33 %'],
])('of %s proposals, %s conflicts are shown as %s', (proposals, conflicts, text) => {
  expect(conflictsText({ proposals, conflicts })).toBe(text)
})

test('an unreported value is unknown, never 0', () => {
  expect([memoryText({ memoryBytes: null }), hostsText({ hosts: null })]).toEqual(['unknown', 'unknown'])
})

test('memory and hosts are shown in a readable form', () => {
  expect(memoryText({ memoryBytes: 2 ** 28 })).toBe('256 MiB')
  expect(hostsText({ hosts: { up: 1_200, suspect: 0, down: 0 } })).toBe('1,200 up')
  expect(hostsText({ hosts: { up: 0, suspect: 1, down: 2 } })).toBe('0 up, 1 suspect, 2 down')
})

test.each([
  [null, 'unknown'],
  [[], 'none'],
  [[{ name: 'rack', version: '1.1.0' }], 'rack 1.1.0'],
  [
    [
      { name: 'rack', version: '1.1.0' },
      { name: 'power', version: '2.0.0' },
    ],
    'rack 1.1.0, power 2.0.0',
  ],
])('the plug-ins %j of a replica are shown as %s', (plugins, text) => {
  expect(pluginsText({ plugins })).toBe(text)
})
