import { expect, test } from 'vitest'
import { codes } from './codes.ts'

test.each(Object.entries(codes))('%s is two lower-case dotted words with a sentence', (code, sentence) => {
  expect(code).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/)
  expect(sentence).toMatch(/^[A-Z].*\.$/)
})
