import { expect, test } from 'vitest'
import type { UnloggedAnswer } from '../propose/batch.ts'
import type { UnloggedDecision } from '../propose/placement.ts'
import { createUnloggedStore } from './store-unlogged.ts'

/** A store. Each write ends when the test calls `end` with the first decision of the write. A write with the decision `large` fails. */
function open() {
  const writes: string[][] = []
  const warnings: string[] = []
  const log: string[] = []
  const ends = new Map<string, () => void>()
  const store = createUnloggedStore({
    async recordUnlogged(decisions) {
      const names = decisions.map(({ account }) => account)
      writes.push(names)
      await new Promise<void>((resolve) => void ends.set(names[0] ?? '', resolve))
      if (names.includes('large')) throw new Error('too large')
    },
    warn: (message) => void warnings.push(message),
  })
  const complete = (name: string): UnloggedAnswer => ({
    decision: { account: name } as UnloggedDecision,
    answer: () => void log.push(`${name} answered`),
    fail: (error) => void log.push(`${name} failed: ${error.message}`),
  })
  const stored = (...names: readonly string[]) => names.map((name) => store(complete(name)))
  return { stored, end: (name: string) => ends.get(name)?.(), writes, warnings, log }
}

test('a caller is answered only after its decision is stored', async () => {
  const { stored, end, log } = open()
  const [done] = stored('a')
  expect(log).toEqual([])
  end('a')
  await done
  expect(log).toEqual(['a answered'])
})

test('at most four writes run at the same time, further decisions wait and are stored together, and a slow write delays no other', async () => {
  const { stored, end, writes, log } = open()
  const works = stored('slow', 'b', 'c', 'd', 'e', 'f')
  expect(writes).toEqual([['slow'], ['b'], ['c'], ['d']])
  end('c')
  await works[2]
  expect(log).toEqual(['c answered'])
  expect(writes.slice(4)).toEqual([['e', 'f']])
  end('e')
  await Promise.all(works.slice(4))
  expect(log).toEqual(['c answered', 'e answered', 'f answered'])
  for (const name of ['slow', 'b', 'd']) end(name)
  await Promise.all(works)
  expect(log).toHaveLength(6)
})

test('one write stores at most a hundred decisions', async () => {
  const { stored, end, writes } = open()
  const works = stored(...Array.from({ length: 4 + 101 }, (_, i) => `n${i}`))
  end('n0')
  await works[0]
  end('n1')
  await works[1]
  expect(writes.map(({ length }) => length)).toEqual([1, 1, 1, 1, 100, 1])
  for (const [name] of writes) end(name ?? '')
  await Promise.all(works)
})

test('of the decisions of a write that fails, only the one that cannot be stored fails its call', async () => {
  const { stored, end, writes, warnings, log } = open()
  const works = stored('s', 't', 'u', 'v', 'a', 'large')
  end('s')
  await works[0]
  end('a')
  await expect.poll(() => writes.slice(4)).toEqual([['a', 'large'], ['a'], ['large']])
  for (const name of ['t', 'u', 'v', 'a', 'large']) end(name)
  await Promise.all(works)
  expect(log.filter((entry) => /^(a|large) /.test(entry)).sort()).toEqual([
    'a answered',
    'large failed: the decision could not be recorded',
  ])
  expect(warnings).toEqual(['a decision could not be recorded: too large'])
})
