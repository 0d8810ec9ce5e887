import { expect, test } from 'vitest'
import { nameOfFlavor, requestOfFlavor } from './flavors.ts'

test('a flavor with or without a name becomes a request with the same fields', () => {
  const flavor = {
    ...{ name: null, vcpus: 2, memoryMb: 4_096, rootGb: 1, ephemeralGb: 0, swapMb: 0, decisions: 7 },
    extraSpecs: [{ key: 'ssd', value: 'true' }],
  }
  expect(nameOfFlavor(flavor)).toBe('2 vCPU / 4 GiB')
  expect(requestOfFlavor(flavor)).toEqual({
    flavor: { name: null, vcpus: 2, memoryMb: 4_096, rootGb: 1, ephemeralGb: 0, swapMb: 0, extraSpecs: { ssd: 'true' } },
  })
})
