import { claimOn, ends, evidence, ok, op, placed, placing, puts, reports, shows, stands, TWO, unknown } from '../../testing/evidence.ts'
import type { Evidence } from '../rule.ts'
import {
  atAttempt,
  atMove,
  attempt,
  confirmMove,
  full,
  gpu,
  hostShown,
  keeps,
  leaves,
  materialised,
  mayGive,
  move,
  onTwoHosts,
  released,
  showingB,
} from './histories.ts'

/** Histories that violate no rule. */
export const fine: readonly (readonly [string, Evidence])[] = [
  [
    'a host that is exactly full',
    evidence([puts(0, 'x', 'a', 1, { amounts: { VCPU: 3 } })], shows([stands('a', 'x', 1, { amounts: { VCPU: 3 } })])),
  ],
  [
    'resources that are released and claimed again',
    evidence(
      [
        puts(0, 'x', 'b', 1, { amounts: { VCPU: 4 } }),
        ends(2, 'release', 'x', 1, 'done', 8),
        puts(4, 'y', 'b', 9, { amounts: { VCPU: 4 } }),
      ],
      shows([stands('b', 'x', 1, { ...released, amounts: { VCPU: 4 } }), stands('b', 'y', 9, { amounts: { VCPU: 4 } })]),
    ),
  ],
  [
    'a reservation that expired without an answer to any client',
    evidence(
      [puts(0, 'x', 'b', 1, { amounts: { VCPU: 4 }, mode: 'RESERVE', ttlMs: 5 }), puts(6, 'y', 'b', 9, { amounts: { VCPU: 4 } })],
      shows([stands('b', 'x', 1, { state: 'EXPIRED', amounts: { VCPU: 4 } }), stands('b', 'y', 9, { amounts: { VCPU: 4 } })]),
    ),
  ],
  [
    'another request with a used key that is refused, and an amount that the unit rules allow',
    evidence(
      [
        puts(0, 'x', 'b', 1, { amounts: { LICENCES: 4 } }),
        op(2, { type: 'misuse', key: 'x', amounts: { VCPU: 2 }, instance: 'i-z' }, ok({ type: 'conflict' })),
      ],
      shows([stands('b', 'x', 1, { amounts: { LICENCES: 4 } })]),
    ),
  ],
  ['a call with an unknown outcome that had no effect', evidence([op(0, placing('x'), unknown)], shows([]))],
  ['a call with an unknown outcome that had an effect', evidence([op(0, placing('x'), unknown)], shows([stands('b', 'x', 1)]))],
  [
    'a call whose answer was lost and that was repeated on another replica',
    evidence(
      [op(0, placing('x'), unknown), op(2, placing('x'), placed([claimOn('b', 'i-x', 1)], { replayed: true }))],
      shows([stands('b', 'x', 1)]),
    ),
  ],
  [
    'a refused call that was placed when it was repeated',
    evidence([op(0, placing('x'), ok({ type: 'refused' })), puts(2, 'x', 'b', 1)], shows([stands('b', 'x', 1)])),
  ],
  [
    'a move that was confirmed',
    evidence(
      [
        puts(0, 'x', 'a', 1),
        op(
          2,
          placing('m', { instances: ['i-x'], moveOf: { id: 'c-i-x', fence: 1 }, mode: 'RESERVE', ttlMs: 100 }),
          placed([{ ...claimOn('b', 'i-x', 5), id: 'c-m' }], { revision: 5 }),
        ),
        op(
          4,
          { type: 'confirm', claims: [{ id: 'c-m', fence: 5 }], ttlMs: 0 },
          ok({ type: 'ends', results: [{ end: 'done', revision: 6 }] }),
        ),
      ],
      shows([stands('a', 'x', 1, released), { ...stands('b', 'x', 5), id: 'c-m' }]),
    ),
  ],
  [
    'members of a group on different hosts, with two on a host that may have two',
    evidence(
      [puts(0, 'x', 'a', 1, { group: TWO }), puts(2, 'y', 'a', 5, { group: TWO })],
      shows([stands('a', 'x', 1, { group: 'two' }), stands('a', 'y', 5, { group: 'two' })]),
    ),
  ],
  [
    'a host without a list of instances, whose use is counted in addition to its claims',
    evidence(
      [puts(0, 'x', 'b', 1, { amounts: { VCPU: 3 } }), reports(2, 'b', null, { VCPU: 3 })],
      shows([stands('b', 'x', 1, { amounts: { VCPU: 3 } })], showingB({ used: 3, claimed: 3 })),
    ),
  ],
  [
    'a host that reports the use of an instance whose claim is on another host',
    evidence(
      [puts(0, 'x', 'a', 1, { amounts: { VCPU: 3 } }), full(2, 'y', 5), reports(4, 'b', ['i-x'], { VCPU: 3 })],
      shows([stands('a', 'x', 1, { amounts: { VCPU: 3 } }), stands('b', 'y', 5, { amounts: { VCPU: 3 } })], {
        hosts: [hostShown('a', { used: 1, claimed: 3 }), hostShown('b', { used: 3, claimed: 3 })],
      }),
    ),
  ],
  [
    'a host that no longer lists an instance, whose claim is counted in full',
    evidence([puts(0, 'x', 'b', 1), reports(2, 'b', [], { VCPU: 0 })], shows([stands('b', 'x', 1)], showingB({ claimed: 1 }))),
  ],
  [
    'a host that reports less than its own instances hold',
    evidence(
      [full(0, 'x', 1), reports(2, 'b', ['i-x'], { VCPU: 1 })],
      shows([stands('b', 'x', 1, { ...materialised, amounts: { VCPU: 3 } })], showingB({ used: 1, claimed: 2 })),
    ),
  ],
  [
    'two claims for GPUs on a host that uses only one of the GPUs',
    evidence(
      [puts(0, 'x', 'b', 1, gpu), puts(2, 'y', 'b', 5, gpu), reports(4, 'b', ['i-y'], { VCPU: 1, GPU: 1 })],
      shows([stands('b', 'x', 1, gpu), stands('b', 'y', 5, { ...materialised, ...gpu })], showingB({ used: 1, claimed: 1, freeGpus: 0 })),
    ),
  ],
  ['a claim that its host counts', evidence([puts(0, 'x', 'b', 1)], shows([stands('b', 'x', 1, { state: 'MATERIALISED' })]))],
  [
    'a late confirmation that is refused',
    evidence(
      [puts(0, 'x', 'b', 1), ends(2, 'release', 'x', 1), ends(4, 'confirm', 'x', 1, 'lost')],
      shows([stands('b', 'x', 1, released)]),
    ),
  ],
]

export const leaving: typeof fine = [
  [
    'a claim on an amount that an operator reserves, made before the reservation was answered',
    evidence(
      [full(0, 'x', 1), keeps(4, 1), puts(4, 'y', 'b', 5), keeps(6, null)],
      shows([stands('b', 'x', 1, { amounts: { VCPU: 3 } }), stands('b', 'y', 5)]),
    ),
  ],
  [
    'an edit that was not answered, and took effect after a later one',
    evidence([puts(0, 'x', 'b', 1), keeps(2, 1, unknown), keeps(4, null)], shows([stands('b', 'x', 1)], mayGive(3))),
  ],
  [
    'a host that is forgotten with its claim, is readmitted and gets another claim',
    evidence(
      [puts(0, 'x', 'b', 1), leaves(2, 'force'), leaves(4, 'readmit'), reports(6, 'b', [], { VCPU: 0 }), puts(8, 'y', 'b', 5)],
      shows([stands('b', 'x', 1, { state: 'REVOKED' }), stands('b', 'y', 5)]),
    ),
  ],
  [
    'a forgotten host whose report is refused, and a call that began before it was forgotten',
    evidence(
      [
        leaves(2, 'forget'),
        op(4, { type: 'report', host: 'b', instances: [], used: { VCPU: 4 } }, ok({ type: 'gone' })),
        op(1, placing('x'), placed([claimOn('b', 'i-x', 1)])),
        leaves(6, 'readmit'),
      ],
      shows([stands('b', 'x', 1)]),
    ),
  ],
  [
    'an instance that lost its claim with its host, and got another',
    evidence(
      [
        puts(0, 'x', 'b', 1),
        leaves(2, 'force'),
        op(
          4,
          { type: 'again', key: 'y', amounts: { VCPU: 1 }, instance: 'i-x', group: null },
          placed([{ ...claimOn('a', 'i-x', 5), id: 'c-y' }]),
        ),
      ],
      shows([stands('b', 'x', 1, { state: 'REVOKED' }), { ...stands('a', 'x', 5), id: 'c-y' }]),
    ),
  ],
]

export const further: typeof fine = [
  [
    'an instance that is tried a third time',
    evidence(
      [puts(0, 'x', 'a', 1), move(2), attempt(4, 'b')],
      shows([stands('a', 'x', 1), { ...stands('b', 'x', 5, released), id: 'c-m' }, atAttempt]),
    ),
  ],
  [
    'an attempt that is refused, after which the one before it still holds',
    evidence(
      [puts(0, 'x', 'a', 1), move(2), { ...attempt(4, 'b'), outcome: ok({ type: 'refused' }) }],
      shows([stands('a', 'x', 1), atMove]),
    ),
  ],
  [
    'an attempt on an alternate after a move that may have been confirmed',
    evidence(
      [puts(0, 'x', 'a', 1), move(2), { ...confirmMove, outcome: unknown }, attempt(6, 'a')],
      shows([stands('a', 'x', 1, released), { ...stands('b', 'x', 5), id: 'c-m' }, { ...stands('a', 'x', 9), id: 'c-r', moveOf: 'c-m' }]),
    ),
  ],
  ['an instance on two hosts that the auditor finds', onTwoHosts],
]
