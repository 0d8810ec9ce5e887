import { expect, test } from 'vitest'
import { type Given, NOW, reasonOf, verdictOf } from '../testing/judge.ts'
import { trustedFilter } from './trusted.ts'

const asks = (level: string): Given['request'] => ({ flavor: { extraSpecs: { 'trust:trusted_host': level } } })
const says = (level: string, secondsAgo = 0) => ({
  attestationOf: (node: string) => (node === 'h1' ? { level, at: NOW - secondsAgo * 1000 } : undefined),
})

test.each<[string, Given, string]>([
  ['nothing asked', {}, 'passes'],
  ['the level asked for', { request: asks('trusted'), attestations: says('trusted') }, 'passes'],
  ['another level', { request: asks('trusted'), attestations: says('untrusted') }, 'trust.level'],
  ['no source knows of no trust', { request: asks('trusted') }, 'trust.level'],
  ['unknown may be asked for', { request: asks('unknown') }, 'passes'],
  [
    'a node that the source does not know',
    { request: asks('trusted'), host: { node: 'h2' }, attestations: says('trusted') },
    'trust.level',
  ],
  ['an attestation as old as may be', { request: asks('trusted'), attestations: says('trusted', 60) }, 'passes'],
  ['an older one', { request: asks('trusted'), attestations: says('trusted', 61) }, 'trust.level'],
])('%s', (_name, given, verdict) => expect(verdictOf(trustedFilter, given)).toBe(verdict))

test('the reason names both levels', () => {
  const reason = { need: 'trusted', have: 'unknown', source: 'extra spec trust:trusted_host' }
  expect(reasonOf(trustedFilter, { request: asks('trusted') })).toMatchObject(reason)
})
