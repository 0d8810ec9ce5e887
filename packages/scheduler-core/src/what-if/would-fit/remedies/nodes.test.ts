import { expect, test } from 'vitest'
import { aClaim, aReport } from '../../../testing/index.ts'
import { GIB, saidOf } from '../testing/case.ts'

test('if a host has several nodes, a proposed change of one node names the host as HOST/NODE', () => {
  const shape = { memoryMb: 64 * GIB, vcpus: 16 }
  const said = saidOf({
    hosts: { drv: shape },
    request: { memoryMb: 64 * GIB, vcpus: 1 },
    changes: [
      { ...aReport('drv', { memoryMb: GIB, vcpus: 1 }), node: 'n2' },
      aClaim({ key: 'k', hosts: ['drv'], mode: 'RESERVE', ttlMs: 60_000 }),
    ],
  })
  expect(said).toContainEqual(expect.stringMatching(/^reservations on drv\/drv -> wait until claim .* expires/))
  expect(said).toContainEqual(expect.stringMatching(/^MEMORY_MB allocation ratio of host drv\/drv -> /))
})
