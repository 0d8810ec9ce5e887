import { expect, test } from 'vitest'
import { createServiceWords } from './service-words.ts'

test('the last hundred lines of output and all internal errors with the first lines of their stacks are stored', () => {
  const { hear, words, defects } = createServiceWords()
  hear('request r-1 failed: Error: no such column')
  for (let i = 0; i < 120; i++) hear(`    at line ${i}`)
  hear('request r-2 failed: Error: another')
  expect(words).toHaveLength(100)
  expect(words.at(-1)).toBe('request r-2 failed: Error: another')
  expect(defects).toEqual([
    'request r-1 failed: Error: no such column | at line 0 | at line 1 | at line 2 | at line 3 | at line 4 | at line 5',
    'request r-2 failed: Error: another',
  ])
})
