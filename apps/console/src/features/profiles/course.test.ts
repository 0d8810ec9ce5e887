import { describe, expect, test } from 'vitest'
import { type AuditRow, actionOf, type Course, effectsOf, historyQuery, optionsText, stepsFor, summaryOf, wrongPercent } from './course.ts'
import { durationOf, nameOfWindow, readProfileSearch, windows } from './search.ts'

const plain: Course = { active: { number: 1 }, rollout: null }
const shadow: Course = { active: { number: 1 }, rollout: { mode: 'SHADOW', percent: 100, candidate: { number: 2 } } }
const canary: Course = { active: { number: 1 }, rollout: { mode: 'CANARY', percent: 5, candidate: { number: 2 } } }

test.each([
  ['the active version', 1, plain, []],
  ['a version that was never tried', 2, plain, ['shadow', 'canary', 'activate']],
  ['a shadow', 2, shadow, ['canary', 'activate']],
  ['a canary, whose share can be changed', 2, canary, ['shadow', 'canary', 'activate']],
  ['a version other than the one in the rollout', 3, canary, ['shadow', 'canary', 'activate']],
] as const)('the steps offered for %s', (_what, number, course, steps) => expect(stepsFor(number, course)).toEqual(steps))

describe('the effects of a step name the rollout that the step ends', () => {
  test.each([
    ['shadow', 2, plain, ['site@2 runs in parallel with site@1', 'no placement changes']],
    ['shadow', 3, canary, ['site@3 runs in parallel with site@1', 'The canary of 5 % of site@2 ends.']],
    ['shadow', 2, canary, ['The canary of site@2 with 5 % ends: site@1 decides all calls again.']],
    ['canary', 2, plain, ['site@2 decides 25 % of the calls that name no version', 'site@1 decides the others']],
    ['canary', 2, canary, ['site@2 decides 25 %', 'At present site@2 decides 5 %.']],
    ['canary', 3, shadow, ['The shadow of site@2 ends.']],
    ['activate', 2, plain, ['site@2 decides every call that names no version', 'site@1, which decides now, is retired']],
    ['activate', 2, shadow, ['The shadow of site@2 ends.']],
    ['activate', 3, shadow, ['The shadow of site@2 ends.']],
    ['rollback', 2, canary, ['The canary of 5 % of site@2 ends', 'site@1 continues and decides every call']],
    ['rollback', 0, plain, ['site@0 decides again. site@1, which decides now, is marked as rolled back.']],
  ] as const)('%s of version %i', (step, number, course, parts) => {
    const said = effectsOf(step, 'site', number, 25, course).join(' ')
    for (const part of parts) expect(said).toContain(part)
  })

  test('without a rollout, a step has one effect, because it ends no rollout', () => {
    for (const step of ['shadow', 'canary', 'activate'] as const) expect(effectsOf(step, 'site', 2, 25, plain)).toHaveLength(1)
  })
})

test.each([
  [plain, 'site@1 decides all calls. No rollout.'],
  [shadow, 'site@1 decides all calls. site@2 is its shadow: it decides them again, and claims nothing.'],
  [canary, 'site@2 is a canary and decides 5 % of the calls; site@1 decides the others.'],
])('a sentence names the active version and the rollout (%#)', (course, sentence) => expect(summaryOf(course, 'site')).toBe(sentence))

test.each([
  ['5', true],
  ['0.01', true],
  ['12.25', true],
  ['100', true],
  ['0', false],
  ['0.001', false],
  ['100.01', false],
  ['', false],
  ['five', false],
])('whether "%s" is a valid percentage', (text, isFine) => expect(wrongPercent(text) === undefined).toBe(isFine))

const row = (given: Partial<AuditRow>): AuditRow => ({
  id: 'a',
  at: '2026-11-20T09:14:02Z',
  account: 'ops',
  mutation: 'profileActivate',
  target: 'site@2',
  result: 'ProfilePayload',
  summary: '{}',
  ...given,
})

test.each([
  ['an activation', { summary: '{"version":"site@2"}' }, 'activated site@2'],
  ['a canary', { summary: '{"rollout":{"mode":"CANARY","percent":5},"version":"site@2"}' }, 'made site@2 a canary of 5 %'],
  ['a shadow', { summary: '{"rollout":{"mode":"SHADOW"},"version":"site@2"}' }, 'made site@2 a shadow'],
  [
    'a rollback',
    { mutation: 'profileRollback', target: 'site', summary: '{"profile":"site","reason":"it packs"}' },
    'rolled back: it packs',
  ],
  ['a version', { mutation: 'profileVersionCreate', target: 'site' }, 'created the next version'],
  ['a dry run', { summary: '{"dryRun":true,"version":"site@2"}' }, undefined],
  ['a refusal', { result: 'ValidationError' }, undefined],
  ['a truncated summary', { summary: '{"version":"si' }, 'activated site@2'],
] as const)('the change in the audit row of %s', (_what, given, action) => expect(actionOf(row(given))).toBe(action))

test('the audit filter of a profile does not match profiles with similar names', () =>
  expect(historyQuery('site')).toBe('mutation:profileVersionCreate,profileActivate,profileRollback target:site,site@*'))

test.each([
  [{}, '–'],
  [{ ratio: 2, name: 'x', list: [1] }, 'ratio = 2; name = x; list = [1]'],
])('options are shown as text (%#)', (options, text) => expect(optionsText(options)).toBe(text))

test('the URL of a profile has only known parameters, without default values', () => {
  expect(readProfileSearch({ version: '2', against: '0', last: '24h', sample: '500', check: 'yes', other: 'x' })).toEqual({
    version: '2',
    against: '0',
    last: '24h',
    sample: '500',
    check: 'yes',
  })
  expect(readProfileSearch({ version: '-1', against: 'a', last: '1h', sample: '200', check: 'no' })).toEqual({})
})

test('a time range is printed in the form of the API and as text', () => {
  expect(windows.map(durationOf)).toEqual(['PT1H', 'PT6H', 'PT24H', 'P7D'])
  expect(windows.map(nameOfWindow)).toEqual(
    ['last 1 hour', 'last 6 hours', 'last 24 hours', 'last 7 days'].map((name, i) => (i === 0 ? 'last hour' : name)),
  )
})
