import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../testing/builders.ts'
import { pciWeigher } from './pci.ts'

const raw = (host: Parameters<typeof aHostState>[0], request = {}) =>
  pciWeigher.prepare(aNovaRequest(request), {}, () => 1, 1)(aHostState(host))

const pools = (...counts: readonly number[]) => ({ pciPools: counts.map((count) => ({ count, keys: {} })) })

test.each([
  ['no devices', pools(), 100],
  ['the devices of all pools are added up', pools(2, 3), 95],
  ['one device fewer than the cap', pools(98), 2],
  ['as many devices as the cap', pools(99), 1],
  ['more devices than the cap', pools(60, 60), 1],
])('%s', (_what, host, number) => expect(raw(host)).toBe(number))
