import { expect, test } from 'vitest'
import { type Given, reasonOf, verdictOf } from '../../testing/judge.ts'
import { differentHostFilter, sameHostFilter } from './same-host.ts'

const hint = (name: string, ...uuids: string[]) => ({ schedulerHints: { [name]: uuids } })
const host = { instances: new Set(['a', 'b']) }

test.each<[string, Given, string]>([
  ['no hint', { host }, 'passes'],
  ['an empty list', { host, request: hint('same_host') }, 'passes'],
  ['an empty text', { host, request: hint('same_host', '') }, 'passes'],
  ['the hint names an instance on the host', { host, request: hint('same_host', 'a') }, 'passes'],
  ['the hint names one instance on the host and one elsewhere', { host, request: hint('same_host', 'x', 'b') }, 'passes'],
  ['the hint names no instance on the host', { host, request: hint('same_host', 'x', 'y') }, 'instance.not_on_host'],
  ['an empty host', { request: hint('same_host', 'a') }, 'instance.not_on_host'],
  ['capitals matter', { host, request: hint('same_host', 'A') }, 'instance.not_on_host'],
  ['hints that are null', { host, request: { schedulerHints: null } }, 'raises AttributeError'],
])('SameHostFilter: %s', (_name, given, verdict) => expect(verdictOf(sameHostFilter, given)).toBe(verdict))

test.each<[string, Given, string]>([
  ['no hint different_host', { host, request: hint('same_host', 'a') }, 'passes'],
  ['the hint names no instance on the host', { host, request: hint('different_host', 'x', 'y') }, 'passes'],
  ['the hint names one instance on the host and one elsewhere', { host, request: hint('different_host', 'x', 'b') }, 'instance.same_host'],
  ['an empty host', { request: hint('different_host', 'a') }, 'passes'],
])('DifferentHostFilter: %s', (_name, given, verdict) => expect(verdictOf(differentHostFilter, given)).toBe(verdict))

test('the reason of a refusal names the instances', () => {
  expect(reasonOf(sameHostFilter, { request: hint('same_host', 'x', 'y') })).toMatchObject({ need: 'x, y', source: 'hint same_host' })
  expect(reasonOf(differentHostFilter, { host, request: hint('different_host', 'x', 'b') })).toMatchObject({ have: 'b' })
})
