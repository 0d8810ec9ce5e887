import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { checkSubscriptionRoot } from './subscription-root.ts'

const check = (text: string) => () => checkSubscriptionRoot(parse(text), undefined)

test.each([
  'subscription { hostChanged @skip(if: true) { revision } }',
  'subscription ($on: Boolean!) { hostChanged @include(if: $on) { revision } }',
  'subscription { ... @skip(if: true) { hostChanged { revision } } }',
  'subscription { ...F @skip(if: true) } fragment F on Subscription { hostChanged { revision } }',
  'subscription { ...F } fragment F on Subscription { hostChanged @skip(if: true) { revision } }',
])('a subscription without a field for certain is refused: %s', (text) => {
  expect(check(text)).toThrow('The field of a subscription has @skip or @include')
})

test.each([
  'subscription { hostChanged { revision @skip(if: true) } }',
  'subscription { ...F } fragment F on Subscription { hostChanged { revision } }',
  'query { hosts @skip(if: true) { totalCount } }',
])('other documents are not refused: %s', (text) => {
  expect(check(text)).not.toThrow()
})
