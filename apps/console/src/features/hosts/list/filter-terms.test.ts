import { describe, expect, test } from 'vitest'
import { narrowToGroup, toggleValue } from './filter-terms.ts'

describe('a click on a value of a facet', () => {
  test.each([
    ['adds a term for the value', '', 'az', 'z1', 'az:z1'],
    ['removes the term for the value', 'az:z1', 'az', 'z1', ''],
    ['removes one of several values', 'az:z1,z2', 'az', 'z2', 'az:z1'],
    ['replaces another value', 'az:z1 mem.free>=4GiB', 'az', 'z2', 'mem.free>=4GiB az:z2'],
    ['replaces a pattern', 'az:z*', 'az', 'z1', 'az:z1'],
    ['replaces the exclusion of the same value', '-agg:ssd', 'agg', 'ssd', 'agg:ssd'],
    ['replaces a term with an alias of its field', 'zone:z1', 'az', 'z2', 'az:z2'],
    ['keeps the terms of other facets', 'agg:ssd', 'az', 'z2', 'agg:ssd az:z2'],
    ['quotes a value that needs quotes', '', 'agg', 'rack 7*', 'agg:"rack 7*"'],
    ['adds hosts without the value', 'cpu.model:Milan web', 'cpu.model', '', 'web -cpu.model:*'],
    ['adds hosts without the number', '', 'hypervisor.version', '', '-hypervisor.version>=0'],
    ['removes the term for hosts without the number', 'web -hypervisor.version>=0', 'hypervisor.version', '', 'web'],
    ['replaces the term for hosts without the value', '-cpu.model:*', 'cpu.model', 'Milan', 'cpu.model:Milan'],
  ] as const)('%s', (_name, text, field, value, after) => expect(toggleValue(text, field, value, false)).toBe(after))

  test('a click with Shift adds the value to the selected values', () => expect(toggleValue('az:z1', 'az', 'z2', true)).toBe('az:z1,z2'))

  test('a click with Shift on "not reported" replaces the selected values, because no term finds both', () => {
    for (const other of ['hypervisor.version>=9000000', '-hypervisor.version>=9000000', '-hypervisor.version:9000000'])
      expect(toggleValue(other, 'hypervisor.version', '8002000', true)).toBe('hypervisor.version:8002000')
    expect(toggleValue('cpu.model:Milan', 'cpu.model', '', true)).toBe('-cpu.model:*')
    expect(toggleValue('-cpu.model:*', 'cpu.model', 'Milan', true)).toBe('cpu.model:Milan')
  })
})

describe('the filter for a group of the map', () => {
  test.each([
    ['a zone replaces all zones in the filter', 'az:z1,z2 web', 'az', 'z2', 'web az:z2'],
    ['an aggregate is added to other aggregates', 'agg:ssd', 'aggregate', 'fast', 'agg:ssd agg:fast'],
    ['an aggregate that is in the filter already changes nothing', 'agg:ssd', 'aggregate', 'ssd', 'agg:ssd'],
    ['one of several aggregates in the filter is added as a term of its own', 'agg:ssd,gpu', 'aggregate', 'ssd', 'agg:ssd,gpu agg:ssd'],
    ['hosts in no aggregate have an excluding term', 'az:nova', 'aggregate', '', 'az:nova -agg:*'],
    ['a CPU model replaces all models in the filter', 'cpu.model:A,B web', 'cpu.model', 'B', 'web cpu.model:B'],
    ['hosts that do not report their version have an excluding term', 'hv.version>5', 'hypervisor.version', '', '-hypervisor.version>=0'],
  ] as const)('%s', (_name, text, group, key, after) => expect(narrowToGroup(text, group, key)).toBe(after))
})
