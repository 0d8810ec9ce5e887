import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../../testing/builders.ts'
import { ioOpsWeigher } from './io-ops.ts'

const raw = (host: Parameters<typeof aHostState>[0], request = {}) =>
  ioOpsWeigher.prepare(aNovaRequest(request), {}, () => 1, 1)(aHostState(host))

test('the score is the number of I/O operations, and the default multiplier is negative', () => {
  expect(raw({ numIoOps: 3 })).toBe(3)
  expect(ioOpsWeigher.multiplier).toMatchObject({ key: 'io_ops_weight_multiplier', byDefault: -1 })
})
