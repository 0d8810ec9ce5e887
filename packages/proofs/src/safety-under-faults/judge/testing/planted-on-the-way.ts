import {
  ANTI,
  claimOn,
  ends,
  evidence,
  ok,
  op,
  placed,
  placing,
  puts,
  reports,
  shows,
  stands,
  TOGETHER,
  TWO,
  unknown,
} from '../../testing/evidence.ts'
import type { Evidence } from '../rule.ts'
import {
  atAttempt,
  atMove,
  attempt,
  confirmMove,
  edit,
  finding,
  full,
  gpu,
  hostShown,
  keeps,
  leaves,
  materialised,
  move,
  onTwoHosts,
  released,
  status,
} from './histories.ts'

/** Violations in the answers to calls, each with the promise that it breaks and a history that contains it. */
export const plantedOnTheWay: readonly (readonly [what: string, rule: string, Evidence])[] = [
  [
    'a claim on a reserved amount, which the operator released only later',
    'a host gets no claims beyond the amounts that operators set',
    evidence(
      [full(0, 'x', 1), keeps(2, 1), puts(4, 'y', 'b', 5), keeps(6, null)],
      shows([stands('b', 'x', 1, { amounts: { VCPU: 3 } }), stands('b', 'y', 5)]),
    ),
  ],
  [
    'a claim on a host that was forgotten before the request',
    'nothing is placed on a host that was forgotten',
    evidence([leaves(0, 'forget'), puts(2, 'x', 'b', 1), leaves(4, 'readmit')], shows([stands('b', 'x', 1)])),
  ],
  [
    'a report that brings a forgotten host back',
    'reports of a forgotten host are refused',
    evidence([leaves(0, 'force'), reports(2, 'b', [], { VCPU: 0 })], shows([])),
  ],
  [
    'a host that is forgotten although it has a claim',
    'a host that has claims is not forgotten without force',
    evidence([puts(0, 'x', 'b', 1), leaves(2, 'forget')], shows([stands('b', 'x', 1)])),
  ],
  [
    'a claim that outlives its host',
    'the claims of a host end when it is forgotten by force',
    evidence([puts(0, 'x', 'b', 1), leaves(2, 'force')], shows([stands('b', 'x', 1)])),
  ],
  [
    'a claim of another host that ends with a forgotten one',
    'every acknowledged claim is there',
    evidence([puts(0, 'x', 'a', 1), leaves(2, 'force')], shows([stands('a', 'x', 1, { state: 'REVOKED' })])),
  ],
  ['a replaced host under its old name', 'a host has the name of its last replacement', evidence([leaves(0, 'replace', 'b~1')], shows([]))],
  [
    'a claim that gets another fence when its host is replaced',
    'every acknowledged claim is there',
    evidence([puts(0, 'x', 'b', 1), leaves(2, 'replace', 'b~1')], shows([stands('b', 'x', 2)])),
  ],
  [
    'two claims at once for resources that only one can have, both ended at the end',
    'no host ever holds more than it has',
    evidence(
      [full(0, 'x', 1), full(2, 'y', 5), ends(4, 'release', 'x', 1), ends(4, 'release', 'y', 5)],
      shows([stands('b', 'x', 1, { ...released, amounts: { VCPU: 3 } }), stands('b', 'y', 5, { ...released, amounts: { VCPU: 3 } })]),
    ),
  ],
  [
    'resources that are claimed while a confirmed reservation still holds them',
    'no host ever holds more than it has',
    evidence(
      [
        puts(0, 'x', 'b', 1, { amounts: { VCPU: 3 }, mode: 'RESERVE', ttlMs: 5 }),
        ends(2, 'confirm', 'x', 1),
        full(20, 'y', 5),
        ends(30, 'release', 'y', 5),
      ],
      shows([stands('b', 'x', 1, { amounts: { VCPU: 3 } }), stands('b', 'y', 5, { ...released, amounts: { VCPU: 3 } })]),
    ),
  ],
  [
    'two members of an anti-affinity group on one host for a while',
    'no host ever has more members of a group than its rule allows',
    evidence(
      [puts(0, 'x', 'b', 1, { group: ANTI }), puts(2, 'y', 'b', 5, { group: ANTI }), ends(4, 'release', 'y', 5)],
      shows([stands('b', 'x', 1, { group: 'anti' }), stands('b', 'y', 5, { ...released, group: 'anti' })]),
    ),
  ],
  [
    'a third member where two are allowed, for a while',
    'no host ever has more members of a group than its rule allows',
    evidence(
      [
        puts(0, 'x', 'b', 1, { group: TWO }),
        puts(2, 'y', 'b', 5, { group: TWO }),
        puts(4, 'z', 'b', 7, { group: TWO }),
        ends(6, 'release', 'z', 7),
      ],
      shows([
        stands('b', 'x', 1, { group: 'two' }),
        stands('b', 'y', 5, { group: 'two' }),
        stands('b', 'z', 7, { ...released, group: 'two' }),
      ]),
    ),
  ],
  [
    'members of an affinity group on different hosts for a while',
    'no host ever has more members of a group than its rule allows',
    evidence(
      [puts(0, 'x', 'a', 1, { group: TOGETHER }), puts(2, 'y', 'b', 5, { group: TOGETHER }), ends(4, 'release', 'y', 5)],
      shows([stands('a', 'x', 1, { group: 'together' }), stands('b', 'y', 5, { ...released, group: 'together' })]),
    ),
  ],
  [
    'another host for the same key',
    'the same key gets the same answer',
    evidence(
      [puts(0, 'x', 'b', 1), op(2, placing('x'), placed([claimOn('a', 'i-x', 1)], { replayed: true }))],
      shows([stands('b', 'x', 1)]),
    ),
  ],
  [
    'two first answers',
    'the same key gets the same answer',
    evidence([puts(0, 'x', 'b', 1), op(1, placing('x'), placed([claimOn('b', 'i-x', 1)]))], shows([stands('b', 'x', 1)])),
  ],
  [
    'a key that is forgotten',
    'the same key gets the same answer',
    evidence([puts(0, 'x', 'b', 1), op(2, placing('x'), ok({ type: 'refused' }))], shows([stands('b', 'x', 1)])),
  ],
  [
    'an answer with one instance of two',
    'the answer to a request for several instances is complete',
    evidence(
      [
        op(0, placing('x', { instances: ['i-x', 'i-y'] }), placed([claimOn('b', 'i-x', 1)])),
        op(5, placing('y', { instances: ['i-y'] }), unknown),
      ],
      shows([stands('b', 'x', 1), stands('b', 'y', 2)]),
    ),
  ],
  [
    'a fence that is lower than an earlier one',
    'a later claim has a higher fence',
    evidence([puts(0, 'x', 'b', 7), puts(2, 'y', 'b', 3)], shows([stands('b', 'x', 7), stands('b', 'y', 3)])),
  ],
  [
    'a fence given twice',
    'a later claim has a higher fence',
    evidence([puts(0, 'x', 'b', 7), puts(2, 'y', 'b', 7)], shows([stands('b', 'x', 7), stands('b', 'y', 7)])),
  ],
  [
    'a placement at the revision of a release that was answered before the call began',
    'an instance that is placed after an answer comes after it in the log',
    evidence(
      [puts(0, 'x', 'b', 1), ends(2, 'release', 'x', 1, 'done', 8), puts(4, 'y', 'b', 8)],
      shows([stands('b', 'x', 1, released), stands('b', 'y', 8)]),
    ),
  ],
  [
    'a confirmation after the release',
    'a released claim stays released, and an old fence changes nothing',
    evidence([puts(0, 'x', 'b', 1), ends(2, 'release', 'x', 1), ends(4, 'confirm', 'x', 1)], shows([stands('b', 'x', 1, released)])),
  ],
  [
    'an extension after the key was abandoned',
    'a released claim stays released, and an old fence changes nothing',
    evidence(
      [
        puts(0, 'x', 'b', 1),
        op(2, { type: 'abandon', key: 'x' }, ok({ type: 'abandoned', claims: ['c-i-x'], revision: 8 })),
        ends(4, 'extend', 'x', 1),
      ],
      shows([stands('b', 'x', 1, released)]),
    ),
  ],
  [
    'a release with an old fence that is answered as lost and takes effect nevertheless',
    'every acknowledged claim is there',
    evidence([puts(0, 'x', 'b', 9), ends(2, 'release', 'x', 8, 'lost')], shows([stands('b', 'x', 9, released)])),
  ],
  [
    'an extension with an old fence',
    'a released claim stays released, and an old fence changes nothing',
    evidence([puts(0, 'x', 'b', 9), ends(2, 'extend', 'x', 8)], shows([stands('b', 'x', 9)])),
  ],
  [
    'a claim shown as held at a revision at which it was released',
    'a read with minRevision sees everything written up to it',
    evidence(
      [
        puts(0, 'x', 'b', 1),
        ends(2, 'release', 'x', 1, 'done', 8),
        op(4, placing('x', { minRevision: 8 }), placed([claimOn('b', 'i-x', 1, 'CONFIRMED')], { replayed: true })),
      ],
      shows([stands('b', 'x', 1, released)]),
    ),
  ],
  [
    'a claim shown as reserved at a revision at which it was confirmed',
    'a read with minRevision sees everything written up to it',
    evidence(
      [
        puts(0, 'x', 'b', 1, { mode: 'RESERVE', ttlMs: 50 }),
        ends(2, 'confirm', 'x', 1, 'done', 8),
        op(
          4,
          placing('x', { minRevision: 9, mode: 'RESERVE', ttlMs: 50 }),
          placed([claimOn('b', 'i-x', 1, 'RESERVED')], { replayed: true }),
        ),
      ],
      shows([stands('b', 'x', 1)]),
    ),
  ],
  [
    'a claim on a disabled host',
    'a disabled host takes nothing new',
    evidence([status(0, 'DISABLED'), puts(2, 'x', 'a', 1), status(4, 'ENABLED')], shows([stands('a', 'x', 1)])),
  ],
  [
    'another request that gets the answer of its key',
    'a key that is used for another request is refused',
    evidence(
      [
        puts(0, 'x', 'b', 1),
        op(2, { type: 'misuse', key: 'x', amounts: { VCPU: 2 }, instance: 'i-z' }, placed([claimOn('b', 'i-x', 1)], { replayed: true })),
      ],
      shows([stands('b', 'x', 1)]),
    ),
  ],
  [
    'an instance that has a claim, placed again',
    'an instance that has a claim gets no other',
    evidence(
      [
        puts(0, 'x', 'a', 1),
        op(
          2,
          { type: 'again', key: 'y', amounts: { VCPU: 1 }, instance: 'i-x', group: null },
          placed([{ ...claimOn('b', 'i-x', 5), id: 'c-y' }]),
        ),
      ],
      shows([stands('a', 'x', 1)]),
    ),
  ],
  [
    'an odd number where only even ones are allowed',
    'amounts keep to the unit rules of their class',
    evidence([puts(0, 'x', 'b', 1, { amounts: { LICENCES: 3 } })], shows([stands('b', 'x', 1, { amounts: { LICENCES: 3 } })])),
  ],
  [
    'more of a class than one instance may have, in a claim that no answer contains',
    'amounts keep to the unit rules of their class',
    evidence([op(0, placing('x', { amounts: { LICENCES: 8 } }), unknown)], shows([stands('b', 'x', 1, { amounts: { LICENCES: 8 } })])),
  ],
  [
    'a claim on a host that never reported',
    'every claim is on a host that exists',
    evidence([puts(0, 'x', 'c', 1)], shows([stands('c', 'x', 1)])),
  ],
  [
    'a claim on a host that the replica does not show any more',
    'every claim is on a host that exists',
    evidence([puts(0, 'x', 'b', 1)], shows([stands('b', 'x', 1)], { hosts: [hostShown('a', { used: 1 })] })),
  ],
  ['two edits of one version', 'an edit of a version counts once', evidence([edit(0, 1, 2), edit(1, 1, 2)], shows([]))],
  ['an edit that skips a version', 'an edit of a version counts once', evidence([edit(0, 1, 3)], shows([]))],
  [
    'a third GPU promised of two, after the host used a different one than the claim named',
    'no host ever holds more than it has',
    evidence(
      [puts(0, 'x', 'b', 1, gpu), puts(2, 'y', 'b', 5, gpu), reports(4, 'b', ['i-y'], { VCPU: 1, GPU: 1 }), puts(6, 'z', 'b', 9, gpu)],
      shows([stands('b', 'x', 1, gpu), stands('b', 'y', 5, { ...materialised, ...gpu }), stands('b', 'z', 9, gpu)]),
    ),
  ],
  ['an acknowledged claim that is lost', 'every acknowledged claim is there', evidence([puts(0, 'x', 'b', 1)], shows([]))],
  [
    'an acknowledged claim that ended by itself',
    'every acknowledged claim is there',
    evidence([puts(0, 'x', 'b', 1)], shows([stands('b', 'x', 1, { state: 'EXPIRED' })])),
  ],
  ['an acknowledged claim elsewhere', 'every acknowledged claim is there', evidence([puts(0, 'x', 'b', 1)], shows([stands('a', 'x', 1)]))],
  [
    'an acknowledged claim outside of the group that its call named',
    'every acknowledged claim is there',
    evidence([puts(0, 'x', 'b', 1, { group: ANTI })], shows([stands('b', 'x', 1)])),
  ],
  [
    'a released claim that is held',
    'no released claim is held at the end',
    evidence([puts(0, 'x', 'b', 1), ends(2, 'release', 'x', 1)], shows([stands('b', 'x', 1)])),
  ],
  [
    'a confirmed move that left its source',
    'a confirmed move has ended its source',
    evidence([puts(0, 'x', 'a', 1), move(2), confirmMove], shows([stands('a', 'x', 1), { ...stands('b', 'x', 5), id: 'c-m' }])),
  ],
  [
    'a further attempt in addition to the preceding one',
    'a further attempt has ended the one before it',
    evidence([puts(0, 'x', 'a', 1), move(2), attempt(4, 'b')], shows([stands('a', 'x', 1), atMove, atAttempt])),
  ],
  [
    'a confirmation of an attempt after the next one began',
    'a further attempt has ended the one before it',
    evidence(
      [puts(0, 'x', 'a', 1), move(2), attempt(4, 'b'), { ...confirmMove, invokedAt: 6, endedAt: 7 }],
      shows([stands('a', 'x', 1, released), atAttempt]),
    ),
  ],
  [
    'an instance on two hosts that no auditor finds',
    'the auditor finds the contradictions between hosts and claims, and nothing else',
    finding([], onTwoHosts),
  ],
  [
    'an instance on two hosts of which the auditor names one',
    'the auditor finds the contradictions between hosts and claims, and nothing else',
    finding([{ code: 'instance.two_hosts', name: 'i-x', hosts: ['a'] }], onTwoHosts),
  ],
  [
    'a claim that is found unlisted, and is listed',
    'the auditor finds the contradictions between hosts and claims, and nothing else',
    finding(
      [{ code: 'instance.unlisted', name: 'i-x', hosts: [] }],
      evidence([puts(0, 'x', 'b', 1)], shows([stands('b', 'x', 1, materialised)])),
    ),
  ],
  [
    'a broken state that only the auditor sees',
    'the auditor finds the contradictions between hosts and claims, and nothing else',
    finding([{ code: 'state.orphan_entry', name: 'i-x', hosts: [] }], evidence([], shows([]))),
  ],
  [
    'a second claim for a key',
    'a key has one claim for each instance, or none',
    evidence(
      [op(0, placing('x'), unknown), op(2, placing('x'), unknown)],
      shows([stands('b', 'x', 1), { ...stands('a', 'x', 5), id: 'c-second' }]),
    ),
  ],
  [
    'a claim of a call that was refused',
    'a key has one claim for each instance, or none',
    evidence([op(0, placing('x'), ok({ type: 'refused' }))], shows([stands('b', 'x', 1)])),
  ],
  ['a claim that nobody asked for', 'a key has one claim for each instance, or none', evidence([], shows([stands('b', 'x', 1)]))],
  [
    'a claim for one of the two instances of a request',
    'a key has one claim for each instance, or none',
    evidence([op(0, placing('x', { instances: ['i-x', 'i-y'] }), unknown)], shows([stands('b', 'x', 1)])),
  ],
  [
    'a claim of an abandoned key',
    'an abandoned idempotency key holds no claim',
    evidence(
      [op(0, placing('x'), unknown), op(2, { type: 'abandon', key: 'x' }, ok({ type: 'abandoned', claims: [], revision: 8 }))],
      shows([stands('b', 'x', 1)]),
    ),
  ],
  [
    'a replica that shows another state of a claim',
    'all replicas show the same',
    evidence(
      [op(0, placing('x'), unknown)],
      shows([stands('b', 'x', 1)]),
      shows([stands('b', 'x', 1, { state: 'EXPIRED' })], { replica: 1 }),
    ),
  ],
  [
    'a replica that lacks a claim',
    'all replicas show the same',
    evidence([op(0, placing('x'), unknown)], shows([stands('b', 'x', 1)]), shows([], { replica: 1 })),
  ],
]
