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
  ['a single key is a shortcut', 'j', 'j'],
  ['a character that is typed with Shift is a shortcut', '?', '?'],
  ['a key without a meaning has no effect', 'z', '-'],
  ['the first key of a sequence has no effect yet', 'g', '-'],
  ['the last key of a sequence completes it', 'gh', '- g h'],
  ['the last key of a sequence by itself has its own meaning', 'h', 'h'],
  ['the last key of an unknown sequence has its own meaning', 'gj', '- j'],
  ['the first key of a sequence can be repeated', 'ggd', '- - g d'],
  ['a sequence can be repeated', 'ghgh', '- g h - g h'],
  ['a completed sequence does not affect the following keys', 'ghh', '- g h h'],
])('%s', (_name, keys, found) => expect(typed(keys)).toBe(found))

test('after 1.5 seconds a sequence starts again', () => expect(typed('gh', 1_500)).toBe('- h'))

test('if two shortcuts have the same key, the one that comes first is called', () => {
  const [page, shell] = [shortcut('j'), shortcut('j')]
  expect(createKeySequence().read('j', 0, [page, shell])).toBe(page)
})
