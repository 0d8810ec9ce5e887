import { expect, test } from 'vitest'
import { type Given, reasonOf, verdictOf } from '../testing/judge.ts'
import { retryFilter } from './retry.ts'

const tried = (...hosts: { host: string; node: string }[]): Given['request'] => ({ retry: { numAttempts: 1, hosts } })

test.each<[string, Given, string]>([
  ['no retries', {}, 'passes'],
  ['the first attempt', { request: tried() }, 'passes'],
  ['the node was tried', { request: tried({ host: 'h2', node: 'h2' }, { host: 'h1', node: 'h1' }) }, 'host.tried'],
  ['another node of the host was tried', { request: tried({ host: 'h1', node: 'n2' }) }, 'passes'],
])('%s', (_name, given, verdict) => expect(verdictOf(retryFilter, given)).toBe(verdict))

test('the reason of a refusal names the host and the node', () => {
  expect(reasonOf(retryFilter, { request: tried({ host: 'h1', node: 'h1' }) })).toMatchObject({ subject: 'node', have: 'h1, h1' })
})
