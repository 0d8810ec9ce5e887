import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeMetric } from './prometheus-text.ts'

const head = { kind: 'gauge', name: 'a_metric', help: 'What it counts.' } as const

test('any text in a label stays on its line and can be read unchanged', () => {
  const labels = fc.record({ first: fc.string({ unit: 'binary' }), second: fc.string({ unit: 'grapheme-ascii' }) })
  fc.assert(
    fc.property(labels, fc.double({ noNaN: true, noDefaultInfinity: true }), (given, value) => {
      const [, , sample = '', end, ...more] = writeMetric(head, [{ labels: given, value }]).split('\n')
      expect([end, more]).toEqual(['', []])
      const [, first, second, number] = /^a_metric\{first="((?:[^"\\]|\\.)*)",second="((?:[^"\\]|\\.)*)"\} (\S+)$/su.exec(sample) ?? []
      expect([first, second].map(unescaped)).toEqual([given.first, given.second])
      expect(Number(number)).toBe(value + 0)
    }),
  )
})

test.each([
  ['a value', 3, ['# HELP a_metric What it counts.', '# TYPE a_metric gauge', 'a_metric 3', '']],
  ['no value at present', null, ['# HELP a_metric What it counts.', '# TYPE a_metric gauge', '']],
  ['nothing counted by label', [], ['']],
] as const)('%s', (_name, samples, lines) => {
  expect(writeMetric(head, samples).split('\n')).toEqual(lines)
})

test('help of several lines is written on one line', () => {
  expect(writeMetric({ ...head, help: 'a\\b\nc' }, 1)).toContain('# HELP a_metric a\\\\b\\nc\n')
})

const unescaped = (text = ''): string => text.replaceAll(/\\(.)/gsu, (_all, sign: string) => (sign === 'n' ? '\n' : sign))
