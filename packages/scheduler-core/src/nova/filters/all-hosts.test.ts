import { expect, test } from 'vitest'
import { verdictOf } from '../testing/judge.ts'
import { allHostsFilter } from './all-hosts.ts'

test('every host passes, however full it is', () => {
  expect(verdictOf(allHostsFilter, { host: { freeRamMb: -1, vcpusTotal: 0 } })).toBe('passes')
})

test('hints that are null are an error in Nova, and unset hints are not', () => {
  expect(verdictOf(allHostsFilter, { request: { schedulerHints: null } })).toBe('raises AttributeError')
  expect(verdictOf(allHostsFilter, { request: { schedulerHints: undefined } })).toBe('passes')
})
