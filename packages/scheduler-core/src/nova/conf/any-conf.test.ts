import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseProfile } from '../../pipeline/compile.ts'
import { novaFilters } from '../filters/index.ts'
import { novaWeighers } from '../weighers/index.ts'
import { importNovaConf } from './import-conf.ts'
import { knownOptions } from './known-options.ts'
import { releaseNames } from './releases.ts'

const places = knownOptions.flatMap((option) => option.places)
const part = fc.oneof(
  fc.constantFrom(...[...novaFilters, ...novaWeighers].map(({ name }) => name)),
  fc.constantFrom('nova.scheduler.weights.all_weighers', 'acme.X'),
)
const value = fc.oneof(
  fc.string(),
  fc.array(part, { maxLength: 5 }).map((names) => names.join()),
  fc.constantFrom('true', 'no', '-1', '0', '3', '1e300', 'nan', 'inf', '$a', '$ram_weight_multiplier', 'fan=1,cpu=-2', '1_0'),
  fc.double().map(String),
  fc.integer().map(String),
)
const assignment = fc
  .tuple(fc.constantFrom(...places), value)
  .map(([{ section, name }, text]) => `[${section}]\n${name} = ${text.replaceAll(/[\r\n]/g, ' ')}`)
const release = fc.option(fc.constantFrom(...releaseNames.keys()), { nil: undefined })

test('random assignments are converted to a profile that the service accepts', () => {
  fc.assert(
    fc.property(fc.array(assignment, { maxLength: 30 }), release, (lines, given) => {
      const outcome = importNovaConf(lines.join('\n'), given)
      if (!outcome.ok) throw new Error(JSON.stringify(outcome.faults))
      expect(parseProfile({ name: 'x', number: 1, ...outcome.conf.profile })).toMatchObject({ ok: true })
    }),
    { numRuns: 300 },
  )
})

test('any text gives either a profile or a list of wrong lines', () => {
  const text = fc.array(fc.oneof(fc.string(), fc.constantFrom('[DEFAULT]', '[metrics]', ' x', 'a = b', '"', '[')), { maxLength: 20 })
  fc.assert(
    fc.property(text, (lines) => {
      const outcome = importNovaConf(lines.join('\n'))
      if (!outcome.ok) expect(outcome.faults.length).toBeGreaterThan(0)
    }),
  )
})

test('a file with many references between its options is read without exponential cost', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `o${i} = $o${i + 1} $o${i + 1}`)
  const outcome = importNovaConf(
    `[DEFAULT]\n${lines.join('\n')}\nscheduler_available_filters = $o0\nscheduler_default_filters = ${'$o1,'.repeat(5_000)}`,
  )
  expect(outcome).toMatchObject({ ok: true })
})
