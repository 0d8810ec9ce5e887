import { expect, test } from 'vitest'
import { verdictOf } from '../testing/judge.ts'
import { allHostsFilter } from './all-hosts.ts'

test('every host passes, however full it is', () => {
  expect(verdictOf(allHostsFilter, { host: { freeRamMb: -1, vcpusTotal: 0 } })).toBe('passes')
})

test('scheduler hints that are null are an error as in Nova, and unset hints are not an error', () => {
  expect(verdictOf(allHostsFilter, { request: { schedulerHints: null } })).toBe('raises AttributeError')
  expect(verdictOf(allHostsFilter, { request: { schedulerHints: undefined } })).toBe('passes')
})
