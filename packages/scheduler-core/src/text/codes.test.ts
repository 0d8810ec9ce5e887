import { expect, test } from 'vitest'
import { codes } from './codes.ts'

test.each(Object.entries(codes))('the code %s is two dotted lower-case words, and its meaning is a sentence', (code, sentence) => {
  expect(code).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/)
  expect(sentence).toMatch(/^[A-Z].*\.$/)
})
