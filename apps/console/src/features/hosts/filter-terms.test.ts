import { describe, expect, test } from 'vitest'
import { narrowToGroup, toggleValue } from './filter-terms.ts'

describe('a click on a value of a facet', () => {
  test.each([
    ['opens it', '', 'az', 'z1', 'az:z1'],
    ['takes it back', 'az:z1', 'az', 'z1', ''],
    ['takes one of many back', 'az:z1,z2', 'az', 'z2', 'az:z1'],
    ['takes the place of another value', 'az:z1 mem.free>=4GiB', 'az', 'z2', 'mem.free>=4GiB az:z2'],
    ['takes the place of a pattern', 'az:z*', 'az', 'z1', 'az:z1'],
    ['takes the place of its own exclusion', '-agg:ssd', 'agg', 'ssd', 'agg:ssd'],
    ['knows other names of its field', 'zone:z1', 'az', 'z2', 'az:z2'],
    ['leaves the other facets', 'agg:ssd', 'az', 'z2', 'agg:ssd az:z2'],
    ['quotes what needs it', '', 'agg', 'rack 7*', 'agg:"rack 7*"'],
  ] as const)('%s', (_name, text, field, value, after) => expect(toggleValue(text, field, value, false)).toBe(after))

  test('with Shift adds to what is chosen', () => expect(toggleValue('az:z1', 'az', 'z2', true)).toBe('az:z1,z2'))
})

describe('a group of the map', () => {
  test.each([
    ['a zone alone', 'az:z1,z2 web', 'az', 'z2', 'web az:z2'],
    ['an aggregate, and what else was asked', 'agg:ssd', 'aggregate', 'fast', 'agg:ssd agg:fast'],
    ['an aggregate that is asked for already', 'agg:ssd', 'aggregate', 'ssd', 'agg:ssd'],
    ['one of many that are asked for', 'agg:ssd,gpu', 'aggregate', 'ssd', 'agg:ssd,gpu agg:ssd'],
    ['hosts in no aggregate', 'az:nova', 'aggregate', '', 'az:nova -agg:*'],
  ] as const)('%s', (_name, text, group, key, after) => expect(narrowToGroup(text, group, key)).toBe(after))
})
