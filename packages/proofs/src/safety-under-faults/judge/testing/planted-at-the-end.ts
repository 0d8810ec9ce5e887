import { ANTI, ends, evidence, op, placing, puts, reports, shows, stands, unknown } from '../../testing/evidence.ts'
import type { Evidence } from '../rule.ts'
import { atAttempt, atMove, attempt, full, gpu, hostShown, keeps, materialised, mayGive, move, released, showingB } from './histories.ts'

/** Violations in the final state, each with the promise that it breaks and the evidence that contains it. */
export const plantedAtTheEnd: readonly (readonly [what: string, rule: string, Evidence])[] = [
  [
    'a host that ignores the amount that an operator reserves',
    'at the end each host offers the amounts that operators set',
    evidence([puts(0, 'x', 'b', 1), keeps(2, 1)], shows([stands('b', 'x', 1)], mayGive(4))),
  ],
  [
    'a host that still reserves an amount that an operator removed',
    'at the end each host offers the amounts that operators set',
    evidence([puts(0, 'x', 'b', 1), keeps(2, 1), keeps(4, null)], shows([stands('b', 'x', 1)], mayGive(3))),
  ],
  [
    'an instance with two live claims',
    'at the end no instance has two live claims',
    evidence([puts(0, 'x', 'a', 1)], shows([stands('a', 'x', 1), { ...stands('b', 'x', 5), id: 'c-y' }])),
  ],
  [
    'more claims than capacity at the end',
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
    'a GPU that is shown as free while a claim needs it',
    'at the end each host counts exactly its claims',
    evidence(
      [puts(0, 'x', 'b', 1, gpu), puts(2, 'y', 'b', 5, gpu), reports(4, 'b', ['i-y'], { VCPU: 1, GPU: 1 })],
      shows([stands('b', 'x', 1, gpu), stands('b', 'y', 5, { ...materialised, ...gpu })], showingB({ used: 1, claimed: 1, freeGpus: 1 })),
    ),
  ],
  [
    'used amounts that a report omits, although its own instance holds them',
    'at the end each host counts exactly its claims',
    evidence(
      [full(0, 'x', 1), reports(2, 'b', ['i-x'], { VCPU: 1 })],
      shows([stands('b', 'x', 1, { ...materialised, amounts: { VCPU: 3 } })], showingB({ used: 1 })),
    ),
  ],
  [
    'a claim that is materialised although its host lists nothing',
    'at the end a claim is materialised where its host lists the instance, and nowhere else',
    evidence([puts(0, 'x', 'b', 1), reports(2, 'b', null, { VCPU: 1 })], shows([stands('b', 'x', 1, materialised)], showingB({ used: 1 }))),
  ],
  [
    'a claim that its host counts, and that is not materialised',
    'at the end a claim is materialised where its host lists the instance, and nowhere else',
    evidence([puts(0, 'x', 'b', 1), reports(2, 'b', ['i-x'], { VCPU: 1 })], shows([stands('b', 'x', 1)], showingB({ used: 1 }))),
  ],
  [
    'resources that stay held after the release',
    'at the end each host counts exactly its claims',
    evidence(
      [puts(0, 'x', 'b', 1), ends(2, 'release', 'x', 1)],
      shows([stands('b', 'x', 1, released)], {
        hosts: [hostShown('a', { used: 1 }), hostShown('b', { claimed: 1 })],
      }),
    ),
  ],
  [
    'two members of an anti-affinity group on one host at the end',
    'at the end no group rule is broken',
    evidence(
      [op(0, placing('x', { group: ANTI }), unknown), op(0, placing('y', { group: ANTI }), unknown)],
      shows([stands('b', 'x', 1, { group: 'anti' }), stands('b', 'y', 5, { group: 'anti' })]),
    ),
  ],
  [
    'a group that counts a claim that is not its member',
    'at the end no group rule is broken',
    evidence([puts(0, 'x', 'b', 1)], shows([stands('b', 'x', 1)], { groups: [{ uuid: 'anti', members: { b: 1 } }] })),
  ],
  [
    'two destinations of one instance',
    'at the end no instance has two live claims',
    evidence([puts(0, 'x', 'a', 1), move(2), attempt(4, 'b')], shows([stands('a', 'x', 1), atMove, atAttempt])),
  ],
]
