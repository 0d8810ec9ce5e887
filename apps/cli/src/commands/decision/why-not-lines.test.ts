import { expect, test } from 'vitest'
import { toWeightBlocks, toWeightLines } from './weight-lines.ts'
import { type Answer, toLines, toWhyNotPage } from './why-not-lines.ts'

const report = { kind: 'report', ref: 'sequence 7, 2026-01-15T12:00:00.000Z' }
const refused: Answer = {
  headline: 'rack1-a was refused by RamFilter. Memory: 4096 MiB needed, 192 free.',
  outcome: 'FILTERED',
  because: 'REFUSED',
  wouldPassNow: false,
  changedSinceNote: null,
  neverConsidered: null,
  verdict: {
    ...{ hostName: 'rack1-a', node: 'rack1-a', host: null, outcome: 'FILTERED', rank: null, totalWeight: null },
    checks: [
      { filter: 'ComputeFilter', status: 'PASS', reason: null, text: null, facts: [] },
      {
        filter: 'RamFilter',
        status: 'FAIL',
        reason: 'memory.short',
        text: 'Memory: 4096 MiB needed, 192 free.',
        facts: [
          {
            subject: 'MEMORY_MB',
            required: '4096',
            actual: '192',
            shortfall: '3904',
            unit: 'MiB',
            requiredSource: { kind: 'request', ref: 'flavor.memoryMb' },
            actualSource: report,
            terms: [
              { name: 'total', value: 8_192, source: report },
              { name: 'claimed', value: 8_000, source: { kind: 'claims', ref: '2 claims' } },
            ],
          },
        ],
      },
      { filter: 'TraitsFilter', status: 'NOT_ASKED', reason: null, text: null, facts: [] },
    ],
  },
  versusWinner: [],
  nowRefusedBy: [{ filter: 'ComputeFilter', reason: 'host.disabled', text: 'The host is DISABLED: disk.' }],
  changedSince: [{ field: 'status', before: 'ENABLED', after: 'DISABLED', source: { kind: 'status', ref: 'disk' } }],
}
const lost: Answer = {
  ...refused,
  because: 'LOST',
  verdict: { ...refused.verdict, checks: [] },
  wouldPassNow: true,
  nowRefusedBy: [],
  changedSince: [],
  changedSinceNote: 'The log no longer contains revision 7: later changes are not known.',
  versusWinner: [
    {
      winner: 1,
      host: 0.5,
      weigher: 'RAMWeigher',
      winnerRaw: 65_536,
      hostMissing: null,
      winnerMissing: null,
      hostRaw: 32_768,
      unit: 'MiB',
      gap: 0.5,
      wouldFlipAt: 0.3333333333333333,
    },
    {
      winner: 1,
      host: 0.5,
      weigher: 'ServerGroupSoftAntiAffinityWeigher',
      winnerRaw: 0,
      hostMissing: null,
      winnerMissing: null,
      hostRaw: 0,
      unit: 'members',
      gap: 0,
      wouldFlipAt: null,
    },
  ],
}
const widest = (lines: readonly string[]) => Math.max(...lines.map((line) => line.length))
const joined = (lines: readonly string[]) => lines.join(' ').replace(/ +/g, ' ')

test('a refusal is shown with its amounts, their sources, later changes and the present refusal, in 80 columns', () => {
  const lines = toLines(refused)
  expect(widest(lines)).toBeLessThanOrEqual(80)
  const text = joined(lines)
  expect(text).toContain(
    '- MEMORY_MB: 4096 from request flavor.memoryMb; 192 from report sequence 7, 2026-01-15T12:00:00.000Z; total 8192, claimed 8000;',
  )
  expect(text).toContain('claimed: claims 2 claims')
  expect(text).toContain('status ENABLED DISABLED status disk')
  expect(text).toContain('Filters that had nothing to check: TraitsFilter.')
  expect(text.endsWith('Now it would be refused too. ComputeFilter: The host is DISABLED: disk.')).toBe(true)
})

test('for a host that lost, the gaps and the multipliers with which it would win are shown, with a note about unknown changes', () => {
  const lines = toLines(lost)
  expect(widest(lines)).toBeLessThanOrEqual(80)
  expect(joined(lines)).toMatch(/RAMWeigher 65536 32768 MiB 0\.5 0\.333333 /)
  expect(joined(lines)).toContain('Now it would pass every filter. The log no longer contains revision 7')
})

test('a host that was not considered is shown with the reason', () => {
  const text = 'rack1-a was first seen later: at revision 9.'
  const neverConsidered = { kind: 'SEEN_LATER', text, firstSeenRevision: '9', firstSeenAt: null, fields: [] } as const
  expect(toLines({ ...lost, because: 'NEVER_CONSIDERED', neverConsidered: { ...neverConsidered, fields: [] } })).toContain(text)
})

test('the page for a ticket shows the refusal, the later changes and the present refusal', () => {
  const page = toWhyNotPage(refused)
  expect(page[0]).toBe('### rack1-a was refused by RamFilter. Memory: 4096 MiB needed, 192 free.')
  expect(page.join('\n')).toContain('| RamFilter | Memory: 4096 MiB needed, 192 free. | MEMORY_MB: 4096 from request flavor.memoryMb')
  expect(page.join('\n')).toContain('| status | ENABLED | DISABLED | status disk |')
  expect(page.at(-1)).toBe('- Now it would be refused too. ComputeFilter: The host is DISABLED: disk.')
})

test('--weights shows which other host would win, and with which multiplier', () => {
  const weigher = { name: 'RAMWeigher', multiplier: 1, decisive: true, idle: false, winnerWithout: 'rack2-b' }
  const limits = { flipsBelow: 0.48370814763400366, winnerBelow: 'rack2-b', flipsAbove: null, winnerAbove: null }
  const unchanged = { ...weigher, name: 'ServerGroupSoftAntiAffinityWeigher', decisive: false, idle: true, flipsBelow: null }
  const weights = {
    margin: 0.25,
    note: null,
    candidateCount: 3,
    weighers: [
      { ...weigher, ...limits },
      { ...limits, ...unchanged },
    ],
  }
  const lines = toWeightLines(weights)
  expect(widest(lines)).toBeLessThanOrEqual(80)
  expect(joined(lines)).toContain('The best is 0.25 ahead of the second.')
  expect(joined(lines)).toMatch(/RAMWeigher 1 else rack2-b 0\.483708, then rack2-b any/)
  expect(joined(lines)).toMatch(/ServerGroupSoftAntiAffinity\S* 1 nothing any any/)
  expect(toWeightBlocks(weights).flat()).toContain('| RAMWeigher | 1 | else rack2-b | 0.483708, then rack2-b | any |')
})

test('a value that is not known is not shown as a number, and the reason is added', () => {
  const hostMissing = 'The host does not send the namespace power: its collector is failing (CRASHED: no sensor).'
  const [first, ...others] = lost.versusWinner
  if (first === undefined) throw new Error('expected a gap, found none')
  const answer: Answer = { ...lost, versusWinner: [{ ...first, hostMissing }, ...others] }
  const lines = toLines(answer)
  expect(lines.find((line) => line.startsWith('RAMWeigher '))).toMatch(/RAMWeigher +65536 +not known +MiB/)
  expect(joined(lines)).toContain(`RAMWeigher has no value for this host. ${hostMissing}`)
  expect(widest(lines)).toBeLessThanOrEqual(80)
  expect(toWhyNotPage(answer).join('\n')).toContain(hostMissing)
})
