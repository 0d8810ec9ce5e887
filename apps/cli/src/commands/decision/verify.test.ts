import { expect, test } from 'vitest'
import { toVerificationLines, type Verification } from './verify.ts'

const check = (
  part: Verification['checks'][number]['part'],
  more: Partial<Verification['checks'][number]> = {},
): Verification['checks'][number] => ({
  part,
  outcome: 'SAME',
  text: 'As it was.',
  kept: null,
  found: null,
  difference: null,
  ...more,
})

test('the first difference of a value is shown, within 80 columns', () => {
  const lines = toVerificationLines({
    decision: { id: 'd1' },
    outcome: 'DIFFERENT',
    fidelity: 'REPLAYED',
    fleetRevision: '7',
    checks: [
      check('INPUTS', { outcome: 'DIFFERENT', text: 'The inputs do not match the receipt.', kept: 'a'.repeat(64), found: 'b'.repeat(64) }),
      check('DECIDED'),
      check('LOG', { outcome: 'DIFFERENT', difference: { path: 'record.seed', was: '"5f0c"', is: `"${'x'.repeat(300)}"` } }),
    ],
  })
  const text = lines.join('\n')
  expect(text).toMatch(/^The decision is not the same as when it was made\.\nReplayed on revision 7 \(REPLAYED\)\.\n/)
  expect(text).toContain(`\n  recorded  ${'a'.repeat(64)}\n`)
  expect(text).toContain('LOG: the first difference is at record.seed\n  was  "5f0c"\n  is   "xxx')
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
})

test('the result is unknown for a decision that cannot be replayed', () => {
  const unknown = { outcome: 'UNKNOWN', text: 'It cannot be replayed: the log begins at revision 100.' } as const
  const lines = toVerificationLines({
    decision: { id: 'd1' },
    outcome: 'UNKNOWN',
    fidelity: 'APPROXIMATE',
    fleetRevision: null,
    checks: [check('REPLAY', unknown)],
  })
  expect(lines[0]).toBe('It is unknown whether the decision is unchanged.')
  expect(lines.join('\n')).not.toContain('Replayed on')
})
