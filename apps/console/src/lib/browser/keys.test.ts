import { expect, test } from 'vitest'
import { createKeySequence, type Shortcut } from './keys.ts'

const shortcut = (keys: string): Shortcut => ({ keys, label: keys, run: () => undefined })
const all = ['g h', 'g d', 'h', 'j', '?', '['].map(shortcut)

/** Presses keys one after the other. Returns the shortcut that each key completes, or `-`. */
const typed = (keys: string, apartMs = 500): string => {
  const sequence = createKeySequence()
  return [...keys].map((key, i) => sequence.read(key, i * apartMs, all)?.keys ?? '-').join(' ')
}

test.each([
  ['a single key', 'j', 'j'],
  ['a character that is typed with Shift', '?', '?'],
  ['a key without a meaning', 'z', '-'],
  ['the first key of a sequence has no effect yet', 'g', '-'],
  ['a sequence', 'gh', '- g h'],
  ['the last key of a sequence by itself', 'h', 'h'],
  ['an unknown sequence whose last key has a meaning', 'gj', '- j'],
  ['the first key of a sequence twice', 'ggd', '- - g d'],
  ['the same sequence again', 'ghgh', '- g h - g h'],
  ['a completed sequence does not affect the following keys', 'ghh', '- g h h'],
])('%s', (_name, keys, found) => expect(typed(keys)).toBe(found))

test('after 1.5 seconds a sequence starts again', () => expect(typed('gh', 1_500)).toBe('- h'))

test('if two shortcuts have the same key, the one that comes first is called', () => {
  const [page, shell] = [shortcut('j'), shortcut('j')]
  expect(createKeySequence().read('j', 0, [page, shell])).toBe(page)
})
