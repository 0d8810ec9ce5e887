import { describe, expect, test } from 'vitest'
import { isLiveState, type Operation } from '../history.ts'
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
  told,
  unknown,
} from '../testing/evidence.ts'
import { judge, rules } from './check.ts'
import type { Evidence } from './rule.ts'

const broken = (given: Evidence): string[] =>
  judge(given)
    .filter(({ violations }) => violations.length > 0)
    .map(({ name }) => name)

const released = { state: 'RELEASED' as const }
const edit = (at: number, ifVersion: number, version: number): Operation =>
  op(at, { type: 'aggregate', uuid: 'g', ifVersion }, ok({ type: 'edited', version }))
const status = (at: number, to: 'ENABLED' | 'DISABLED'): Operation =>
  op(at, { type: 'status', host: 'a', status: to }, ok({ type: 'done' }))

const leaves = (at: number, how: 'forget' | 'force' | 'readmit' | 'replace', by: string | null = null): Operation =>
  op(at, { type: 'leave', host: 'b', how, as: 'b', by }, ok({ type: 'done' }))

/** An operator keeps so much of the CPUs of host b back. */
const keeps = (at: number, reserved: number | null, outcome = ok({ type: 'done' })): Operation =>
  op(at, { type: 'allocate', host: 'b', as: 'b', resourceClass: 'VCPU', ratio: null, reserved }, outcome)
/** Host a as it is with nothing on it, and host b with so much that it may give, of which one is claimed. */
const mayGive = (capacity: number) => ({
  hosts: [hostShown('a', { used: 1 }), { ...hostShown('b', { claimed: 1 }), classes: { VCPU: { capacity, used: 0, claimed: 1 } } }],
})

/** A host as a replica shows it. */
const hostShown = (name: string, { used = 0, claimed = 0, freeGpus = 2 }: { used?: number; claimed?: number; freeGpus?: number }) => ({
  name,
  classes: { VCPU: { capacity: 4, used, claimed } },
  freeUnits: { GPU: freeGpus },
})
/** Host a as it is with nothing on it, and host b with what is said. */
const showingB = (b: Parameters<typeof hostShown>[1]) => ({ hosts: [hostShown('a', { used: 1 }), hostShown('b', b)] })
const full = (at: number, key: string, fence: number): Operation => puts(at, key, 'b', fence, { amounts: { VCPU: 3 } })
const gpu = { amounts: { VCPU: 1, GPU: 1 } }
const materialised = { state: 'MATERIALISED' as const }

/** What may happen: none of it breaks a promise. */
const fine: readonly (readonly [string, Evidence])[] = [
  [
    'a host that is exactly full',
    evidence([puts(0, 'x', 'a', 1, { amounts: { VCPU: 3 } })], shows([stands('a', 'x', 1, { amounts: { VCPU: 3 } })])),
  ],
  [
    'room that is given back and taken again',
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
    'a reservation that ran out, though nobody was told',
    evidence(
      [puts(0, 'x', 'b', 1, { amounts: { VCPU: 4 }, mode: 'RESERVE', ttlMs: 5 }), puts(6, 'y', 'b', 9, { amounts: { VCPU: 4 } })],
      shows([stands('b', 'x', 1, { state: 'EXPIRED', amounts: { VCPU: 4 } }), stands('b', 'y', 9, { amounts: { VCPU: 4 } })]),
    ),
  ],
  [
    'another request under a used key that is refused, and an amount that can be had',
    evidence(
      [
        puts(0, 'x', 'b', 1, { amounts: { LICENCES: 4 } }),
        op(2, { type: 'misuse', key: 'x', amounts: { VCPU: 2 }, instance: 'i-z' }, ok({ type: 'conflict' })),
      ],
      shows([stands('b', 'x', 1, { amounts: { LICENCES: 4 } })]),
    ),
  ],
  ['a call of unknown outcome that did nothing', evidence([op(0, placing('x'), unknown)], shows([]))],
  ['a call of unknown outcome that did happen', evidence([op(0, placing('x'), unknown)], shows([stands('b', 'x', 1)]))],
  [
    'a call whose answer was lost, repeated elsewhere',
    evidence(
      [op(0, placing('x'), unknown), op(2, placing('x'), placed([claimOn('b', 'i-x', 1)], { replayed: true }))],
      shows([stands('b', 'x', 1)]),
    ),
  ],
  [
    'a refusal that was placed when asked again',
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
    'group members apart, two on a host that may have two',
    evidence(
      [puts(0, 'x', 'a', 1, { group: TWO }), puts(2, 'y', 'a', 5, { group: TWO })],
      shows([stands('a', 'x', 1, { group: 'two' }), stands('a', 'y', 5, { group: 'two' })]),
    ),
  ],
  [
    'a host that lists nothing: what it uses and what its claims hold are counted next to each other',
    evidence(
      [puts(0, 'x', 'b', 1, { amounts: { VCPU: 3 } }), reports(2, 'b', null, { VCPU: 3 })],
      shows([stands('b', 'x', 1, { amounts: { VCPU: 3 } })], showingB({ used: 3, claimed: 3 })),
    ),
  ],
  [
    'a host that lists an instance of another: its use is there, and nobody promised it',
    evidence(
      [puts(0, 'x', 'a', 1, { amounts: { VCPU: 3 } }), full(2, 'y', 5), reports(4, 'b', ['i-x'], { VCPU: 3 })],
      shows([stands('a', 'x', 1, { amounts: { VCPU: 3 } }), stands('b', 'y', 5, { amounts: { VCPU: 3 } })], {
        hosts: [hostShown('a', { used: 1, claimed: 3 }), hostShown('b', { used: 3, claimed: 3 })],
      }),
    ),
  ],
  [
    'a host that has lost an instance: its claim is counted in full',
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
    'two claims for GPUs of which the host uses one, whichever that is',
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

const leaving: typeof fine = [
  [
    'a claim beyond what an operator keeps back, made before that was answered',
    evidence(
      [full(0, 'x', 1), keeps(4, 1), puts(4, 'y', 'b', 5), keeps(6, null)],
      shows([stands('b', 'x', 1, { amounts: { VCPU: 3 } }), stands('b', 'y', 5)]),
    ),
  ],
  [
    'an edit that was not answered, and came to be after a later one',
    evidence([puts(0, 'x', 'b', 1), keeps(2, 1, unknown), keeps(4, null)], shows([stands('b', 'x', 1)], mayGive(3))),
  ],
  [
    'a host that is forgotten with its claim, comes back and takes another',
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

const move = (at: number): Operation =>
  op(
    at,
    placing('m', { instances: ['i-x'], moveOf: { id: 'c-i-x', fence: 1 } }),
    placed([{ ...claimOn('b', 'i-x', 5), id: 'c-m' }], { revision: 5 }),
  )
const confirmMove = op(
  4,
  { type: 'confirm', claims: [{ id: 'c-m', fence: 5 }], ttlMs: 0 },
  ok({ type: 'ends', results: [{ end: 'done', revision: 6 }] }),
)

/** The same instance is tried on a host once more, while its move to b is open. */
const attempt = (at: number, host: string): Operation =>
  op(
    at,
    placing('r', {
      instances: ['i-x'],
      moveOf: { id: 'c-i-x', fence: 1 },
      attempt: { type: 'retry', tried: ['a', 'b'], ends: { id: 'c-m', fence: 5 } },
    }),
    placed([{ ...claimOn(host, 'i-x', 9), id: 'c-r' }], { revision: 9 }),
  )
const atMove = { ...stands('b', 'x', 5), id: 'c-m', moveOf: 'c-i-x' }
const atAttempt = { ...stands('b', 'x', 9), id: 'c-r', moveOf: 'c-i-x' }

const onTwoHosts = evidence(
  [puts(0, 'x', 'b', 1), reports(2, 'a', ['i-x'], { VCPU: 2 })],
  shows([stands('b', 'x', 1, materialised)], { hosts: [hostShown('a', { used: 2 }), hostShown('b', { used: 1 })] }),
)
/** The same, with what the auditors say that they found. */
const finding = (findings: Parameters<typeof told>[0], given: Evidence): Evidence => ({
  ...given,
  finals: given.finals.map((final) => ({ ...final, ...told(findings) })),
})

/** One violation planted at a time, and the promise that it breaks. */
const planted: readonly (readonly [what: string, rule: string, Evidence])[] = [
  [
    'a host that forgets what an operator keeps back',
    'at the end each host may give what operators left it',
    evidence([puts(0, 'x', 'b', 1), keeps(2, 1)], shows([stands('b', 'x', 1)], mayGive(4))),
  ],
  [
    'a host that keeps back what an operator took away again',
    'at the end each host may give what operators left it',
    evidence([puts(0, 'x', 'b', 1), keeps(2, 1), keeps(4, null)], shows([stands('b', 'x', 1)], mayGive(3))),
  ],
  [
    'a claim on what an operator kept back, which was given free again later',
    'a host is given nothing beyond what operators left it',
    evidence(
      [full(0, 'x', 1), keeps(2, 1), puts(4, 'y', 'b', 5), keeps(6, null)],
      shows([stands('b', 'x', 1, { amounts: { VCPU: 3 } }), stands('b', 'y', 5)]),
    ),
  ],
  [
    'a claim on a host that was forgotten before anybody asked',
    'nothing is placed on a host that was forgotten',
    evidence([leaves(0, 'forget'), puts(2, 'x', 'b', 1), leaves(4, 'readmit')], shows([stands('b', 'x', 1)])),
  ],
  [
    'a report that brings a forgotten host back',
    'reports of a forgotten host are refused',
    evidence([leaves(0, 'force'), reports(2, 'b', [], { VCPU: 0 })], shows([])),
  ],
  [
    'a host that is forgotten, though it has a claim',
    'a host that has claims is not forgotten without force',
    evidence([puts(0, 'x', 'b', 1), leaves(2, 'forget')], shows([stands('b', 'x', 1)])),
  ],
  [
    'a claim that outlives its host',
    'what is forgotten by force takes its claims along',
    evidence([puts(0, 'x', 'b', 1), leaves(2, 'force')], shows([stands('b', 'x', 1)])),
  ],
  [
    'a claim of another host that ends with a forgotten one',
    'every acknowledged claim is there',
    evidence([puts(0, 'x', 'a', 1), leaves(2, 'force')], shows([stands('a', 'x', 1, { state: 'REVOKED' })])),
  ],
  ['a replaced host under its old name', 'a host is called as it was named last', evidence([leaves(0, 'replace', 'b~1')], shows([]))],
  [
    'a claim that gets another fence when its host is replaced',
    'every acknowledged claim is there',
    evidence([puts(0, 'x', 'b', 1), leaves(2, 'replace', 'b~1')], shows([stands('b', 'x', 2)])),
  ],
  [
    'two claims at once for room that only one can have, gone at the end',
    'no host ever holds more than it has',
    evidence(
      [full(0, 'x', 1), full(2, 'y', 5), ends(4, 'release', 'x', 1), ends(4, 'release', 'y', 5)],
      shows([stands('b', 'x', 1, { ...released, amounts: { VCPU: 3 } }), stands('b', 'y', 5, { ...released, amounts: { VCPU: 3 } })]),
    ),
  ],
  [
    'room taken while a confirmed reservation still has it',
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
    'two members on one host for a while',
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
    'members that want to be together, apart for a while',
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
    'a request for several instances is answered whole',
    evidence(
      [
        op(0, placing('x', { instances: ['i-x', 'i-y'] }), placed([claimOn('b', 'i-x', 1)])),
        op(5, placing('y', { instances: ['i-y'] }), unknown),
      ],
      shows([stands('b', 'x', 1), stands('b', 'y', 2)]),
    ),
  ],
  [
    'a fence below one that was given before',
    'fences rise',
    evidence([puts(0, 'x', 'b', 7), puts(2, 'y', 'b', 3)], shows([stands('b', 'x', 7), stands('b', 'y', 3)])),
  ],
  [
    'a fence given twice',
    'fences rise',
    evidence([puts(0, 'x', 'b', 7), puts(2, 'y', 'b', 7)], shows([stands('b', 'x', 7), stands('b', 'y', 7)])),
  ],
  [
    'a placing at the revision of a release that was answered before it began',
    'what is placed after an answer is behind it in the log',
    evidence(
      [puts(0, 'x', 'b', 1), ends(2, 'release', 'x', 1, 'done', 8), puts(4, 'y', 'b', 8)],
      shows([stands('b', 'x', 1, released), stands('b', 'y', 8)]),
    ),
  ],
  [
    'a confirmation after the release',
    'what is released stays released, and an old fence moves nothing',
    evidence([puts(0, 'x', 'b', 1), ends(2, 'release', 'x', 1), ends(4, 'confirm', 'x', 1)], shows([stands('b', 'x', 1, released)])),
  ],
  [
    'a confirmation after the key was abandoned',
    'what is released stays released, and an old fence moves nothing',
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
    'a release with an old fence that is answered as lost and done all the same',
    'every acknowledged claim is there',
    evidence([puts(0, 'x', 'b', 9), ends(2, 'release', 'x', 8, 'lost')], shows([stands('b', 'x', 9, released)])),
  ],
  [
    'an extension with an old fence',
    'what is released stays released, and an old fence moves nothing',
    evidence([puts(0, 'x', 'b', 9), ends(2, 'extend', 'x', 8)], shows([stands('b', 'x', 9)])),
  ],
  [
    'a claim shown as held at a revision at which it was released',
    'a read with minRevision sees what was written up to it',
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
    'a read with minRevision sees what was written up to it',
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
    'a claim on a closed host',
    'a closed host takes nothing new',
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
    'an instance with two live claims',
    'at the end no instance has two live claims',
    evidence([puts(0, 'x', 'a', 1)], shows([stands('a', 'x', 1), { ...stands('b', 'x', 5), id: 'c-y' }])),
  ],
  [
    'an odd number where only even ones can be had',
    'amounts keep to the unit rules of their class',
    evidence([puts(0, 'x', 'b', 1, { amounts: { LICENCES: 3 } })], shows([stands('b', 'x', 1, { amounts: { LICENCES: 3 } })])),
  ],
  [
    'more of a class than one instance may have, in a claim that nobody was told of',
    'amounts keep to the unit rules of their class',
    evidence([op(0, placing('x', { amounts: { LICENCES: 8 } }), unknown)], shows([stands('b', 'x', 1, { amounts: { LICENCES: 8 } })])),
  ],
  [
    'a claim on a host that is gone',
    'every claim is on a host that is there',
    evidence([puts(0, 'x', 'c', 1)], shows([stands('c', 'x', 1)])),
  ],
  [
    'a claim on a host that the replica does not show any more',
    'every claim is on a host that is there',
    evidence([puts(0, 'x', 'b', 1)], shows([stands('b', 'x', 1)], { hosts: [hostShown('a', { used: 1 })] })),
  ],
  ['two edits of one version', 'an edit of a version counts once', evidence([edit(0, 1, 2), edit(1, 1, 2)], shows([]))],
  ['an edit that skips a version', 'an edit of a version counts once', evidence([edit(0, 1, 3)], shows([]))],
  [
    'more claims than room at the end',
    'at the end no host holds more than it has',
    evidence(
      [op(0, placing('x', { amounts: { VCPU: 3 } }), unknown), op(0, placing('y', { amounts: { VCPU: 3 } }), unknown)],
      shows([stands('b', 'x', 1, { amounts: { VCPU: 3 } }), stands('b', 'y', 5, { amounts: { VCPU: 3 } })]),
    ),
  ],
  [
    'a materialised claim that is counted twice',
    'at the end each host counts exactly its claims',
    evidence(
      [puts(0, 'x', 'b', 1)],
      shows([stands('b', 'x', 1, { state: 'MATERIALISED' })], {
        hosts: [hostShown('a', { used: 1 }), hostShown('b', { used: 1, claimed: 1 })],
      }),
    ),
  ],
  [
    'a third GPU promised of two, after the host used another one than the claim named',
    'no host ever holds more than it has',
    evidence(
      [puts(0, 'x', 'b', 1, gpu), puts(2, 'y', 'b', 5, gpu), reports(4, 'b', ['i-y'], { VCPU: 1, GPU: 1 }), puts(6, 'z', 'b', 9, gpu)],
      shows([stands('b', 'x', 1, gpu), stands('b', 'y', 5, { ...materialised, ...gpu }), stands('b', 'z', 9, gpu)]),
    ),
  ],
  [
    'a GPU that is shown free while a claim waits for it',
    'at the end each host counts exactly its claims',
    evidence(
      [puts(0, 'x', 'b', 1, gpu), puts(2, 'y', 'b', 5, gpu), reports(4, 'b', ['i-y'], { VCPU: 1, GPU: 1 })],
      shows([stands('b', 'x', 1, gpu), stands('b', 'y', 5, { ...materialised, ...gpu })], showingB({ used: 1, claimed: 1, freeGpus: 1 })),
    ),
  ],
  [
    'use that a report gives away, though its own instance holds it',
    'at the end each host counts exactly its claims',
    evidence(
      [full(0, 'x', 1), reports(2, 'b', ['i-x'], { VCPU: 1 })],
      shows([stands('b', 'x', 1, { ...materialised, amounts: { VCPU: 3 } })], showingB({ used: 1 })),
    ),
  ],
  [
    'a claim that a host without a list is thought to count',
    'at the end a claim is materialised where its host lists the instance, and nowhere else',
    evidence([puts(0, 'x', 'b', 1), reports(2, 'b', null, { VCPU: 1 })], shows([stands('b', 'x', 1, materialised)], showingB({ used: 1 }))),
  ],
  [
    'a claim of a host that counts it, which waits for that still',
    'at the end a claim is materialised where its host lists the instance, and nowhere else',
    evidence([puts(0, 'x', 'b', 1), reports(2, 'b', ['i-x'], { VCPU: 1 })], shows([stands('b', 'x', 1)], showingB({ used: 1 }))),
  ],
  [
    'room that stays taken after the release',
    'at the end each host counts exactly its claims',
    evidence(
      [puts(0, 'x', 'b', 1), ends(2, 'release', 'x', 1)],
      shows([stands('b', 'x', 1, released)], {
        hosts: [hostShown('a', { used: 1 }), hostShown('b', { claimed: 1 })],
      }),
    ),
  ],
  [
    'two members on one host at the end',
    'at the end no group rule is broken',
    evidence(
      [op(0, placing('x', { group: ANTI }), unknown), op(0, placing('y', { group: ANTI }), unknown)],
      shows([stands('b', 'x', 1, { group: 'anti' }), stands('b', 'y', 5, { group: 'anti' })]),
    ),
  ],
  [
    'a group that counts a member which is gone',
    'at the end no group rule is broken',
    evidence([puts(0, 'x', 'b', 1)], shows([stands('b', 'x', 1)], { groups: [{ uuid: 'anti', members: { b: 1 } }] })),
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
    'what was released is not held at the end',
    evidence([puts(0, 'x', 'b', 1), ends(2, 'release', 'x', 1)], shows([stands('b', 'x', 1)])),
  ],
  [
    'a confirmed move that left its source',
    'a confirmed move has ended its source',
    evidence([puts(0, 'x', 'a', 1), move(2), confirmMove], shows([stands('a', 'x', 1), { ...stands('b', 'x', 5), id: 'c-m' }])),
  ],
  [
    'a further attempt beside the one before it',
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
    'two destinations of one instance',
    'at the end no instance has two live claims',
    evidence([puts(0, 'x', 'a', 1), move(2), attempt(4, 'b')], shows([stands('a', 'x', 1), atMove, atAttempt])),
  ],
  [
    'an instance on two hosts that no auditor finds',
    'the auditor finds where hosts and claims contradict each other, and nothing else',
    finding([], onTwoHosts),
  ],
  [
    'an instance on two hosts of which the auditor names one',
    'the auditor finds where hosts and claims contradict each other, and nothing else',
    finding([{ code: 'instance.two_hosts', name: 'i-x', hosts: ['a'] }], onTwoHosts),
  ],
  [
    'a claim that is found unlisted, and is listed',
    'the auditor finds where hosts and claims contradict each other, and nothing else',
    finding(
      [{ code: 'instance.unlisted', name: 'i-x', hosts: [] }],
      evidence([puts(0, 'x', 'b', 1)], shows([stands('b', 'x', 1, materialised)])),
    ),
  ],
  [
    'a broken state that only the auditor sees',
    'the auditor finds where hosts and claims contradict each other, and nothing else',
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
    'half of a request for two',
    'a key has one claim for each instance, or none',
    evidence([op(0, placing('x', { instances: ['i-x', 'i-y'] }), unknown)], shows([stands('b', 'x', 1)])),
  ],
  [
    'a claim of an abandoned key',
    'an abandoned key holds nothing',
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

const further: typeof fine = [
  [
    'an instance that is tried a third time',
    evidence(
      [puts(0, 'x', 'a', 1), move(2), attempt(4, 'b')],
      shows([stands('a', 'x', 1), { ...stands('b', 'x', 5, released), id: 'c-m' }, atAttempt]),
    ),
  ],
  [
    'an attempt that is refused, and leaves the one before it',
    evidence(
      [puts(0, 'x', 'a', 1), move(2), { ...attempt(4, 'b'), outcome: ok({ type: 'refused' }) }],
      shows([stands('a', 'x', 1), atMove]),
    ),
  ],
  [
    'an attempt on an alternate after a move whose confirmation was not answered: the instance is tried from there',
    evidence(
      [puts(0, 'x', 'a', 1), move(2), { ...confirmMove, outcome: unknown }, attempt(6, 'a')],
      shows([stands('a', 'x', 1, released), { ...stands('b', 'x', 5), id: 'c-m' }, { ...stands('a', 'x', 9), id: 'c-r', moveOf: 'c-m' }]),
    ),
  ],
  ['an instance on two hosts that the auditor finds', onTwoHosts],
]

describe('the judge of histories', () => {
  test.each([...fine, ...leaving, ...further])('lets pass %s', (_what, given) => expect(broken(given)).toEqual([]))

  test.each(planted)('finds %s', (_what, rule, given) => expect(broken(given)).toContain(rule))

  test('has a planted violation for every rule', () => {
    expect(new Set(planted.map(([, rule]) => rule))).toEqual(new Set(rules.map(({ name }) => name)))
  })

  test('knows which states hold something', () => {
    expect((['RESERVED', 'CONFIRMED', 'MATERIALISED', 'RELEASED', 'EXPIRED', 'REVOKED'] as const).filter(isLiveState)).toHaveLength(3)
  })
})
