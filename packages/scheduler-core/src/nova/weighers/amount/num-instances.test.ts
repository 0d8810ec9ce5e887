import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../../testing/builders.ts'
import { numInstancesWeigher } from './num-instances.ts'

const raw = (host: Parameters<typeof aHostState>[0], request = {}) =>
  numInstancesWeigher.prepare(aNovaRequest(request), {}, () => 1, 1)(aHostState(host))

test('the score is the number of instances, and the default multiplier is 0', () => {
  expect(raw({ numInstances: 7 })).toBe(7)
  expect(numInstancesWeigher.multiplier.byDefault).toBe(0)
})
