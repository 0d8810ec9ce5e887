import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../testing/builders.ts'
import { buildFailureWeigher } from './build-failure.ts'

const raw = (host: Parameters<typeof aHostState>[0], request = {}) =>
  buildFailureWeigher.prepare(aNovaRequest(request), {}, () => 1, 1)(aHostState(host))

test('the score is the number of failed builds on the host', () => {
  expect(raw({ failedBuilds: 2 })).toBe(2)
  expect(buildFailureWeigher.multiplier).toMatchObject({ byDefault: 1_000_000, isNegated: true })
  expect(buildFailureWeigher.minval).toBeUndefined()
})
