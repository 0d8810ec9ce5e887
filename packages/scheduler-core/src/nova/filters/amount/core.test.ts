import { expect, test } from 'vitest'
import { aHostState, aNovaRequest, anAggregate } from '../../testing/builders.ts'
import { type Given, NOW, reasonOf, verdictOf } from '../../testing/judge.ts'
import { aggregateCoreFilter, coreFilter, exactCoreFilter } from './core.ts'

const asks = (vcpus: number): Given['request'] => ({ flavor: { vcpus } })
const small = { vcpusTotal: 8, vcpusUsed: 0 }
const host = { vcpusTotal: 16, vcpusUsed: 60, cpuAllocationRatio: 4 }

test.each<[string, Given, string]>([
  ['as many CPUs as are free', { request: asks(4), host }, 'passes'],
  ['one CPU more than is free', { request: asks(5), host }, 'cpu.short'],
  ['the option replaces the ratio of the host', { request: asks(4), host, options: { cpu_allocation_ratio: 16 } }, 'passes'],
  ['a host without a ratio gets a ratio of 16', { request: asks(4), host: { ...host, vcpusUsed: 252, cpuAllocationRatio: 0 } }, 'passes'],
  ['more CPUs than a ratio of 16 gives', { request: asks(4), host: { ...host, vcpusUsed: 253, cpuAllocationRatio: 0 } }, 'cpu.short'],
  ['a host without a CPU count passes', { request: asks(4), host: { vcpusTotal: 0 } }, 'passes'],
  [
    'A15a nova core_filter.py: 9 vCPUs on a host of 8 with a ratio of 4',
    { request: asks(9), host: { ...small, cpuAllocationRatio: 4 } },
    'cpu.too_few',
  ],
  ['all 8 vCPUs of the host', { request: asks(8), host: { ...small, cpuAllocationRatio: 4 } }, 'passes'],
  [
    '9 vCPUs on a host of 8 with the ratio of the option',
    { request: asks(9), host: small, options: { cpu_allocation_ratio: 16 } },
    'cpu.too_few',
  ],
  ['9 vCPUs on a host of 8 with the default ratio of Nova', { request: asks(9), host: { ...small, cpuAllocationRatio: 0 } }, 'cpu.too_few'],
])('CoreFilter: %s', (_name, given, verdict) => expect(verdictOf(coreFilter, given)).toBe(verdict))

test("AggregateCoreFilter uses the lowest ratio of the host's aggregates, and the reason names the aggregate", () => {
  const aggregates = ['9', '3.5'].map((cpu_allocation_ratio, i) => anAggregate(`a${i}`, { cpu_allocation_ratio }))
  const reason = { code: 'cpu.short', need: 1, have: -4, source: 'aggregate a1 cpu_allocation_ratio' }
  expect(reasonOf(aggregateCoreFilter, { request: asks(1), host: { ...host, aggregates } })).toMatchObject(reason)
})

test('AggregateCoreFilter refuses an instance with more vCPUs than the host has in total, whatever the ratio', () => {
  const aggregates = [anAggregate('a', { cpu_allocation_ratio: '16' })]
  const reason = { code: 'cpu.too_few', need: 9, have: 8, unit: 'vCPUs' }
  expect(reasonOf(aggregateCoreFilter, { request: asks(9), host: { ...small, aggregates } })).toEqual(expect.objectContaining(reason))
})

test.each<[string, Given, string]>([
  ['exactly the requested number of CPUs is free', { request: asks(4), host: { vcpusTotal: 16, vcpusUsed: 12 } }, 'passes'],
  ['more CPUs than requested are free', { request: asks(3), host: { vcpusTotal: 16, vcpusUsed: 12 } }, 'cpu.not_exact'],
  ['a host without a CPU count is refused', { request: asks(0), host: { vcpusTotal: 0 } }, 'cpu.not_exact'],
])('ExactCoreFilter: %s', (_name, given, verdict) => expect(verdictOf(exactCoreFilter, given)).toBe(verdict))

test('the vCPU limit is the total times the ratio, if the host reports a CPU count', () => {
  const check = coreFilter.prepare(aNovaRequest(), {}, { now: NOW })
  expect(check?.limits?.(aHostState(host))).toEqual({ vcpu: 64 })
  expect(check?.limits?.(aHostState({ vcpusTotal: 0 }))).toEqual({})
})
