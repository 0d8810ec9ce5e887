import { describe, expect, test } from 'vitest'
import { causeText } from '../cause/cause-text.ts'
import { reasonCodes } from '../cause/words.ts'
import { amountText, counted } from './amount-text.ts'
import type { Reason } from './reason.ts'
import { reasonText } from './reason-text.ts'

test.each<readonly [number | string, string | undefined, string]>([
  [8_192, 'MiB', '8192 MiB'],
  [8_192, 'MEMORY_MB', '8192 MiB'],
  [1, 'DISK_GB', '1 GiB'],
  [1, 'VCPU', '1 vCPU'],
  [2, 'vCPU', '2 vCPUs'],
  [2, 'PCPU', '2 dedicated CPUs'],
  [3, 'CUSTOM_FPGA', '3'],
  [3, undefined, '3'],
  [3, '', '3'],
  [0, 'GPUs', '0 GPUs'],
  [1, 'GPUs', '1 GPU'],
  [1, 'devices', '1 device'],
  [1, 'NUMA cells', '1 NUMA cell'],
  [1, 'pages of 2048 KiB', '1 page of 2048 KiB'],
  [4, 'pages of 2048 KiB', '4 pages of 2048 KiB'],
  [1, 'CPUs with enough memory in one cell', '1 CPU with enough memory in one cell'],
  ['fewer than 1', 'members', 'no members'],
  ['fewer than 2', 'members', 'fewer than 2 members'],
  ['fewer than 11', 'members', 'fewer than 11 members'],
  ['more than 1', 'steps', 'more than 1 step'],
  [1, 's', '1 s'],
  [2, 'racks of our own', '2 racks of our own'],
  ['', 'MiB', '"" MiB'],
])('%j of %j is written %j', (amount, unit, text) => expect(amountText(amount, unit)).toBe(text))

test('a count of one has the singular noun', () => {
  expect([0, 1, 2].map((count) => counted(count, 'host'))).toEqual(['0 hosts', '1 host', '2 hosts'])
  expect(counted(2, 'entry', 'entries')).toBe('2 entries')
})

describe('no sentence of a reason contains a wrong plural, a raw resource class or a gap', () => {
  const values: readonly Pick<Reason, 'need' | 'have'>[] = [
    { need: 1, have: 0 },
    { need: 1, have: 1 },
    { need: 2, have: 1 },
    { need: 'fewer than 1', have: 1 },
    { need: '', have: '' },
  ]
  const units = ['MiB', 'GPUs', 'devices', 'members', 'MEMORY_MB', '', undefined]
  const sentences = reasonCodes.flatMap((code) =>
    values.flatMap((sides) =>
      units.map((unit) => reasonText({ code, subject: 'MEMORY_MB', ...sides, ...(unit !== undefined && { unit }), source: 'a source' })),
    ),
  )

  test.each([
    [
      'a plural with a count of one',
      /(?:^|[^\d.])1 (?:vCPUs|CPUs|GPUs|NUMA cells|cells|devices|members|instances|operations|hosts|claims|steps|pages)\b/,
    ],
    ['a resource class for a unit', /\d (?:MEMORY_MB|DISK_GB|VCPU|PCPU)\b/],
    ['two blanks, or a blank before a full stop or at the end', / {2}| [.,;:]|\s$/],
    ['a gap where a value is', /undefined|null|NaN| (?:for|of|has|by|is|on) [.;,]/],
  ])('%s', (_what, fault) => expect(sentences.filter((text) => fault.test(text))).toEqual([]))
})

test('if only one host is admitted, the cause consists of the sentences of the reasons of this host', () => {
  const refusals = [{ code: 'gpu.none', hosts: 1, example: { code: 'gpu.none' } }] as const
  const nearest = {
    name: { host: 'h1', node: 'h1' },
    address: 'h1',
    refusals: [
      {
        filter: 'ClaimFit',
        reason: { code: 'class.short', subject: 'VCPU', need: 2, have: 1 },
        facts: [
          { subject: 'MEMORY_MB', required: 8_192, actual: 4_096, unit: 'MEMORY_MB' },
          { subject: 'GPU', required: 1, actual: 0, unit: 'GPUs' },
        ].map((fact) => ({ ...fact, requiredFrom: { kind: 'request', ref: 'flavor' }, actualFrom: { kind: 'report', ref: '1' } }) as const),
      },
    ],
  } as const
  expect(
    causeText(
      {
        code: 'gpu.none',
        admission: [],
        ...{ within: null, exclusive: [], allButOne: [], room: null },
        admitted: 1,
        refusals,
        reasons: [],
        nearest,
        unknown: [],
        tooFew: null,
        ...{ onOneHost: null, elsewhere: null },
        instances: null,
      },
      'Do otherwise.',
    ),
  ).toBe(
    'The only host does not take it. h1: 2 vCPUs needed, 1 free. Memory: 8192 MiB needed, 4096 free. 1 GPU needed, 0 free. Do otherwise.',
  )
})

test('a negative free amount is shown as 0 free and the excess, but a plug-in may show negative values', () => {
  const short = (reason: Partial<Reason>) => reasonText({ code: 'cpu.short', subject: 'VCPU', need: 3, have: -4, unit: 'vCPUs', ...reason })
  expect(short({})).toBe('3 vCPUs needed, 0 free; over-full by 4 vCPUs.')
  expect(short({ reserved: '2 of its 8 vCPUs are reserved (by its report)' })).toBe(
    '3 vCPUs needed, 0 free; over-full by 4 vCPUs; 2 of its 8 vCPUs are reserved (by its report).',
  )
  expect(short({ code: 'memory.huge_pages', unit: 'MiB' })).toBe(
    '3 MiB needed outside of the memory that the host sets aside as huge pages, 0 MiB free there; over-full by 4 MiB.',
  )
  expect(short({ code: 'pool.short', subject: 'p', unit: 'GiB' })).toBe(
    'The pool p has 0 GiB left; 3 GiB were requested; over-full by 4 GiB.',
  )
  expect(short({ code: 'numa.memory', subject: 'cell 0', unit: 'MiB' })).toContain('the freest has 0 MiB; over-full by 4 MiB.')
  expect(short({ code: 'filter.refused', subject: 'Cold', unit: 'degrees' })).toBe('Cold: 3 degrees needed, -4 here.')
  for (const code of reasonCodes)
    if (code !== 'filter.refused') expect([code, short({ code })]).not.toEqual([code, expect.stringMatching(/-4/)])
})
