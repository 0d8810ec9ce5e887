import { describe, expect, test } from 'vitest'
import { aClaim, aLog, aReport, aUuid } from '../../testing/index.ts'
import { KEY_AFTERLIFE_MS } from '../idempotency-keys.ts'
import { KEY_CAP } from '../judge.ts'
import { abandon, fenceOf, HOUR, twoHosts } from '../testing/two-hosts.ts'

describe('rule 11: keys end by log time, and their number is limited', () => {
  test('a key is remembered until an hour after its last claim ended', () => {
    const log = twoHosts()
    log.append([aClaim({ hosts: ['h1', 'h2'], mode: 'CONFIRM' })], { at: 1_000 })
    log.append([{ type: 'release', claim: 'k1.0', fence: fenceOf(log, 'k1.0'), reason: null }], { at: 2_000 })
    log.append([], { at: 10 * HOUR })
    expect(log.fleet.ledger.findKey('acme', 'k1')?.forgottenAt).toBeNull()
    log.append([{ type: 'release', claim: 'k1.1', fence: fenceOf(log, 'k1.1'), reason: null }], { at: 10 * HOUR })
    log.append([], { at: 10 * HOUR + KEY_AFTERLIFE_MS - 1 })
    expect([log.fleet.ledger.keyCount, log.fleet.ledger.claims.size]).toEqual([1, 2])
    log.append([], { at: 10 * HOUR + KEY_AFTERLIFE_MS })
    expect([log.fleet.ledger.keyCount, log.fleet.ledger.claims.size]).toEqual([0, 0])
  })

  test('a key that is bound again after it was forgotten does not list its former claims', () => {
    const log = aLog()
    const X = aUuid(1)
    log.append([aReport('h1', { instances: [X] })])
    log.append([aClaim({ key: 'k', instances: [X] })])
    log.append([abandon('k')])
    log.append([], { at: 2 * HOUR })
    log.append([aClaim({ key: 'k', ids: ['second'] }), aReport('h1', { instances: [] }, 2)])
    expect([...log.fleet.ledger.claims.keys()]).toEqual(['second'])
  })

  test('a proposal without parts binds its key for an hour, not forever', () => {
    const log = twoHosts()
    log.append([aClaim({ hosts: [] })])
    log.append([], { at: 2 * HOUR })
    expect(log.fleet.ledger.keyCount).toBe(0)
  })

  test('when the cap is reached, proposals with new keys are void until old keys are forgotten', () => {
    const log = twoHosts()
    const { ledger } = log.fleet
    for (let i = 0; i < KEY_CAP; i++)
      ledger.bind({
        account: 'acme',
        key: `k${i}`,
        digest: '',
        answer: null,
        claims: [],
        decision: null,
        revision: 1,
        boundAt: 0,
        forgottenAt: HOUR,
      })
    expect(log.append([aClaim({ key: 'one more' }), abandon('one more'), aClaim({ key: 'k5' }), abandon('k5')])).toEqual([
      'claim.key_cap',
      'claim.key_cap',
      'claim.key_used',
      undefined,
    ])
    log.append([], { at: HOUR })
    expect(log.append([aClaim({ key: 'one more' })])).toEqual([undefined])
  })
})
