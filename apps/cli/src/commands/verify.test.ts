import { expect, test } from 'vitest'
import { toVerificationLines, type Verification } from './verify.ts'

const check = (part: string, more: Partial<Verification['checks'][number]> = {}): Verification['checks'][number] => ({
  part,
  outcome: 'SAME',
  text: 'As it was.',
  kept: null,
  found: null,
  difference: null,
  ...more,
})

test('what differs is told where it differs first, within 80 columns', () => {
  const lines = toVerificationLines({
    outcome: 'DIFFERENT',
    fidelity: 'REPLAYED',
    fleetRevision: 7,
    checks: [
      check('INPUTS', { outcome: 'DIFFERENT', text: 'Not what the receipt is of.', kept: 'a'.repeat(64), found: 'b'.repeat(64) }),
      check('DECIDED'),
      check('LOG', { outcome: 'DIFFERENT', difference: { path: 'record.seed', was: '"5f0c"', is: `"${'x'.repeat(300)}"` } }),
    ],
  })
  const text = lines.join('\n')
  expect(text).toMatch(/^The decision is not what it was\.\nMade again on revision 7 \(REPLAYED\)\.\n/)
  expect(text).toContain(`\n  kept   ${'a'.repeat(64)}\n`)
  expect(text).toContain('LOG: differs first at record.seed\n  was  "5f0c"\n  is   "xxx')
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
})

test('what cannot be made again cannot be told', () => {
  const unknown = { outcome: 'UNKNOWN', text: 'It cannot be made again: the log begins at revision 100.' } as const
  const lines = toVerificationLines({
    outcome: 'UNKNOWN',
    fidelity: 'APPROXIMATE',
    fleetRevision: null,
    checks: [check('REPLAY', unknown)],
  })
  expect(lines[0]).toBe('It cannot be told whether the decision is what it was.')
  expect(lines.join('\n')).not.toContain('Made again on')
})
