import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../testing/builders.ts'
import { numInstancesWeigher } from './num-instances.ts'

const raw = (host: Parameters<typeof aHostState>[0], request = {}) =>
  numInstancesWeigher.prepare(aNovaRequest(request), {}, () => 1, 1)(aHostState(host))

test('instances, with a multiplier of 0 by default', () => {
  expect(raw({ numInstances: 7 })).toBe(7)
  expect(numInstancesWeigher.multiplier.byDefault).toBe(0)
})
