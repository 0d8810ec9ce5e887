import { expect, test } from 'vitest'
import { holdsOf } from './claim-columns.tsx'

test.each([
  [[{ resourceClass: 'VCPU', amount: 8 }], [], '8 vCPU'],
  [
    [
      { resourceClass: 'MEMORY_MB', amount: 65_536 },
      { resourceClass: 'DISK_GB', amount: 80 },
    ],
    [],
    '64 GiB memory, 80 GiB disk',
  ],
  [[{ resourceClass: 'CUSTOM_LICENCE', amount: 2 }], [{ index: 3, milli: 500 }], 'CUSTOM_LICENCE 2, GPU 3 50 %'],
])('the amounts of a claim have units: %j %j', (resources, gpus, text) => {
  expect(holdsOf({ resources, gpus })).toBe(text)
})
