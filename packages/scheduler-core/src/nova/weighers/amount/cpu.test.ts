import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../../testing/builders.ts'
import { cpuWeigher } from './cpu.ts'

const raw = (host: Parameters<typeof aHostState>[0], request = {}) =>
  cpuWeigher.prepare(aNovaRequest(request), {}, () => 1, 1)(aHostState(host))

test.each([
  ['the ratio multiplies the total, not the CPUs in use', { vcpusTotal: 8, cpuAllocationRatio: 4, vcpusUsed: 10 }, 22],
  ['a ratio with a fraction', { vcpusTotal: 3, cpuAllocationRatio: 1.5, vcpusUsed: 1 }, 3.5],
  ['more CPUs in use than the host has', { vcpusTotal: 4, cpuAllocationRatio: 1, vcpusUsed: 6 }, -2],
])('%s', (_what, host, number) => {
  expect(raw(host)).toBe(number)
  expect(cpuWeigher.minval).toBe(0)
})
