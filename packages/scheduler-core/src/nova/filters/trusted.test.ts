import { expect, test } from 'vitest'
import { type Given, NOW, reasonOf, verdictOf } from '../testing/judge.ts'
import { trustedFilter } from './trusted.ts'

const asks = (level: string): Given['request'] => ({ flavor: { extraSpecs: { 'trust:trusted_host': level } } })
const says = (level: string, secondsAgo = 0) => ({
  attestationOf: (node: string) => (node === 'h1' ? { level, at: NOW - secondsAgo * 1000 } : undefined),
})

test.each<[string, Given, string]>([
  ['nothing asked', {}, 'passes'],
  ['a node with the requested level', { request: asks('trusted'), attestations: says('trusted') }, 'passes'],
  ['a node with a level that was not requested', { request: asks('trusted'), attestations: says('untrusted') }, 'trust.level'],
  ['without a source the level is unknown', { request: asks('trusted') }, 'trust.level'],
  ['a flavor that requires the level unknown', { request: asks('unknown') }, 'passes'],
  [
    'a node that the source does not know',
    { request: asks('trusted'), host: { node: 'h2' }, attestations: says('trusted') },
    'trust.level',
  ],
  ['an attestation of the maximum age', { request: asks('trusted'), attestations: says('trusted', 60) }, 'passes'],
  ['an attestation older than the maximum age', { request: asks('trusted'), attestations: says('trusted', 61) }, 'trust.level'],
])('%s', (_name, given, verdict) => expect(verdictOf(trustedFilter, given)).toBe(verdict))

test("the reason of a refusal names the required trust level and the node's level", () => {
  const reason = { need: 'trusted', have: 'unknown', source: 'extra spec trust:trusted_host' }
  expect(reasonOf(trustedFilter, { request: asks('trusted') })).toMatchObject(reason)
})
