import { describe, expect, test } from 'vitest'
import { shortfallsOf, shortfallsText } from '../../../cause/shortfalls.ts'
import { prepareChecks } from '../../../examine/examine.ts'
import { copyFleet } from '../../../fleet/copy.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { aLog, aReport, aRequest, aUuid } from '../../../testing/index.ts'
import { type Code, codes } from '../../../text/codes.ts'
import type { Fact } from '../../../text/evidence.ts'
import { reasonText } from '../../../text/reason-text.ts'
import { NO_EDITS } from '../../edits.ts'
import { edit } from '../../testing.ts'
import { remedies, remediesFor } from './index.ts'
import { type Example, examples, profileNamed } from './testing/examples.ts'

/**
 * Texts that sentences quote from the request or the report, and that can therefore contain brackets and quotation marks: the query of a
 * hint, and an unreadable report.
 */
const asWritten = ['[">=","$free_ram_mb",999999]', 'the report is "nonsense"']

/**
 * Codes without an example in testing/examples.ts, because an example would need a document of Nova or a complex host. Each of these codes
 * has the same remedy as a similar code with an example.
 */
const withoutExample: ReadonlySet<Code> = new Set<Code>([
  ...([
    'cpu.not_exact',
    'disk.not_exact',
    'image.version',
    'cell.other',
    'aggregate.image_property',
    'trust.level',
    'flavor.other',
    'host.tried',
  ] as const),
  ...([
    'aggregate.project',
    'aggregate.flavor',
    'isolation.image',
    'metric.missing',
    'filter.error',
    'host.not_reported',
    'host.refused_earlier',
  ] as const),
  ...(['numa.no_cell', 'numa.no_match', 'numa.no_threads', 'numa.pages', 'numa.page_multiple', 'numa.threads', 'numa.networks'] as const),
  ...(['topology.skew', 'filter.refused', 'outside.no_answer', 'outside.bad_answer', 'outside.failed'] as const),
  ...(['numa.missed', 'numa.search_limit', 'pci.unasked', 'group.together'] as const),
])

/** The codes for which hosts are refused. They are the first codes in `codes`, up to filter.error. */
const hostCodes = (Object.keys(codes) as Code[]).slice(0, Object.keys(codes).indexOf('filter.error') + 1)

test('every code for which hosts are refused has exactly one remedy, and no other code has a remedy', () => {
  expect(remedies.flatMap((remedy) => remedy.codes).sort()).toEqual([...hostCodes].sort())
})

test('every code for which hosts are refused has an example, or is in the list of codes without an example', () => {
  expect([...Object.keys(examples), ...withoutExample].sort()).toEqual([...hostCodes].sort())
})

function townOf({ host = {}, changes = [], later = [] }: Example): Fleet {
  const log = aLog()
  log.append([aReport('h1', host), aReport('h2')])
  const aggregate = (number: number, name: string, hosts: string[]) =>
    ({ type: 'aggregate', uuid: aUuid(number), expectedVersion: 0, next: { name, hosts, metadata: {} } }) as const
  log.append([aggregate(1, 'own', ['h1']), aggregate(2, 'other', ['h2'])])
  const verdicts = [...log.append(changes), ...log.append(later)]
  expect(verdicts).toEqual(verdicts.map(() => undefined))
  return log.fleet
}

/** The requirements in the facts, as text without amounts. */
const asksOf = (facts: readonly Fact[] = []): readonly string[] =>
  facts.flatMap(({ subject, required, actual, amountOf = '' }) => {
    const words = typeof required === 'string' ? required.split(', ') : ['']
    const subjects = subject.split(', ')
    return words.map((word, i) => [subjects[i] ?? subject, amountOf, word, required === undefined ? actual : ''].join())
  })

describe.each(
  Object.entries(examples).flatMap(([code, given]) => [given].flat().map((example, i) => ({ code, i, example: example as Example }))),
)('$code, example $i', ({ code, example }) => {
  const { profile = profileNamed('default') } = example
  const fleet = townOf(example)
  const request = aRequest(example.request)
  const host = fleet.hosts.records[0]?.index ?? (0 as never)
  const refusing = prepareChecks(fleet, request, profile)
    .checksOf(host)
    .find(({ reason }) => reason?.code === code)

  test('the texts of the reason, the facts and the changes contain no placeholders, JSON or undefined values', () => {
    if (refusing?.reason === undefined) throw new Error(`the host must be refused for ${code}`)
    const { filter, reason, facts = [] } = refusing
    const changes = remediesFor({ fleet, request, profile, host, filter, reason })
    const lacks = shortfallsOf({ refusals: [{ filter, reason, facts }] })
    const changed = changes.map(({ subject, from, to }) => `${subject}: ${from ?? ''} -> ${to}`)
    const texts = [reasonText(reason), shortfallsText(lacks), ...changed].filter((text) => !asWritten.some((words) => text.includes(words)))
    for (const text of texts) expect(text).not.toMatch(/[{}[\]"]|\d\/1000|undefined|null|NaN/)
    // at most one shortfall has the amounts of the reason. Otherwise a shortfall would be reported twice.
    expect(lacks.filter(({ required, actual }) => required === reason.need && actual === reason.have).length).toBeLessThan(2)
  })

  test('the host is refused with this code, and each proposed change removes the reason or one of its requirements', () => {
    expect(refusing?.reason?.code).toBe(code)
    if (refusing?.reason === undefined) return
    const { filter, reason, facts = [] } = refusing
    const changes = remediesFor({ fleet, request, profile, host, filter, reason })
    expect(changes.length).toBeGreaterThan(0)
    const before = asksOf(facts)
    const answered = changes.filter((change) => {
      expect([change.request, change.edits, change.filters].filter((way) => way !== undefined)).toHaveLength(1)
      expect(change.effort).toBeGreaterThanOrEqual(1)
      expect(change.effort).toBeLessThanOrEqual(10)
      const own = edit(copyFleet(fleet), { ...NO_EDITS, ...change.edits })
      const filters = change.filters?.(profile.filters) ?? profile.filters
      // if the change adds a host, the added host is checked
      const asked = change.edits?.addHosts === undefined ? host : (own.hosts.records.at(-1)?.index ?? host)
      const [again] = prepareChecks(own, change.request?.(request) ?? request, { ...profile, filters })
        .checksOf(asked)
        .filter((check) => check.filter === filter && check.reason !== undefined)
      const left = asksOf(again?.facts)
      // the change must not add a requirement that the host does not meet
      expect([change.to, left.filter((one) => !before.includes(one))]).toEqual([change.to, []])
      // true if the first fact, without its amounts, is not stated again
      const isAnswered = !asksOf(facts.slice(0, 1)).every((one) => left.includes(one))
      // a change that drops one of several requirements must at least reduce the count of facts or lead to another code
      const isLess = left.length < before.length || again?.reason?.code !== code
      if (!isAnswered) expect([change.to, change.kind, isLess]).toEqual([change.to, 'REQUEST', true])
      return isAnswered
    })
    expect(answered.length).toBeGreaterThan(0)
  })
})
