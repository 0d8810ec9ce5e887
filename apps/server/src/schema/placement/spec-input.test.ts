import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { CURRENT_SPEC_VERSION, parseRequestSpec, specSchemas } from '@gantt/scheduler-core'
import { coerceInputValue, isInputObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { documentSize, sizeRule } from '../../services/calls/json-size.ts'
import type { Issue } from '../../services/calls/outcome.ts'
import { acceptedBytes } from '../../services/placement/accepted-requests.ts'
import { parseSpec } from '../../services/placement/placement.ts'
import { createSchema } from '../index.ts'
import { toRecord } from '../types/common.ts'
import { toSpecDocument, toSpecInput } from './request-spec.ts'

const flavor = { vcpus: 2, memoryMb: 1_024, extraSpecs: { 'trait:HW_CPU_X86_AVX2': 'required' } }
const pciRequests = [{ count: 1, specs: [{ vendor_id: '8086' }] }]
const requestedResources = [{ amounts: [{ resourceClass: 'CUSTOM_FPGA', amount: 1 }] }]

/** A request with every object, list and map of the newest version, except Nova's document. */
const full = {
  numInstances: 2,
  flavor,
  image: { properties: { img_hv_type: 'kvm' } },
  instanceGroup: { uuid: '00000000-0000-4000-8000-000000000001', policy: 'ANTI_AFFINITY', hosts: ['a'], apartFrom: [] },
  numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 1_024, pageSize: 2_048 }] },
  gpus: { count: 1, numaPolicy: 'preferred' },
  requestedResources,
  requestedDestination: { host: 'a' },
  schedulerHints: { different_host: ['b'] },
  pciRequests,
  gang: [{ instances: 1, flavor, pciRequests, requestedResources }],
  topologySpread: [{ topologyKey: 'zone', maxSkew: 1 }],
}

/** The paths of fields in a form for maps, for objects, and for lists of maps or objects. */
function nestedIn(form: z.core.$ZodType): string[] {
  if (form instanceof z.ZodPipe) return nestedIn(form.in)
  if (form instanceof z.ZodOptional || form instanceof z.ZodNullable || form instanceof z.ZodDefault) return nestedIn(form.unwrap())
  if (form instanceof z.ZodArray) return nestedIn(form.element)
  if (form instanceof z.ZodRecord) return ['']
  if (!(form instanceof z.ZodObject)) return []
  return [
    '',
    ...Object.entries(form.shape).flatMap(([name, field]) => nestedIn(field).map((path) => (path === '' ? name : `${name}.${path}`))),
  ]
}

/** True if a document has a value at a path. In lists, the first item is examined. */
function isFilled(document: unknown, path: string): boolean {
  const found = path.split('.').reduce<unknown>((at, key) => {
    const one = Array.isArray(at) ? at[0] : at
    return typeof one === 'object' && one !== null && key in one ? Reflect.get(one, key) : undefined
  }, document)
  return typeof found === 'object' && found !== null && Object.keys(found).length > 0
}

test('the input that is written for a request is accepted by the API and parsed as the same request', () => {
  const parsed = parseRequestSpec(full)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  const nested = nestedIn(specSchemas[CURRENT_SPEC_VERSION]).filter((path) => path !== '' && !path.startsWith('nova'))
  expect(nested.length).toBeGreaterThan(15)
  // `numaTopology` and `gpus` have the same types in a member of a gang as in the request, so the gang of `full` need not contain them
  const missing = nested.filter((path) => !/^gang\.(?:numaTopology|gpus)/.test(path) && !isFilled(parsed.value, path))
  expect(missing).toEqual([])
  const type = createSchema().getType('SpecInput')
  if (!isInputObjectType(type)) throw new Error('SpecInput is not an input type')
  const errors: string[] = []
  const given: unknown = coerceInputValue(toSpecInput(parsed.value), type, (path, _value, { message }) =>
    errors.push(`${path.join('.')}: ${message}`),
  )
  expect(errors).toEqual([])
  // the input is converted back and must be parsed as the same request
  const { document } = toSpecDocument(given as Parameters<typeof toSpecDocument>[0], [])
  expect(parseRequestSpec(document)).toEqual(parsed)
})

/** A value whose keys are counted when they are listed. */
function countedKeys(value: object) {
  const work = { listed: 0 }
  const counted = new Proxy(value, {
    ownKeys(target) {
      work.listed++
      return Reflect.ownKeys(target)
    },
  })
  return { counted, work }
}

const many = Object.fromEntries(Array.from({ length: documentSize.values + 1 }, (_, i) => [`k${i}`, 0]))

test.each<['gantt' | 'nova' | 'legacy', object]>([
  ['gantt', { ...many, flavor }],
  ['nova', { ...many, spec: {} }],
  ['legacy', { ...many, request_spec: {} }],
])('a request in the form %s with too many values is refused by its size, and is not read', (form, given) => {
  const { counted, work } = countedKeys(given)
  const { document, issues } = toSpecDocument({ [form]: counted }, ['spec'])
  expect(document).toBeUndefined()
  expect(issues).toMatchObject([{ code: 'call.too_large', path: ['spec', form] }])
  expect(issues[0]?.message).toContain(`at most ${documentSize.values} values`)
  expect(work.listed).toBe(1)
})

test('the largest realistic requests are less than a third of the limits', () => {
  const uuids = Array.from({ length: 1_000 }, (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`)
  const cpus = Array.from({ length: 256 }, (_, i) => i)
  const cells = Array.from({ length: 8 }, (_, id) => ({ id, cpus, dedicatedCpus: cpus, memoryMb: 1_024 }))
  const gantt = { ...full, instanceUuids: uuids, numaTopology: { cells } }
  expect(sizeRule(gantt, { characters: documentSize.characters / 3, values: documentSize.values / 3 })).toBeUndefined()
})

test('of the keys that a map repeats, at most 100 are listed as problems', () => {
  const issues: Issue[] = []
  const pairs = Array.from({ length: 1_000 }, () => ({ key: 'a', value: 'b' }))
  expect(toRecord(pairs, ['spec'], issues)).toEqual({ a: 'b' })
  expect(issues).toHaveLength(100)
})

const uuidOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`

/** A request in the form of the API for these instances. `marker` makes its text unlike that of other tests. */
const asSent = (marker: string, instanceUuids: readonly string[], rest: object = {}) =>
  ({ gantt: { flavor: { vcpus: 1, memoryMb: 1_024 }, projectId: marker, instanceUuids, ...rest } }) as unknown as Parameters<
    typeof toSpecDocument
  >[0]

test('a request that differs from an accepted one only in its instances is not parsed again, and is the same request', () => {
  const first = toSpecDocument(asSent('repeated', [uuidOf(1), uuidOf(2)]), ['spec'])
  expect(first.accepted).toBeUndefined()
  const before = parseSpec(first)
  const again = toSpecDocument(asSent('repeated', [uuidOf(3), uuidOf(4)]), ['spec'])
  expect(again.document).toBeUndefined()
  const { accepted } = again
  expect(accepted?.instanceUuids).toEqual([uuidOf(3), uuidOf(4)])
  const parsed = parseRequestSpec({
    flavor: { vcpus: 1, memoryMb: 1_024 },
    projectId: 'repeated',
    instanceUuids: [uuidOf(3), uuidOf(4)],
  })
  expect(parseSpec(again)).toStrictEqual({ value: parsed.ok ? parsed.value : undefined })
  expect('value' in before && before.value.flavor).toBe(accepted?.flavor)
})

test.each<[string, Parameters<typeof toSpecDocument>[0]]>([
  ['another count of instances', asSent('unlike', [uuidOf(1), uuidOf(2)])],
  ['no instances', asSent('unlike', [])],
  ['another flavor', asSent('unlike', [uuidOf(3)], { flavor: { vcpus: 2, memoryMb: 1_024 } })],
  ['another field', asSent('unlike', [uuidOf(3)], { isBfv: true })],
  ['a UUID in capital letters', asSent('unlike', ['00000000-0000-4000-8000-0000000000AB'])],
  ['a text that is no UUID', asSent('unlike', ['instance-1'])],
  ['an instance that is named twice', asSent('unlike', [uuidOf(3), uuidOf(3)])],
])('a request that differs from an accepted one in %s is parsed', (_name, sent) => {
  parseSpec(toSpecDocument(asSent('unlike', [uuidOf(1)]), ['spec']))
  expect(toSpecDocument(asSent('unlike', [uuidOf(9)]), ['spec']).accepted).toBeDefined()
  const read = toSpecDocument(sent, ['spec'])
  expect(read.accepted).toBeUndefined()
  expect(read.document).toBeDefined()
})

test.each<[string, object]>([
  ['a form', { flavor: { vcpus: -1, memoryMb: 1_024 } }],
  ['a rule of requests', { schedulerHints: [{ key: 'query', values: ['['.repeat(20)] }] }],
])('a request that breaks %s is refused each time with the same issues', (_name, wrong) => {
  const [first, second] = [1, 2].map((index) => parseSpec(toSpecDocument(asSent('wrong', [uuidOf(index)], wrong), ['spec'])))
  expect(first).toMatchObject({ type: 'invalid' })
  expect(second).toStrictEqual(first)
})

test('a request whose rules were not checked, because its call is repeated, is not accepted', () => {
  const rest = { schedulerHints: [{ key: 'query', values: ['['.repeat(20)] }] }
  expect(parseSpec(toSpecDocument(asSent('kept', [uuidOf(1)], rest), ['spec']), true)).toHaveProperty('value')
  expect(parseSpec(toSpecDocument(asSent('kept', [uuidOf(2)], rest), ['spec']))).toMatchObject({ type: 'invalid' })
})

test('endless different requests stay within the memory for accepted requests, which counts at least what each needs', () => {
  for (let memoryMb = 1; memoryMb <= 10_000; memoryMb++)
    parseSpec(toSpecDocument(asSent('endless', [uuidOf(1)], { flavor: { vcpus: 1, memoryMb } }), ['spec']))
  expect(acceptedBytes()).toBeGreaterThan(8 * 1024 * 1024)
  expect(acceptedBytes()).toBeLessThanOrEqual(16 * 1024 * 1024)
  // the first of them is no longer kept, and the last one is
  expect(toSpecDocument(asSent('endless', [uuidOf(2)], { flavor: { vcpus: 1, memoryMb: 1 } }), ['spec']).accepted).toBeUndefined()
  expect(toSpecDocument(asSent('endless', [uuidOf(2)], { flavor: { vcpus: 1, memoryMb: 10_000 } }), ['spec']).accepted).toBeDefined()
})

test('an accepted request does not keep the text of the document from which its texts were cut', () => {
  const collect = collector()
  const before = collect()
  for (let index = 0; index < 100; index++) {
    // a text that is cut from a longer one shares its memory
    const document = `"a long enough name ${index}"`.padEnd(1_000_000, ' ')
    const name = document.slice(1, document.indexOf('"', 1))
    parseSpec(toSpecDocument(asSent('cut', [uuidOf(1)], { flavor: { name, vcpus: 1, memoryMb: 1_024 } }), ['spec']))
  }
  expect(collect() - before).toBeLessThan(20_000_000)
})

/** Returns a function that collects garbage, and returns the bytes in use. */
function collector(): () => number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  return () => {
    collect()
    return process.memoryUsage().heapUsed
  }
}

test('a request with a text that is not in the key of an accepted one is never taken for it', () => {
  // the texts of a request cannot end the text of another field
  parseSpec(toSpecDocument(asSent('a","userId":"b', [uuidOf(1)]), ['spec']))
  expect(toSpecDocument(asSent('a', [uuidOf(2)], { userId: 'b' }), ['spec']).accepted).toBeUndefined()
})
