import { describe, expect, test } from 'vitest'
import { parseProfile } from '../pipeline/compile.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { parseHostStats, parseStatsDelta } from '../report/stats.ts'
import { aReport, aUuid } from '../testing/index.ts'
import type { Parsed } from '../text/problem.ts'
import { parseRequestSpec } from './parse.ts'

export const MIB = 'x'.repeat(2 ** 20)
const json = (text: string): object => JSON.parse(text)
export const deep = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = { a: value }
  return value
}

const flavor = (parts: object) => ({ flavor: { vcpus: 1, memoryMb: 1, ...parts } })
export const request = (parts: object) => ({ ...flavor({}), ...parts })
export const stats = (parts: object) => ({ ...aReport('h1').full, ...parts })
export const profile = (parts: object) => ({ name: 'mine', number: 1, filters: [], weighers: [], ...parts })
const weigher = (name: string, options: unknown) => profile({ weighers: [{ name, multiplier: 1, options }] })

/** A name, an invalid input, and the path and message of one of its problems. */
type Row = readonly [name: string, input: unknown, path: string, message: string]

const bad = (parse: (input: unknown) => Parsed<unknown>, rows: readonly Row[]): void => {
  test.each(rows)('an invalid input gives a problem with its path: %s', (_name, input, path, message) => {
    const parsed = parse(input)
    expect(parsed.ok ? parsed : parsed.problems.map((problem) => [problem.path.join('.'), problem.message])).toContainEqual([path, message])
  })
}

describe('parsing a request', () => {
  bad(parseRequestSpec, [
    ['nothing', undefined, '', 'the request is missing; it must be an object'],
    ['null', null, '', 'the request is null; it must be an object'],
    ['a list', [], '', 'the request is an empty list; it must be an object'],
    ['text', 'x', '', 'the request is "x"; it must be an object'],
    ['no flavor', {}, 'flavor', 'flavor is missing; it must be an object'],
    ['a flavor without memory', { flavor: { vcpus: 1 } }, 'flavor.memoryMb', 'flavor.memoryMb is missing; it must be a number'],
    ['a negative amount', flavor({ memoryMb: -1 }), 'flavor.memoryMb', 'flavor.memoryMb is -1; it must be 0 or more'],
    ['a fraction', flavor({ memoryMb: 1.5 }), 'flavor.memoryMb', 'flavor.memoryMb is 1.5; it must be a whole number'],
    ['not-a-number', flavor({ memoryMb: Number.NaN }), 'flavor.memoryMb', 'flavor.memoryMb is NaN; it must be a number'],
    [
      'infinity',
      flavor({ memoryMb: Number.POSITIVE_INFINITY }),
      'flavor.memoryMb',
      'flavor.memoryMb is Infinity; it must be a finite number',
    ],
    ['2^53 + 2', flavor({ memoryMb: 2 ** 53 + 2 }), 'flavor.memoryMb', 'flavor.memoryMb is 9007199254740994; it must be 67108864 or less'],
    ['more than 64 TiB', flavor({ memoryMb: 67_108_865 }), 'flavor.memoryMb', 'flavor.memoryMb is 67108865; it must be 67108864 or less'],
    ['a number as text', flavor({ memoryMb: '5' }), 'flavor.memoryMb', 'flavor.memoryMb is "5"; it must be a number'],
    ['a big integer', flavor({ memoryMb: 5n }), 'flavor.memoryMb', 'flavor.memoryMb is 5n; it must be a number'],
    [
      'a mebibyte of text',
      flavor({ name: MIB }),
      'flavor.name',
      `flavor.name is "${'x'.repeat(76)}...; it must be at most 255 characters long`,
    ],
    ['empty text', flavor({ name: '' }), 'flavor.name', 'flavor.name is ""; it must be at least 1 character long'],
    [
      'text with NUL',
      flavor({ name: 'a\u0000b' }),
      'flavor.name',
      'flavor.name is "a\\u0000b"; it must be text without NUL and halves of surrogate pairs',
    ],
    [
      'half a surrogate pair',
      request({ projectId: '\ud800' }),
      'projectId',
      'projectId is "\\ud800"; it must be text without NUL and halves of surrogate pairs',
    ],
    ['an unknown field', request({ colour: 1 }), 'colour', 'colour is not a field of this version'],
    ['an unknown field further in', flavor({ colour: 1 }), 'flavor.colour', 'flavor.colour is not a field of this version'],
    ['a key of a prototype', request({ constructor: 1 }), 'constructor', 'constructor is not a field of this version'],
    [
      'the key __proto__',
      { ...json('{"__proto__":{"x":1}}'), ...json('{"flavor":{"vcpus":1,"memoryMb":1,"__proto__":1}}') },
      'flavor.__proto__',
      'flavor.__proto__ is not a field of this version',
    ],
    [
      'the key __proto__ among free keys',
      flavor({ extraSpecs: json('{"__proto__":"x"}') }),
      'flavor.extraSpecs.__proto__',
      'flavor.extraSpecs.__proto__ is not a field of this version',
    ],
    ['an unknown version', request({ version: '2.0' }), 'version', 'version is "2.0"; it must be one of 1.0, 1.1, 1.2, 1.3'],
    ['a version that is no text', request({ version: 1 }), 'version', 'version is 1; it must be one of 1.0, 1.1, 1.2, 1.3'],
    [
      'a policy that groups do not have',
      request({ instanceGroup: { uuid: aUuid(1), policy: 'NEAR' } }),
      'instanceGroup.policy',
      'instanceGroup.policy is "NEAR"; it must be one of AFFINITY, ANTI_AFFINITY, SOFT_AFFINITY, SOFT_ANTI_AFFINITY',
    ],
    ['text that is not a UUID', request({ instanceUuids: ['x'] }), 'instanceUuids.0', 'instanceUuids.0 is "x"; it must be a UUID'],
    [
      'an instance twice',
      request({ instanceUuids: [aUuid(1), aUuid(1)] }),
      'instanceUuids',
      'instanceUuids is a list of 2; it must not name an instance twice',
    ],
    [
      'a number of instances that is not the number of UUIDs',
      request({ instanceUuids: [aUuid(1)], numInstances: 2 }),
      'numInstances',
      'numInstances is 2; it must equal the number of instanceUuids, 1',
    ],
    ['too many instances', request({ numInstances: 1_001 }), 'numInstances', 'numInstances is 1001; it must be 1000 or less'],
    ['text for a list', request({ forceHosts: 'h1' }), 'forceHosts', 'forceHosts is "h1"; it must be a list'],
    [
      'a list that is too long',
      request({ forceHosts: new Array(257).fill('h') }),
      'forceHosts',
      'forceHosts is a list of 257; it must hold at most 256 entries',
    ],
    [
      'an empty topology',
      request({ numaTopology: { cells: [] } }),
      'numaTopology.cells',
      'numaTopology.cells is an empty list; it must hold at least 1 entry',
    ],
    ['text for true or false', request({ isBfv: 'no' }), 'isBfv', 'isBfv is "no"; it must be true or false'],
    [
      'a class in small letters',
      flavor({ extraSpecs: { 'resources:vcpu': '1' } }),
      'flavor.extraSpecs.resources:vcpu',
      'flavor.extraSpecs.resources:vcpu is "1"; it must be resources:CLASS with a whole number of 0 to 1099511627776',
    ],
    [
      'a negative amount of a class',
      flavor({ extraSpecs: { 'resources:VCPU': '-1' } }),
      'flavor.extraSpecs.resources:VCPU',
      'flavor.extraSpecs.resources:VCPU is "-1"; it must be resources:CLASS with a whole number of 0 to 1099511627776',
    ],
    [
      'an amount of a class that is not a number',
      flavor({ extraSpecs: { 'resources:VGPU': 'one' } }),
      'flavor.extraSpecs.resources:VGPU',
      'flavor.extraSpecs.resources:VGPU is "one"; it must be resources:CLASS with a whole number of 0 to 1099511627776',
    ],
    [
      'a trait that is neither required nor forbidden',
      flavor({ extraSpecs: { 'trait:A': 'yes' } }),
      'flavor.extraSpecs.trait:A',
      'flavor.extraSpecs.trait:A is "yes"; it must be trait:NAME with the value required or forbidden',
    ],
    [
      'a key of 300 characters',
      flavor({ extraSpecs: { ['k'.repeat(300)]: 'v' } }),
      `flavor.extraSpecs.${'k'.repeat(77)}...`,
      `the key flavor.extraSpecs.${'k'.repeat(77)}... is "${'k'.repeat(76)}...; it must be at most 255 characters long`,
    ],
    [
      'a share of more than a GPU',
      request({ gpus: { shareMilli: 1_001 } }),
      'gpus.shareMilli',
      'gpus.shareMilli is 1001; it must be 1000 or less',
    ],
    ['no GPU', request({ gpus: { count: 0 } }), 'gpus.count', 'gpus.count is 0; it must be 1 or more'],
  ])

  test('all problems of a request are reported at once, and none is repeated', () => {
    const parsed = parseRequestSpec({ flavor: { vcpus: -1, memoryMb: 2 ** 53 + 2 }, numInstances: 0, colour: 1 })
    expect(parsed.ok ? [] : parsed.problems.map(({ code, path }) => `${code} ${path.join('.')}`).sort()).toEqual([
      'spec.invalid flavor.memoryMb',
      'spec.invalid flavor.vcpus',
      'spec.invalid numInstances',
      'spec.unknown_field colour',
    ])
  })

  test('at most 100 problems are reported', () => {
    const many = parseRequestSpec(request({ forceHosts: new Array(256).fill(1), ignoreHosts: new Array(1_000).fill(1) }))
    const unknown = parseRequestSpec(request(Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`f${i}`, i]))))
    expect([many.ok ? 0 : many.problems.length, unknown.ok ? 0 : unknown.problems.length]).toEqual([100, 100])
  })

  test.each<[string, object, object]>([
    ['defaults are filled in', flavor({}), { version: '1.3', numInstances: 1, forceHosts: [], image: null }],
    ['a version may be undefined', request({ version: undefined }), { version: '1.3' }],
    [
      'a request of version 1.0 is converted to the current version',
      request({ version: '1.0' }),
      { version: '1.3', forceVerify: 'ALL', pciRequests: [] },
    ],
    ['the number of UUIDs is the number of instances', request({ instanceUuids: [aUuid(1), aUuid(2)] }), { numInstances: 2 }],
    ['a request for no resources at all is accepted', { flavor: { vcpus: 0, memoryMb: 0 } }, { numInstances: 1 }],
    ['the largest amounts are accepted', flavor({ vcpus: 65_536, memoryMb: 67_108_864 }), { flavor: { memoryMb: 67_108_864 } }],
    ['a pair of surrogates is text like any other', request({ projectId: 'π😀' }), { projectId: 'π😀' }],
    [
      'constructor is accepted as a key of extra specs',
      flavor({ extraSpecs: { constructor: 'x' } }),
      { flavor: { extraSpecs: { constructor: 'x' } } },
    ],
  ])('%s', (_name, input, expected) => {
    expect(parseRequestSpec(input)).toMatchObject({ ok: true, value: expected })
  })
})

describe('parsing a report', () => {
  const cell = (parts: object) => ({ id: 0, cpuset: [0, 1], memoryMb: 1, ...parts })
  bad(parseHostStats, [
    ['nothing', undefined, '', 'the report is missing; it must be an object'],
    [
      'bytes for MiB',
      stats({ memoryMb: 2 ** 40 }),
      'memoryMb',
      'memoryMb is 1099511627776; it must be 67108864 MiB (64 TiB) or less; more is most likely given in bytes or KiB',
    ],
    [
      'an infinite ratio',
      stats({ cpuAllocationRatio: Number.POSITIVE_INFINITY }),
      'cpuAllocationRatio',
      'cpuAllocationRatio is Infinity; it must be a finite number',
    ],
    ['a ratio of 0', stats({ cpuAllocationRatio: 0 }), 'cpuAllocationRatio', 'cpuAllocationRatio is 0; it must be 0.001 or more'],
    [
      'a CPU twice in a cell',
      stats({ numaCells: [cell({ cpuset: [1, 1] })] }),
      'numaCells.0.cpuset',
      'numaCells.0.cpuset is a list of 2; it must not list a CPU twice',
    ],
    [
      'a CPU in two cells',
      stats({ numaCells: [cell({}), cell({ id: 1 })] }),
      'numaCells',
      'numaCells is a list of 2; it must not list a CPU in two cells',
    ],
    [
      'a pinned CPU of another cell',
      stats({ numaCells: [cell({ pinnedCpus: [7] })] }),
      'numaCells.0.pinnedCpus',
      'numaCells.0.pinnedCpus is a list of 1; it must be CPUs of the cell',
    ],
    [
      'two cells with the same id',
      stats({ numaCells: [cell({}), cell({ cpuset: [4] })] }),
      'numaCells',
      'numaCells is a list of 2; it must not give two cells the same id',
    ],
    [
      'two GPUs with the same index',
      stats({ gpus: [{ index: 1 }, { index: 1 }] }),
      'gpus',
      'gpus is a list of 2; it must not give two GPUs the same number',
    ],
    [
      'a class twice',
      stats({
        inventories: [
          { resourceClass: 'A', total: 1 },
          { resourceClass: 'A', total: 1 },
        ],
      }),
      'inventories',
      'inventories is a list of 2; it must not list a resource class twice',
    ],
    [
      'more reserved than the total',
      stats({ inventories: [{ resourceClass: 'A', total: 1, reserved: 2 }] }),
      'inventories.0.reserved',
      'inventories.0.reserved is 2; it must be at most the total',
    ],
    [
      'a smallest unit of 0',
      stats({ inventories: [{ resourceClass: 'A', total: 1, minUnit: 0 }] }),
      'inventories.0.minUnit',
      'inventories.0.minUnit is 0; it must be 1 or more',
    ],
    [
      'a class in small letters',
      stats({ inventories: [{ resourceClass: 'a', total: 1 }] }),
      'inventories.0.resourceClass',
      'inventories.0.resourceClass is "a"; it must be a resource class: capital letters, digits and _',
    ],
    ['an unknown field', stats({ colour: 1 }), 'colour', 'colour is not a field of this version'],
    [
      'text with NUL',
      stats({ hostIp: '\u0000' }),
      'hostIp',
      'hostIp is "\\u0000"; it must be text without NUL and halves of surrogate pairs',
    ],
  ])
})

describe('parsing a delta', () => {
  bad(parseStatsDelta, [
    ['no base', {}, 'baseSequence', 'baseSequence is missing; it must be a number'],
    ['2^53 + 2', { baseSequence: 2 ** 53 + 2 }, 'baseSequence', 'baseSequence is 9007199254740994; it must be 9007199254740991 or less'],
    ['a field that only a full report has', { baseSequence: 1, vcpus: 4 }, 'vcpus', 'vcpus is not a field of this version'],
    ['a negative use', { baseSequence: 1, vcpusUsed: -1 }, 'vcpusUsed', 'vcpusUsed is -1; it must be 0 or more'],
  ])
})

describe('parsing a profile', () => {
  bad(parseProfile, [
    [
      'a capital letter in its name',
      profile({ name: 'Mine' }),
      'name',
      'name is "Mine"; it must be 1 to 63 lower-case letters, digits and dashes, and must not begin with a dash',
    ],
    [
      'a multiplier that is no number',
      profile({ weighers: [{ name: 'RAMWeigher', multiplier: Number.NaN }] }),
      'weighers.0.multiplier',
      'weighers.0.multiplier is NaN; it must be a number',
    ],
    [
      'an option of the wrong type',
      weigher('BestFitWeigher', { resources: [{ resourceClass: 5 }] }),
      'weighers.0.options',
      'weighers.0.options: resources.0.resourceClass is 5; it must be a string',
    ],
    [
      'an unknown option',
      weigher('BestFitWeigher', { colour: 1 }),
      'weighers.0.options',
      'weighers.0.options: colour is not a field of this version',
    ],
    [
      'options for a weigher that takes none',
      weigher('RAMWeigher', { colour: 1 }),
      'weighers.0.options',
      'weighers.0.options: colour is not a field of this version',
    ],
    [
      'options for a filter that takes none',
      profile({ filters: [{ name: 'RamFilter', options: { ratio: 2 } }] }),
      'filters.0.options',
      'filters.0.options: RamFilter takes no options; "ratio" must be left out',
    ],
    [
      'an unknown rule',
      profile({ assignment: { numa: { rule: 'best' } } }),
      'assignment.numa',
      'assignment.numa: the resource kind numa has no assignment rule best; it must be one of first, emptiest, tightest',
    ],
    [
      'a rule that every object inherits',
      profile({ assignment: { numa: { rule: 'constructor' } } }),
      'assignment.numa',
      'assignment.numa: the resource kind numa has no assignment rule constructor; it must be one of first, emptiest, tightest',
    ],
    [
      'options that are no JSON',
      weigher('BestFitWeigher', { f: () => 1 }),
      'weighers.0.options.f',
      'weighers.0.options.f is () => 1; it must be a JSON value',
    ],
    [
      'options that are nested too deep',
      weigher('BestFitWeigher', deep(100_000)),
      'weighers.0.options.a.a.a.a.a',
      'weighers.0.options.a.a.a.a.a is an object; it must be nested at most 64 deep',
    ],
  ])

  test.each([
    ['filter', profile({ filters: [{ name: 'NopeFilter' }] }), 'filters.0.name', 'RamFilter'],
    ['weigher', profile({ weighers: [{ name: 'NopeWeigher', multiplier: 1 }] }), 'weighers.0.name', 'RAMWeigher'],
    ['filter', profile({ filters: [{ name: '__proto__' }] }), 'filters.0.name', 'RamFilter'],
  ])('an unknown %s is refused with a list of the known names', (noun, input, path, known) => {
    const parsed = parseProfile(input)
    const problem = parsed.ok ? undefined : parsed.problems[0]
    expect(problem?.path.join('.')).toBe(path)
    expect(problem?.message).toContain(`there is no ${noun} `)
    expect(problem?.expected).toContain(known)
    expect(problem?.actual).toMatch(/Nope|__proto__/)
  })

  test.each(builtInProfiles.map((known) => [known.name, known] as const))('the release’s profile %s is valid', (_name, known) => {
    expect(parseProfile(known)).toEqual({ ok: true, value: known })
  })
})

test.each<[string, (wide: object) => object, string]>([
  ['extra specs', (extraSpecs) => ({ flavor: { vcpus: 1, memoryMb: 1, extraSpecs } }), 'flavor.extraSpecs'],
  [
    'a kind of instances',
    (extraSpecs) => ({ flavor: { vcpus: 1, memoryMb: 1 }, gang: [{ instances: 1, flavor: { vcpus: 1, memoryMb: 1, extraSpecs } }] }),
    'gang.0.flavor.extraSpecs',
  ],
  ['the request', (wide) => ({ ...wide, flavor: { vcpus: 1, memoryMb: 1 } }), ''],
])('%s with far too many keys has one problem, however many of the keys are wrong', (_name, requestWith, path) => {
  const result = parseRequestSpec(requestWith(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`trait:K${i}`, 'x']))))
  const problems = result.ok ? [] : result.problems
  expect(problems.map((problem) => [problem.code, problem.path.join('.'), problem.expected])).toEqual([
    ['spec.invalid', path, 'hold at most 256 keys'],
  ])
})
