import { describe, expect, test } from 'vitest'
import { quoteForShell } from '../../lib/shell.ts'
import { commandExplain, commandWhyNot } from './copies.ts'
import { countHosts, exactAmount, readableAmount, shareOf } from './facts.ts'
import { barOf, barShare, countsOf, endsText, recordedSteps, scaleFor } from './funnel.ts'
import { hostOfName, nameOfHost } from './names.ts'
import { gapsBetween } from './weights/stack.ts'

describe('a bar of the funnel', () => {
  test.each([
    ['no hosts of no hosts', 0, 0, 'linear', 0],
    ['half of the hosts', 50, 100, 'linear', 0.5],
    ['all hosts, on the logarithmic scale', 100, 100, 'log', 1],
    ['no hosts, on the logarithmic scale', 0, 100, 'log', 0],
  ] as const)('has the length for %s', (_name, hosts, all, scale, share) => expect(barShare(hosts, all, scale)).toBe(share))

  test('a small share is visible only on the logarithmic scale', () => {
    expect(barShare(13, 10_000, 'linear')).toBeLessThan(0.01)
    expect(barShare(13, 10_000, 'log')).toBeGreaterThan(0.25)
    expect([scaleFor(50), scaleFor(51)]).toEqual(['linear', 'log'])
  })

  test('a bar has the remaining hosts, then a part for each reason, without a gap', () => {
    const reasons = [
      { code: 'zone.other', hosts: 30 },
      { code: 'memory.short', hosts: 10 },
    ]
    const { left, refused } = barOf({ entered: 100, passed: 60, reasons }, 100, 'linear')
    expect(left).toBe(0.6)
    expect(refused.map(({ code, hosts }) => [code, hosts])).toEqual([
      ['zone.other', 30],
      ['memory.short', 10],
    ])
    expect(refused[0]?.from).toBeCloseTo(0.6)
    expect(refused[0]?.to).toBeCloseTo(0.9)
    expect(refused[1]?.from).toBe(refused[0]?.to)
    expect(refused[1]?.to).toBeCloseTo(1)
  })

  test('the refused hosts are one part of a bar while the reasons are not known, and no part without refusals', () => {
    expect(barOf({ entered: 10, passed: 4, reasons: [] }, 10, 'linear').refused).toMatchObject([{ code: '', hosts: 6 }])
    expect(barOf({ entered: 4, passed: 4, reasons: [] }, 10, 'linear').refused).toEqual([])
  })

  test('the counts of the funnel omit steps without refusals', () => {
    const steps = [
      { entered: 200, passed: 200 },
      { entered: 200, passed: 12 },
      { entered: 12, passed: 12 },
    ]
    expect(countsOf(200, steps)).toEqual([200, 12])
  })

  test.each([
    ['nothing refused', [200], '200'],
    ['one step', [200, 12], '200 > 12'],
    ['many steps', [10_000, 412, 13, 0], '10,000 > … > 0'],
  ])('a narrow column shows the ends: %s', (_name, counts, text) => expect(endsText(counts)).toBe(text))

  test('the funnel from a record has the counts of refused hosts, but no reasons', () =>
    expect(recordedSteps([{ filter: 'F', entered: 9, passed: 4 }])).toMatchObject([
      { name: 'F', rejected: 5, reasons: [], skippedBecause: null },
    ]))
})

test.each([
  [0, '0 hosts'],
  [1, '1 host'],
  [10_000, '10,000 hosts'],
])('a count of %i is shown as %s', (count, text) => expect(countHosts(count)).toBe(text))

describe('amounts', () => {
  test.each([
    ['262144', 'MiB', '256 GiB', '262144 MiB'],
    ['80', 'GiB', '80 GiB', '80 GiB'],
    ['2048', 'GiB', '2 TiB', '2048 GiB'],
    ['1204', null, '1,204', '1204'],
    ['4', 'VCPU', '4 VCPU', '4 VCPU'],
    ['z2', null, 'z2', 'z2'],
    ['', null, '', ''],
  ])('the amount %s %s is shown as %s', (value, unit, readable, exact) => {
    expect(readableAmount(value, unit)).toBe(readable)
    expect(exactAmount(value, unit)).toBe(exact)
  })

  test('the text of an absent amount is empty', () =>
    expect([readableAmount(null, 'MiB'), exactAmount(undefined, 'MiB')]).toEqual(['', '']))

  test.each([
    ['three quarters', { required: '8', actual: '6', shortfall: '2', unit: null }, 0.75],
    ['an available amount below 0', { required: '8', actual: '-2', shortfall: '10', unit: null }, 0],
    ['no amount', { required: 'z2', actual: 'z1', shortfall: null, unit: null }, undefined],
    ['a word instead of a number', { required: '8', actual: 'none', shortfall: '8', unit: null }, undefined],
    ['nothing needed', { required: '0', actual: '1', shortfall: '0', unit: null }, undefined],
  ])('the share of %s', (_name, fact, share) => expect(shareOf(fact)).toBe(share))
})

describe('copied commands', () => {
  test.each([
    ['plain', 'plain'],
    ['z1/r-01:a', 'z1/r-01:a'],
    ['two words', "'two words'"],
    ["it's", "'it'\\''s'"],
    ['$(rm)', "'$(rm)'"],
    ['', "''"],
  ])('%s is quoted as one word: %s', (text, word) => expect(quoteForShell(text)).toBe(word))

  test('copied commands request the same explanation as the page', () => {
    expect(commandExplain('abc', null)).toBe('gantt explain abc')
    expect(commandExplain('abc', 2)).toBe('gantt explain abc --instance 2')
    expect(commandWhyNot('abc', null, 'h1')).toBe('gantt why-not abc h1')
    expect(commandWhyNot('abc', 1, 'rack/node 1')).toBe("gantt why-not abc rack --node 'node 1' --instance 1")
  })
})

test.each([
  [{ hostName: 'h1', node: 'h1' }, 'h1', { host: 'h1', node: null }],
  [{ hostName: 'rack', node: 'e' }, 'rack/e', { host: 'rack', node: 'e' }],
])('the host %o has the key %s in URLs', (host, name, read) => {
  expect(nameOfHost(host)).toBe(name)
  expect(hostOfName(name)).toEqual(read)
})

test('the score differences between two hosts list every weigher of the first host, even if the second host has no value for it', () => {
  const one = [
    { weigher: 'RAM', weighted: 0.5 },
    { weigher: 'CPU', weighted: -0.25 },
  ]
  expect(gapsBetween(one, [{ weigher: 'RAM', weighted: 0.75 }])).toEqual([
    { weigher: 'RAM', gap: -0.25 },
    { weigher: 'CPU', gap: -0.25 },
  ])
})
