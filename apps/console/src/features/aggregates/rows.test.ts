import { expect, test } from 'vitest'
import { countNaming } from './rows.ts'

test('a flavor that names a key with and without a scope is counted once', () => {
  const flavors = [['scope:ssd', 'ssd'], ['ssd'], ['hw:ssd_kind', 'essd', 'scope:ssd:x'], []].map((keys) => ({
    extraSpecs: keys.map((key) => ({ key })),
  }))
  expect([countNaming(flavors, 'ssd'), countNaming(flavors, 'ssd_kind'), countNaming(flavors, 'tier')]).toEqual([2, 1, 0])
})
