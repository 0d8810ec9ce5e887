import { expect, test } from 'vitest'
import { hostOutcomeText } from './names.ts'

test.each([
  ['FILTERED', 'refused'],
  ['SELECTED', 'chosen'],
  ['ALTERNATE', 'alternate'],
  ['UNKNOWN', 'absent'],
  ['NOT_CHOSEN', 'not chosen'],
])('the outcome %s of a host is shown as "%s"', (outcome, text) => {
  expect(hostOutcomeText(outcome)).toBe(text)
})
