import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../../testing/builders.ts'
import { ramWeigher } from './ram.ts'

const raw = (host: Parameters<typeof aHostState>[0], request = {}) =>
  ramWeigher.prepare(aNovaRequest(request), {}, () => 1, 1)(aHostState(host))

test.each([
  ['free memory in MiB', { freeRamMb: 512 }, 512],
  ['negative free memory on an overcommitted host, which the weigher raises to its minimum', { freeRamMb: -5 }, -5],
])('%s', (_what, host, number) => {
  expect(raw(host)).toBe(number)
  expect(ramWeigher.minval).toBe(0)
})
