import { parseRequestSpec } from '@gantt/scheduler-core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scenariosOf, searchOf } from './address.ts'
import { editKinds, editsOf, isWhole, NO_DRAFT, withEdit } from './editor/edits.ts'
import { placedOn, utilisationRows } from './results/outcome-rows.ts'
import {
  EMPTY,
  fieldsOf,
  fromSimulateInput,
  fromSpecInput,
  type Overlay,
  type RequestDocument,
  type Scenario,
  toSpecInput,
  withFields,
  withoutDefaults,
} from './scenario.ts'
import { changedAt, namesOf, swapped, toName, withCopy, without } from './scenarios.ts'
import { readSimulateSearch } from './search.ts'

const word = fc.stringMatching(/^[a-z][a-z0-9_.:-]{0,11}$/)
const map = fc.dictionary(word, word, { minKeys: 1, maxKeys: 3, noNullPrototype: true })
const request = fc.record(
  {
    flavor: fc.record(
      { vcpus: fc.nat(64), memoryMb: fc.nat(65_536), rootGb: fc.integer({ min: 1, max: 500 }), name: word, extraSpecs: map },
      { requiredKeys: ['vcpus', 'memoryMb'], noNullPrototype: true },
    ),
    availabilityZone: word,
    projectId: word,
    numInstances: fc.integer({ min: 2, max: 9 }),
    image: fc.record({ architecture: word, properties: map }, { noNullPrototype: true }),
    schedulerHints: fc.dictionary(word, fc.array(word, { minLength: 1, maxLength: 2 }), { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
    pciRequests: fc.array(
      fc.record({ count: fc.integer({ min: 1, max: 4 }), specs: fc.array(map, { minLength: 1, maxLength: 2 }) }, { noNullPrototype: true }),
      {
        minLength: 1,
        maxLength: 2,
      },
    ),
  },
  { requiredKeys: ['flavor'], noNullPrototype: true },
)

describe('a request', () => {
  test('writing the fields of the form into the request that they were read from does not change the request', () => {
    fc.assert(
      fc.property(request, (one) => {
        expect(withFields(one, fieldsOf(one))).toEqual(one)
      }),
    )
  })

  test('a request is the same after it was converted to the API’s form and back', () => {
    fc.assert(
      fc.property(
        request.filter(({ image }) => image === undefined || Object.keys(image).length > 0),
        (one) => {
          expect(fromSpecInput(toSpecInput(one))).toEqual(one)
        },
      ),
    )
  })

  test('the request of a decision contains only fields that differ from their defaults', () => {
    expect(
      withoutDefaults({
        version: '1.1',
        instanceUuids: ['a', 'b'],
        projectId: null,
        isBfv: false,
        forceVerify: 'ALL',
        ignoreHosts: [],
        flavor: { name: 'm1', vcpus: 0, memoryMb: 512, rootGb: 0, swapMb: 0, extraSpecs: {} },
      }),
    ).toEqual({ flavor: { name: 'm1', vcpus: 0, memoryMb: 512 }, numInstances: 2 })
  })

  test('a request with every default of the newest version contains no field', () => {
    const asked = { flavor: { vcpus: 2, memoryMb: 512 } }
    const parsed = parseRequestSpec(asked)
    expect(parsed.ok && withoutDefaults(parsed.value as RequestDocument)).toEqual(asked)
  })

  test.each([
    ['a hint without values', { schedulerHints: { different_host: [] } }],
    ['traits without amounts', { requestedResources: [{ amounts: [], requiredTraits: ['A'] }] }],
    ['a device without properties', { pciRequests: [{ count: 1, specs: [{}] }] }],
    ['an image without conditions', { image: {} }],
    ['a destination without conditions', { requestedDestination: {} }],
    ['names of the form that are keys of a map', { image: { properties: { rootGb: '0', specs: '' } } }],
  ])('the request of a decision keeps %s, even after an edit of the form', (_name, part) => {
    const parsed = parseRequestSpec({ flavor: { vcpus: 2, memoryMb: 512 }, ...part })
    const shortened = parsed.ok ? withoutDefaults(parsed.value as RequestDocument) : {}
    expect(parseRequestSpec(shortened)).toEqual(parsed)
    const edited = withFields(shortened, { ...fieldsOf(shortened), vcpus: 3 })
    expect(withFields(edited, fieldsOf(shortened))).toEqual(shortened)
    expect(fromSpecInput(toSpecInput(shortened))).toEqual(shortened)
  })

  test('a request of Nova is sent as Nova wrote it', () => {
    const document = { nova_object: 1 }
    expect(toSpecInput({ nova: { form: 'RequestSpec', document }, flavor: {} })).toEqual({ nova: document })
    expect(toSpecInput({ nova: { form: 'legacy', document }, flavor: {} })).toEqual({ legacy: document })
  })
})

describe('a scenario', () => {
  const scenario: fc.Arbitrary<Scenario> = fc.record({
    name: fc.option(word, { nil: undefined }),
    request,
    count: fc.integer({ min: 1, max: 9_999 }),
    profile: fc.option(word, { nil: undefined }),
    overlay: fc.constantFrom<Overlay>({}, { removeHosts: ['h1'], addHosts: [{ likeHost: 'h2', count: 3 }] }),
    profileChanges: fc.constantFrom(undefined, { hostSubsetSize: 2 }),
    at: fc.constantFrom(undefined, '17', '2026-11-21T08:00:00Z'),
  })
  const throughAddress = (scenarios: readonly Scenario[]) =>
    scenariosOf(readSimulateSearch(JSON.parse(JSON.stringify(searchOf(scenarios)))), undefined)

  test('the URL contains the first and all further scenarios completely', () => {
    fc.assert(
      fc.property(fc.array(scenario, { minLength: 1, maxLength: 3 }), (scenarios) => {
        expect(throughAddress(scenarios)).toEqual({ scenarios, problem: undefined })
      }),
    )
  })

  test('a further scenario has only its differences in the URL', () => {
    const first = { ...EMPTY, at: '17' }
    const { beside, ...flat } = searchOf([first, { ...first, count: 3 }, { ...first, at: undefined, name: 'now' }])
    expect(flat).toEqual(searchOf([first]))
    expect(JSON.parse(beside ?? '')).toEqual([{ count: 3 }, { name: 'now', at: 'now' }])
  })

  test('the scenario of an old link, which can have only one scenario, is the only scenario', () => {
    const search = { request: JSON.stringify(EMPTY.request), count: '4', profile: 'p@2', at: '9' }
    expect(scenariosOf(readSimulateSearch(search), undefined).scenarios).toEqual([{ ...EMPTY, count: 4, profile: 'p@2', at: '9' }])
  })

  test('the first and all further scenarios use the request of the decision in the URL', () => {
    const asked = { flavor: { vcpus: 7 } }
    const { scenarios } = scenariosOf({ decision: 'd', beside: '[{"count":2}]' }, asked)
    expect(scenarios.map((one) => one.request)).toEqual([asked, asked])
    expect(scenariosOf({ decision: 'd', beside: '[{"count":2}]' }, undefined)).toEqual({ scenarios: [], problem: undefined })
  })

  test('a scenario is read from the scenario in an answer', () => {
    const found = fromSimulateInput({
      requests: [{ spec: { gantt: { flavor: { vcpus: 1, memoryMb: 2 } } } }],
      overlay: { removeHosts: ['h'] },
      at: 5,
    })
    expect(found).toEqual({ ...EMPTY, request: { flavor: { vcpus: 1, memoryMb: 2 } }, overlay: { removeHosts: ['h'] }, at: '5' })
  })

  test.each([
    ['a broken request', { request: '{' }, /a request that cannot be read/],
    ['a list as overlay', { request: '{}', overlay: '[]' }, /overlay that cannot be read. The text is a list/],
    ['an input without a request', { input: '{}' }, /The input has no request/],
    ['a name that is too long', { name: 'n'.repeat(61) }, /name of 61 characters; it may have 60/],
    ['further scenarios that are not a list', { request: '{}', beside: '{}' }, /They are object; they must be a list/],
    ['further scenarios that are not JSON', { request: '{}', beside: '[' }, /further scenarios that cannot be read/],
    ['too many further scenarios', { request: '{}', beside: '[{},{},{}]' }, /3 further scenarios; it may have 2/],
    [
      'a further scenario that is not an object',
      { request: '{}', beside: '[{},7]' },
      /Scenario 3 of the address is 7; it must be an object/,
    ],
    [
      'a count of 0 in a further scenario',
      { request: '{}', beside: '[{"count":0}]' },
      /Scenario 2 of the address has the count 0; .* 1 to 9999/,
    ],
    [
      'a list as the overlay of a further scenario',
      { request: '{}', beside: '[{"overlay":[]}]' },
      /has the overlay \[\]; it must be an object/,
    ],
    ['a number as the profile of a further scenario', { request: '{}', beside: '[{"profile":3}]' }, /has the profile 3; it must be a text/],
  ])('is not read from a URL with %s, and the problem is returned', (_name, search, problem) => {
    expect(scenariosOf(search, undefined)).toEqual({ scenarios: [], problem: expect.stringMatching(problem) })
  })
})

describe('scenarios next to each other', () => {
  const named = (...names: (string | undefined)[]): readonly Scenario[] => names.map((name) => ({ ...EMPTY, name }))

  test('scenarios are labelled by their names or, without a name, by their position', () => {
    expect(namesOf(named(undefined, 'b', undefined))).toEqual(['Scenario 1', 'b', 'Scenario 3'])
  })

  test('scenarios are copied without the name, removed, swapped and changed one by one', () => {
    expect(withCopy(named('a', 'b'), 0).map(({ name }) => name)).toEqual(['a', undefined, 'b'])
    expect(without(named('a', 'b', 'c'), 1).map(({ name }) => name)).toEqual(['a', 'c'])
    expect(swapped(named('a', 'b', 'c'), 0, 1).map(({ name }) => name)).toEqual(['b', 'a', 'c'])
    expect(changedAt(named('a', 'b'), 1, { count: 3 }).map(({ count }) => count)).toEqual([1, 3])
  })

  test('there are at least one and at most three scenarios', () => {
    expect(withCopy(named('a', 'b', 'c'), 0)).toHaveLength(3)
    expect(without(named('a'), 0)).toHaveLength(1)
    expect(swapped(named('a', 'b'), 1, 2).map(({ name }) => name)).toEqual(['a', 'b'])
  })

  test.each([
    ['  a  ', 'a'],
    ['   ', undefined],
    ['n'.repeat(70), 'n'.repeat(60)],
  ])('the text %j becomes the name %j', (text, name) => expect(toName(text)).toBe(name))
})

describe('an overlay', () => {
  const draft = { ...NO_DRAFT, names: ['a', 'b'], aggregate: 'ssd', metadata: ['k=v', 'gone'], ratio: 2 }

  test('each added edit is in the overlay, and edits can be removed one by one', () => {
    let overlay: Overlay = {}
    for (const kind of editKinds) {
      expect(isWhole({ ...draft, kind })).toBe(true)
      expect(isWhole({ ...NO_DRAFT, kind, ratio: 0 })).toBe(false)
      overlay = withEdit(overlay, { ...draft, kind })
    }
    expect(editsOf(overlay).map(({ text }) => text)).toEqual([
      'add 1 like a',
      'add 1 like b',
      'remove a',
      'remove b',
      'drain a',
      'drain b',
      'disable a',
      'disable b',
      'enable a',
      'enable b',
      'aggregate ssd: k=v, no gone',
      'MEMORY_MB ratio 2 on ssd',
      'release claim a',
      'release claim b',
    ])
    while (editsOf(overlay).length > 0) {
      const [first, ...others] = editsOf(overlay)
      overlay = first?.without ?? {}
      expect(editsOf(overlay).map(({ text }) => text)).toEqual(others.map(({ text }) => text))
    }
    expect(overlay).toEqual({})
  })
})

test('the chosen hosts are counted, and the usage of zones is compared with their usage before the simulation', () => {
  const to = (...hosts: string[]) => ({ destinations: hosts.map((hostName) => ({ hostName, node: hostName, hasOtherNodes: false })) })
  expect(placedOn([to('a'), to('b', 'b')])).toEqual([
    { host: 'b', count: 2 },
    { host: 'a', count: 1 },
  ])
  const zone = (used: number) => [{ key: 'z', usage: [{ resourceClass: 'VCPU', capacity: 8, used }] }]
  expect(utilisationRows(zone(2), zone(4))).toEqual([{ zone: 'z', resourceClass: 'VCPU', capacity: 8, before: 2, after: 4 }])
})
