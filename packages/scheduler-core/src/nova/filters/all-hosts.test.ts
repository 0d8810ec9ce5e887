import { expect, test } from 'vitest'
import { verdictOf } from '../testing/judge.ts'
import { allHostsFilter } from './all-hosts.ts'

test('every host passes, however full it is', () => {
  expect(verdictOf(allHostsFilter, { host: { freeRamMb: -1, vcpusTotal: 0 } })).toBe('passes')
})

test('hints that are null are an error of Nova, and not those that are unset', () => {
  expect(verdictOf(allHostsFilter, { request: { schedulerHints: null } })).toBe('raises AttributeError')
  expect(verdictOf(allHostsFilter, { request: { schedulerHints: undefined } })).toBe('passes')
})
