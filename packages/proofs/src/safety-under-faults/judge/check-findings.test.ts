import { expect, test } from 'vitest'
import type { FinalClaim, Operation } from '../history.ts'
import { evidence, puts, reports, shows, stands } from '../testing/evidence.ts'
import { neededFindings } from './check-findings.ts'

const placedOnB = puts(0, 'x', 'b', 1)
const onB = stands('b', 'x', 1)
const movingToA = { ...stands('a', 'x', 5), id: 'c-m', moveOf: 'c-i-x' }
const materialised = { state: 'MATERIALISED' as const }

const rows: readonly (readonly [what: string, history: readonly Operation[], claims: readonly FinalClaim[], found: readonly string[]])[] = [
  ['a claim that its host lists', [placedOnB, reports(2, 'b', ['i-x'], { VCPU: 1 })], [stands('b', 'x', 1, materialised)], []],
  ['a claim that no host lists', [placedOnB, reports(2, 'b', [], {})], [onB], ['instance.unlisted i-x']],
  ['a claim that another host lists', [placedOnB, reports(2, 'a', ['i-x'], { VCPU: 2 })], [onB], ['instance.other_host i-x']],
  [
    'an instance that two hosts list',
    [placedOnB, reports(2, 'a', ['i-x'], { VCPU: 2 }), reports(2, 'b', ['i-x'], { VCPU: 1 })],
    [stands('b', 'x', 1, materialised)],
    ['instance.two_hosts i-x a b'],
  ],
  [
    'an instance that both ends of an open move list',
    [placedOnB, reports(2, 'a', ['i-x'], { VCPU: 2 }), reports(2, 'b', ['i-x'], { VCPU: 1 })],
    [stands('b', 'x', 1, materialised), { ...movingToA, ...materialised }],
    [],
  ],
  [
    'an instance that the destination of its move lists',
    [placedOnB, reports(2, 'a', ['i-x'], { VCPU: 2 })],
    [onB, { ...movingToA, ...materialised }],
    [],
  ],
  ['a move of which neither end lists the instance', [placedOnB], [onB, movingToA], ['instance.unlisted i-x']],
  ['a reservation that no host lists', [placedOnB], [stands('b', 'x', 1, { state: 'RESERVED' })], []],
  [
    'a reservation whose instance another host lists',
    [placedOnB, reports(2, 'a', ['i-x'], { VCPU: 2 })],
    [stands('b', 'x', 1, { state: 'RESERVED' })],
    ['instance.unclaimed a'],
  ],
  [
    'an instance whose claim ended',
    [placedOnB, reports(2, 'b', ['i-x'], {})],
    [stands('b', 'x', 1, { state: 'RELEASED' })],
    ['instance.unclaimed b'],
  ],
  ['instances that nobody placed', [reports(2, 'b', ['i-y', 'i-z'], { VCPU: 2 })], [], ['instance.unclaimed b']],
  ['a host with a claim and without a list of instances', [placedOnB, reports(2, 'b', null, {})], [onB], ['use.no_instances b']],
  ['a host without a claim and without a list of instances', [reports(2, 'b', null, {})], [], []],
  [
    'a host that reports less than the claims of what it lists',
    [placedOnB, reports(2, 'b', ['i-x'], { VCPU: 0 })],
    [stands('b', 'x', 1, materialised)],
    ['use.below_claims b'],
  ],
  [
    'an instance with two claims that are no move',
    [placedOnB],
    [onB, { ...stands('a', 'x', 5), id: 'c-y' }],
    ['instance.unlisted i-x', 'instance.twice i-x'],
  ],
]

test.each(rows)('the auditor must report exactly the expected findings about %s', (_what, history, claims, found) => {
  const seen = evidence(history, shows(claims))
  const needed = neededFindings(seen, { claims }).map(({ code, name, hosts }) => [code, name, ...hosts].join(' '))
  expect(needed).toEqual(found)
})

test('a host whose capacity is less than its claims hold is a finding, with a move on the same host counted once', () => {
  const history = [placedOnB, reports(2, 'b', ['i-x'], { VCPU: 1 })]
  const claims = [stands('b', 'x', 1, materialised), { ...stands('b', 'x', 5), id: 'c-m', moveOf: 'c-i-x' }]
  const codes = (capacity: number) =>
    neededFindings(evidence(history), {
      claims,
      hosts: [{ name: 'b', classes: { VCPU: { capacity, used: 1, claimed: 0 } }, freeUnits: {} }],
    })
      .map(({ code }) => code)
      .filter((code) => code.startsWith('capacity'))
  expect(codes(1)).toEqual([])
  expect(codes(0)).toEqual(['capacity.below_claims'])
})
