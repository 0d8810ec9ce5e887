import { expect, test } from 'vitest'
import { aHostState, aNovaRequest, anAggregate } from '../../testing/builders.ts'
import { type Given, NOW, reasonOf, verdictOf } from '../../testing/judge.ts'
import { aggregateRamFilter, exactRamFilter, ramFilter } from './ram.ts'

const asks = (memoryMb: number): Given['request'] => ({ flavor: { memoryMb } })
const host = { totalUsableRamMb: 1000, freeRamMb: -400, ramAllocationRatio: 1.5 }

test.each<[string, Given, string]>([
  ['as much memory as is free', { request: asks(100), host }, 'passes'],
  ['one MiB more than is free', { request: asks(101), host }, 'memory.short'],
  [
    'B13a nova ram_filter.py: more than the total of the host',
    { request: asks(1001), host: { ...host, freeRamMb: 1000 } },
    'memory.too_little',
  ],
  ['the total of the host', { request: asks(1000), host: { ...host, freeRamMb: 1000 } }, 'passes'],
  ['a host without memory, whatever the ratio', { request: asks(1), host: { totalUsableRamMb: 0, freeRamMb: 0 } }, 'memory.too_little'],
  ['the option replaces the ratio of the host', { request: asks(1), host, options: { ram_allocation_ratio: 1 } }, 'memory.short'],
])('RamFilter: %s', (_name, given, verdict) => expect(verdictOf(ramFilter, given)).toBe(verdict))

test("AggregateRamFilter uses the ratio in the metadata of the aggregates, or the host's ratio if a value is not a number", () => {
  const given = (ram_allocation_ratio: string) => ({
    request: asks(100),
    host: { ...host, aggregates: [anAggregate('a', { ram_allocation_ratio })] },
  })
  expect(reasonOf(aggregateRamFilter, given('1'))).toMatchObject({ need: 100, have: -400, source: 'aggregate a ram_allocation_ratio' })
  expect(verdictOf(aggregateRamFilter, given('much'))).toBe('passes')
})

test('ExactRamFilter requires that exactly the requested amount is free', () => {
  expect(verdictOf(exactRamFilter, { request: asks(64), host: { freeRamMb: 64 } })).toBe('passes')
  expect(reasonOf(exactRamFilter, { request: asks(64), host: { freeRamMb: 65 } })).toMatchObject({
    code: 'memory.not_exact',
    need: 64,
    have: 65,
  })
})

test('the memory limit is the total times the ratio', () => {
  expect(ramFilter.prepare(aNovaRequest(), {}, { now: NOW })?.limits?.(aHostState(host))).toEqual({ memoryMb: 1500 })
})
