import { expect, test } from 'vitest'
import { aHostState, aNovaRequest, anAggregate } from '../../testing/builders.ts'
import { type Given, NOW, reasonOf, verdictOf } from '../../testing/judge.ts'
import { aggregateDiskFilter, diskFilter, exactDiskFilter } from './disk.ts'

const request: Given['request'] = { flavor: { rootGb: 1, ephemeralGb: 1, swap: 52 } }
const free = (freeDiskMb: number, given: Given['host'] = {}) => ({ totalUsableDiskGb: 10, freeDiskMb, ...given })

test.each<[string, Given, string]>([
  ['root, ephemeral and swap disk together are exactly the free disk', { request, host: free(2100) }, 'passes'],
  ['swap needs disk space', { request, host: free(2099) }, 'disk.short'],
  [
    'nova 3cafa7f5bd disk_filter.py: more than the total of the host',
    { request: { flavor: { rootGb: 11, ephemeralGb: 0, swap: 0 } }, host: free(10_240), options: { disk_allocation_ratio: 2 } },
    'disk.too_little',
  ],
  [
    'the total of the host',
    { request: { flavor: { rootGb: 10, ephemeralGb: 0, swap: 0 } }, host: free(10_240), options: { disk_allocation_ratio: 2 } },
    'passes',
  ],
  ['the ratio of the option applies to every host', { request, host: free(-8140), options: { disk_allocation_ratio: 2 } }, 'passes'],
  [
    'with an option of 0 the ratio of the host applies',
    { request, host: free(-8140, { diskAllocationRatio: 2 }), options: { disk_allocation_ratio: 0 } },
    'passes',
  ],
])('DiskFilter: %s', (_name, given, verdict) => expect(verdictOf(diskFilter, given)).toBe(verdict))

test("AggregateDiskFilter uses the ratio in the metadata of the host's aggregates", () => {
  const aggregates = [anAggregate('a', { disk_allocation_ratio: '0.9' })]
  const reason = { code: 'disk.short', need: 2100, have: 1376, unit: 'MiB', source: 'aggregate a disk_allocation_ratio' }
  expect(reasonOf(aggregateDiskFilter, { request, host: free(2400, { aggregates }) })).toMatchObject(reason)
})

test('ExactDiskFilter requires that exactly the requested amount is free', () => {
  expect(verdictOf(exactDiskFilter, { request, host: free(2100) })).toBe('passes')
  expect(reasonOf(exactDiskFilter, { request, host: free(2101) })).toMatchObject({ code: 'disk.not_exact', need: 2100, have: 2101 })
})

test('the disk limit is the total times the ratio, in GiB', () => {
  const check = diskFilter.prepare(aNovaRequest(), { disk_allocation_ratio: 1.5 }, { now: NOW })
  expect(check?.limits?.(aHostState(free(0)))).toEqual({ diskGb: 15 })
})
