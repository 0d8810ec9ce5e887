import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editKinds, editsOf, isWhole, NO_DRAFT, withEdit } from './edits.ts'
import { placedOn, utilisationRows } from './outcome-rows.ts'
import { EMPTY, fieldsOf, fromSimulateInput, fromSpecInput, type Overlay, toSpecInput, withFields, withoutDefaults } from './scenario.ts'
import { readSimulateSearch, scenarioOf, searchOf } from './search.ts'

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
  test('is the same after the form showed it', () => {
    fc.assert(
      fc.property(request, (one) => {
        expect(withFields(one, fieldsOf(one))).toEqual(one)
      }),
    )
  })

  test('is the same after a trip to the API’s form and back', () => {
    fc.assert(
      fc.property(
        request.filter(({ image }) => image === undefined || Object.keys(image).length > 0),
        (one) => {
          expect(fromSpecInput(toSpecInput(one))).toEqual(one)
        },
      ),
    )
  })

  test('of a decision says only what is not so by default', () => {
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

  test('that Nova wrote goes as Nova wrote it', () => {
    const document = { nova_object: 1 }
    expect(toSpecInput({ nova: { form: 'RequestSpec', document }, flavor: {} })).toEqual({ nova: document })
    expect(toSpecInput({ nova: { form: 'legacy', document }, flavor: {} })).toEqual({ legacy: document })
  })
})

describe('a scenario', () => {
  test('stands in the address whole', () => {
    const overlay = { removeHosts: ['h1'], addHosts: [{ likeHost: 'h2', count: 3 }] }
    fc.assert(
      fc.property(request, fc.integer({ min: 1, max: 9_999 }), fc.option(word, { nil: undefined }), (one, count, profile) => {
        const scenario = { ...EMPTY, request: one, count, profile, overlay, at: '17', profileChanges: { hostSubsetSize: 2 } }
        expect(scenarioOf(readSimulateSearch({ ...searchOf(scenario) }), undefined)).toEqual({ scenario, problem: undefined })
      }),
    )
  })

  test('is read out of what an answer carries', () => {
    const found = fromSimulateInput({
      requests: [{ spec: { gantt: { flavor: { vcpus: 1, memoryMb: 2 } } } }],
      overlay: { removeHosts: ['h'] },
      at: 5,
    })
    expect(found).toEqual({ ...EMPTY, request: { flavor: { vcpus: 1, memoryMb: 2 } }, overlay: { removeHosts: ['h'] }, at: '5' })
  })

  test.each([
    ['a broken request', { request: '{' }, /a request that cannot be read/],
    ['a list as overlay', { request: '{}', overlay: '[]' }, /overlay that cannot be read. It is a list/],
    ['an input without a request', { input: '{}' }, /It has no request/],
  ])('with %s is told', (_name, search, told) => {
    expect(scenarioOf(search, undefined).problem).toMatch(told)
  })
})

describe('an overlay', () => {
  const draft = { ...NO_DRAFT, names: ['a', 'b'], aggregate: 'ssd', metadata: ['k=v', 'gone'], ratio: 2 }

  test('has an edit more for each that is written, and can be taken back one by one', () => {
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

test('hosts are counted, and zones set beside what they were', () => {
  const to = (...hosts: string[]) => ({ destinations: hosts.map((hostName) => ({ hostName, node: hostName })) })
  expect(placedOn([to('a'), to('b', 'b')])).toEqual([
    { host: 'b', count: 2 },
    { host: 'a', count: 1 },
  ])
  const zone = (used: number) => [{ key: 'z', usage: [{ resourceClass: 'VCPU', capacity: 8, used }] }]
  expect(utilisationRows(zone(2), zone(4))).toEqual([{ zone: 'z', resourceClass: 'VCPU', capacity: 8, before: 2, after: 4 }])
})
