import { readFileSync } from 'node:fs'
import { MAX_CLASSES, MAX_OWN_CLASSES } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import { slotLimits } from './event-loop/slots.ts'
import { LARGE_VALUES } from './http/graphql/limits/body.ts'
import { limits } from './http/limits.ts'
import { printDuration } from './schema/types/scalars.ts'
import { MAX_KEYS } from './services/aggregate/aggregate-checks.ts'
import { documentSize } from './services/calls/json-size.ts'
import { DEFAULT_TTL_MS, MAX_TTL_MS, MIN_TTL_MS } from './services/claim/claims.ts'
import { requestLimits } from './services/placement/request-limits.ts'
import { MAX_REPORT_LENGTH, MAX_REPORT_VALUES } from './services/stats/read-report.ts'
import { MAX_SIMULATIONS } from './services/what-if/simulate.ts'

const page = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8')
const rows = page.split('\n').filter((line) => line.startsWith('| '))
const number = (value: number): string => value.toLocaleString('en-US')

test.each<[string, number, string]>([
  ['connections', limits.connections, 'connections of a replica'],
  ['the headers', limits.headerBytes, 'the headers of a request'],
  ['the time for headers', limits.headersMs, 'all headers'],
  ['the time without a request', limits.idleMs, 'a connection without a request'],
  ['the time for a request', limits.requestMs, 'a whole request'],
  ['the time between two parts of a body', limits.bodyPauseMs, '`limit.body_pause`'],
  ['the body', limits.bodyBytes, '`limit.body`'],
  ['the operations of a body', limits.operations, '`limit.operations`'],
  ['the values of an operation of a list', LARGE_VALUES, '`list.values`'],
  ['the bodies of a key', limits.keyBodiesBytes, '`limit.key_bodies`'],
  ['all bodies together', limits.bodiesBytes, '`limit.bodies`'],
  ['a document', limits.documentBytes, '`limit.document`'],
  ['tokens', limits.tokens, '`GRAPHQL_PARSE_FAILED`'],
  ['nesting', limits.nesting, '`limit.depth`'],
  ['items of a list', limits.listItems, '`limit.list`'],
  ['values in variables', limits.values, '`limit.values`'],
  ['text in variables', limits.usedCharacters, '`limit.text`'],
  ['depth', limits.depth, '`limit.depth`'],
  ['depth of introspection', limits.introspectionDepth, '`limit.introspection_depth`'],
  ['aliases', limits.aliases, '`limit.aliases`'],
  ['directives', limits.directives, '`limit.directives`'],
  ['root fields', limits.rootFields, '`limit.root_fields`'],
  ['fields', limits.fields, '`limit.fields`'],
  ['fragments', limits.fragments, '`limit.fragments`'],
  ['repeats', limits.repeats, '`limit.repeats`'],
  ['cost', limits.cost, '`limit.cost`'],
  ['an answer', limits.answerBytes, '`limit.answer`'],
  ['all answers together', limits.answersBytes, '`limit.answers`'],
  ['a small answer', limits.smallAnswerBytes, '`limit.answers`'],
  ['the time for reading an answer', limits.answerMs, 'read its whole answer'],
  ['slots of a key', slotLimits.ofKey, 'calls of one key with what-if queries'],
  ['all slots', slotLimits.all, 'all calls with what-if queries'],
  ['calls of a key that wait for a slot', slotLimits.waiting, '`limit.key_questions`'],
  ['simulations of a call', MAX_SIMULATIONS, 'simulations'],
  ['a report', MAX_REPORT_LENGTH, '`call.too_large`'],
  ['the values of a report', MAX_REPORT_VALUES, 'values of one report'],
  ['a request', documentSize.characters, 'one request'],
  ['the values of a request', documentSize.values, 'one request'],
  ['the values of an aggregate of Nova', documentSize.values, '`aggregateImport`'],
  ['the resource classes of a fleet', MAX_CLASSES, '`report.too_many_classes`'],
  ['the resource classes of one host', MAX_OWN_CLASSES, 'in use on one host alone'],
  ['the length of a query', requestLimits.queryLength, 'JsonFilter'],
  ['the depth of a query', requestLimits.queryDepth, 'JsonFilter'],
  ['the terms of a query', requestLimits.queryTerms, 'JsonFilter'],
  ['the metadata keys of an aggregate', MAX_KEYS, 'metadata of an aggregate'],
  ['the words of an operator', requestLimits.operatorWords, 'extra spec'],
])('docs/limits.md states the present limit of %s', (_name, value, what) => {
  expect(rows.filter((row) => row.includes(what)).some((row) => new RegExp(`(^|[^\\d,])${number(value)}([^\\d,]|$|, )`).test(row))).toBe(
    true,
  )
})

test.each([
  ['the range of TTLs', `${printDuration(MIN_TTL_MS)} to ${printDuration(MAX_TTL_MS)}`, 'a reservation'],
  ['the default TTL', printDuration(DEFAULT_TTL_MS), 'DEFAULT_TTL_MS'],
])('docs/limits.md states the present value of %s', (_name, value, what) => {
  expect(rows.filter((row) => row.startsWith(`| ${value} |`) && row.includes(what))).toHaveLength(1)
})
