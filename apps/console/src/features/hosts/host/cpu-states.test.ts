import { expect, it } from 'vitest'
import { statesOf } from './cpu-states.ts'

const cell = { cpus: [0, 1, 2], dedicated: null, pinned: [], cpusUsed: 0 }

it.each([
  ['a CPU that no instance uses is free', {}, '0 free, 1 free, 2 free'],
  ['shared instances use all CPUs that are not dedicated', { cpusUsed: 1, pinned: [1] }, '0 shared, 1 pinned, 2 shared'],
  ['CPUs that can only be dedicated are never shared', { cpusUsed: 1, dedicated: [4, 3] }, '0 shared, 1 shared, 2 shared, 3 free, 4 free'],
  [
    'CPUs that can be dedicated or shared are shared until they are dedicated',
    { cpusUsed: 1, dedicated: [2, 3], pinned: [3] },
    '0 shared, 1 shared, 2 shared, 3 pinned',
  ],
])('%s', (_name, change, states) => {
  expect([...statesOf({ ...cell, ...change })].map(([cpu, state]) => `${cpu} ${state}`).join(', ')).toBe(states)
})
