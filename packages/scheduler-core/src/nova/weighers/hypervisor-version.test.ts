import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../testing/builders.ts'
import { hypervisorVersionWeigher } from './hypervisor-version.ts'

const raw = (host: Parameters<typeof aHostState>[0], request = {}) =>
  hypervisorVersionWeigher.prepare(aNovaRequest(request), {}, () => 1, 1)(aHostState(host))

test.each([
  ['the version as a number', 7_002_000, 7_002_000],
  ['a host that reports no version gets the lowest score', null, 0],
])('%s', (_what, hypervisorVersion, number) => expect(raw({ hypervisorVersion })).toBe(number))
