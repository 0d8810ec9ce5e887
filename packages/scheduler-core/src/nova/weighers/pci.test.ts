import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../testing/builders.ts'
import { pciWeigher } from './pci.ts'

const raw = (host: Parameters<typeof aHostState>[0], request = {}) =>
  pciWeigher.prepare(aNovaRequest(request), {}, () => 1, 1)(aHostState(host))

const pools = (...counts: readonly number[]) => ({ pciPools: counts.map((count) => ({ count, keys: {} })) })

test.each([
  ['no devices', pools(), 100],
  ['the devices of all pools count', pools(2, 3), 95],
  ['one less than counts', pools(98), 2],
  ['as many as count', pools(99), 1],
  ['more than count', pools(60, 60), 1],
])('%s', (_what, host, number) => expect(raw(host)).toBe(number))
