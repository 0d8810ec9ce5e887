import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../../testing/builders.ts'
import { diskWeigher } from './disk.ts'

const raw = (host: Parameters<typeof aHostState>[0], request = {}) =>
  diskWeigher.prepare(aNovaRequest(request), {}, () => 1, 1)(aHostState(host))

test('the score is the free disk space in MiB', () => {
  expect(raw({ freeDiskMb: 2048 })).toBe(2048)
  expect(diskWeigher.minval).toBe(0)
})
