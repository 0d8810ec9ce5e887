import { describe, expect, test } from 'vitest'
import { isLiveState } from '../history.ts'
import { judge, rules } from './check.ts'
import type { Evidence } from './rule.ts'
import { fine, further, leaving } from './testing/lawful.ts'
import { plantedAtTheEnd } from './testing/planted-at-the-end.ts'
import { plantedOnTheWay } from './testing/planted-on-the-way.ts'

const broken = (given: Evidence): string[] =>
  judge(given)
    .filter(({ violations }) => violations.length > 0)
    .map(({ name }) => name)

const planted = [...plantedOnTheWay, ...plantedAtTheEnd]

describe('the judge of histories', () => {
  test.each([...fine, ...leaving, ...further])('lets pass %s', (_what, given) => expect(broken(given)).toEqual([]))

  test.each(planted)('finds %s', (_what, rule, given) => expect(broken(given)).toContain(rule))

  test('every rule has a planted violation', () => {
    expect(new Set(planted.map(([, rule]) => rule))).toEqual(new Set(rules.map(({ name }) => name)))
  })

  test('claims are live in the states RESERVED, CONFIRMED and MATERIALISED, and in no other state', () => {
    expect((['RESERVED', 'CONFIRMED', 'MATERIALISED', 'RELEASED', 'EXPIRED', 'REVOKED'] as const).filter(isLiveState)).toHaveLength(3)
  })
})
