import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { draws } from '../../../../testing/extent.ts'
import { prepareChecks } from '../examine/examine.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { HostRefusal } from './refusal.ts'
import { shortfallsOf, shortfallsText, thingOf } from './shortfalls.ts'
import { refusal } from './testing/arbitraries.suite.ts'
import { afterFound, causeIn, fleetOf } from './testing/drawn.ts'

const RUNS = draws(40, 200, 10_000)

/** The amounts in a sentence. Numbers in names of cells, requests, hosts and groups are left out. */
const numbersIn = (text: string): readonly number[] =>
  Array.from(
    text
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '')
      .replaceAll(/\b(?:cell|request|socket) \d+(?:, \d+)*/g, '')
      .replaceAll(/\b(?:vendor|product) \w+/g, '')
      .replaceAll(/\b\d+ (?:more )?instances\b/g, '')
      .matchAll(/(?<![\w.])\d+(?![\w.]*\w)/g),
    ([found]) => Number(found),
  )

const evidenceOf = (refusals: readonly HostRefusal[]): ReadonlySet<string> =>
  new Set(
    refusals.flatMap(({ facts }) =>
      facts.flatMap(({ required, actual, terms = [] }) => [required, actual, ...terms.map(({ value }) => value)].map(String)),
    ),
  )

describe('the laws of the cause: sentences about the nearest host', () => {
  test('no shortfall of the nearest host is named twice, and each number in the sentences is in the facts about the host', () => {
    const met = { several: 0, numbers: 0 }
    fc.assert(
      fc.property(refusal, ({ hosts, asked, profile }) => {
        const fleet = fleetOf(hosts)
        const { nearest } = causeIn(fleet, asked, profile)
        const others = afterFound(fleet, asked, profile, (found, judged) => {
          const { checksOf } = prepareChecks(fleet, asked, judged, Math.min(found, asked.numInstances - 1))
          return hosts.map((_, host) => ({
            refusals: checksOf(host as HostIndex).flatMap(({ filter, reason, facts = [] }) =>
              reason === undefined ? [] : [{ filter, reason, facts }],
            ),
          }))
        })
        for (const { refusals } of [...(nearest === null ? [] : [nearest]), ...others]) {
          const shortfalls = shortfallsOf({ refusals })
          const text = shortfallsText(shortfalls)
          const lacks = shortfalls.map(({ subject, required, actual, amountOf = '' }) =>
            [thingOf(subject), required, actual, amountOf].join(),
          )
          expect([text, lacks]).toEqual([text, [...new Set(lacks)]])
          const sentences = text.split(/(?<=\.) /)
          expect(sentences).toEqual([...new Set(sentences)])
          const evidence = evidenceOf(refusals)
          const without = numbersIn(text).filter(
            (number) => !evidence.has(`${number}`) && ![...evidence].some((one) => numbersIn(one).includes(number)),
          )
          expect([text, without]).toEqual([text, []])
          met.several += Number(shortfalls.length > 1)
          met.numbers += numbersIn(text).length
        }
      }),
      RUNS,
    )
    expect(Math.min(...Object.values(met))).toBeGreaterThan(0)
  })
})
