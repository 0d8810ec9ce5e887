import { parseRequestSpec, type RequestSpec } from '@gantt/scheduler-core'
import { importLegacyRequest, importNovaRequest } from '@gantt/scheduler-core/nova'
import { MantineProvider } from '@mantine/core'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { RequestForm } from './editor/request-form.tsx'
import { fieldsOf, fromSpecInput, type RequestDocument, type RequestFields, toSpecInput, withFields, withoutDefaults } from './scenario.ts'

const UUIDS = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']

const object = (name: string, version: string, data: RequestDocument) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})

const flavor = { name: 'm1', vcpus: 2, memory_mb: 2_048, root_gb: 10, ephemeral_gb: 0, swap: 0, extra_specs: { quota: 'x' } }

/** A request with values that are null or empty, which Nova's rules distinguish from unset ones. */
const requestSpec = object('RequestSpec', '1.14', {
  flavor: object('Flavor', '1.2', flavor),
  image: object('ImageMeta', '1.8', { id: null, properties: object('ImageMetaProps', '1.34', {}) }),
  instance_group: object('InstanceGroup', '1.11', { uuid: UUIDS[0], policy: 'anti-affinity', policies: [], members: [], hosts: [] }),
  numa_topology: object('InstanceNUMATopology', '1.3', {
    cells: [
      object('InstanceNUMACell', '1.5', { id: 0, cpuset: [], pcpuset: [0, 1], memory: 2_048, pagesize: null, cpu_policy: 'dedicated' }),
    ],
    emulator_threads_policy: null,
  }),
  pci_requests: object('InstancePCIRequests', '1.1', { requests: [] }),
  requested_destination: object('Destination', '1.4', { host: null, node: null }),
  scheduler_hints: {},
  num_instances: 1,
  project_id: 'p',
  availability_zone: 'z1',
  ignore_hosts: null,
})

const legacy = {
  request_spec: {
    image: {},
    instance_type: flavor,
    instance_properties: { uuid: UUIDS[0], project_id: 'p', availability_zone: 'z1', numa_topology: null },
    num_instances: 1,
  },
  filter_properties: { scheduler_hints: {}, group_updated: true, group_policies: ['affinity'], group_uuid: UUIDS[1], group_hosts: [] },
}

/** Reads a request as the service reads what the console sends. */
function received(sent: RequestDocument): RequestSpec {
  const imported = sent.legacy === undefined ? importNovaRequest(sent.nova) : importLegacyRequest(sent.legacy)
  const parsed = imported.ok ? parseRequestSpec(imported.document) : undefined
  if (parsed?.ok !== true) throw new Error(`the service refuses ${JSON.stringify(imported.ok ? parsed : imported.problems)}`)
  return parsed.value
}

const forms: readonly (readonly [string, RequestDocument])[] = [
  ['RequestSpec', { nova: requestSpec }],
  ['RequestSpec with uuids', { nova: { spec: requestSpec, instance_uuids: UUIDS } }],
  ['the older dictionaries', { legacy }],
  ['the older dictionaries with the flavor in filter_properties', { legacy: withFlavorOfFilters() }],
]

function withFlavorOfFilters() {
  const { instance_type, ...request_spec } = legacy.request_spec
  return { request_spec, filter_properties: { ...legacy.filter_properties, instance_type } }
}

/** The document of a decision about a request. The API returns it. */
const decided = (sent: RequestDocument, changed: RequestDocument = {}): RequestDocument =>
  JSON.parse(JSON.stringify({ ...received(sent), ...changed }))

describe.each(forms)('a request in the form %s', (_form, sent) => {
  test('is sent again without any change if a decision recorded it', () => {
    expect(toSpecInput(withoutDefaults(decided(sent)))).toStrictEqual(sent)
  })

  test('is sent without any change if an answer of the service proposes it', () => {
    const proposed = fromSpecInput(sent)
    expect(proposed && toSpecInput(proposed)).toStrictEqual(sent)
  })

  const request = withoutDefaults(decided(sent))
  const fields = fieldsOf(request)
  const edits: readonly (readonly [keyof RequestFields, string | number, (spec: RequestSpec) => RequestSpec])[] = [
    ['vcpus', 9, (spec) => ({ ...spec, flavor: { ...spec.flavor, vcpus: 9 } })],
    ['memoryMb', 999, (spec) => ({ ...spec, flavor: { ...spec.flavor, memoryMb: 999 } })],
    ['rootGb', 0, (spec) => ({ ...spec, flavor: { ...spec.flavor, rootGb: 0 } })],
    ['flavor', 'm9', (spec) => ({ ...spec, flavor: { ...spec.flavor, name: 'm9' } })],
    ['flavor', '', (spec) => ({ ...spec, flavor: { ...spec.flavor, name: null } })],
    ['extraSpecs', 'quota=x\ntrait:A=required', (spec) => ({ ...spec, flavor: { ...spec.flavor, extraSpecs: traits } })],
    ['extraSpecs', '', (spec) => ({ ...spec, flavor: { ...spec.flavor, extraSpecs: {} } })],
    ['zone', 'z9', (spec) => ({ ...spec, availabilityZone: 'z9' })],
    ['zone', '', (spec) => ({ ...spec, availabilityZone: null })],
    ['projectId', 'q', (spec) => ({ ...spec, projectId: 'q' })],
    ['projectId', '', (spec) => ({ ...spec, projectId: null })],
  ]
  const traits = { quota: 'x', 'trait:A': 'required' }

  test('shows the values of its document in the form', () => {
    expect(fields).toEqual({ flavor: 'm1', vcpus: 2, memoryMb: 2_048, rootGb: 10, zone: 'z1', projectId: 'p', extraSpecs: 'quota=x' })
  })

  test.each(edits)('has an edit of the field %s to %j in what is sent, and nothing else changes', (name, value, expected) => {
    const edited = withFields(request, { ...fields, [name]: value })
    expect(fieldsOf(edited)).toEqual({ ...fields, [name]: value })
    const [before, after] = [received(sent), received(toSpecInput(edited))]
    expect({ ...after, nova: null }).toEqual({ ...expected(before), nova: null })
    expect(toSpecInput(withFields(edited, fields))).toEqual(sent)
  })
})

test('extra specs that were not edited keep their types and spaces', () => {
  const request = { nova: { form: 'legacy', document: { request_spec: { instance_type: { extra_specs: { a: 1, b: ' x ', c: null } } } } } }
  const edited = withFields(request, { ...fieldsOf(request), extraSpecs: `${fieldsOf(request).extraSpecs}\nd=2` })
  expect(toSpecInput(edited)).toEqual({
    legacy: { request_spec: { instance_type: { extra_specs: { a: 1, b: ' x ', c: null, d: '2' } } } },
  })
})

test.each(forms)('hosts that differ from the document are sent in it: %s', (_form, sent) => {
  const moved = { ignoreHosts: ['a'], forceHosts: [], forceNodes: ['n'] }
  const again = received(toSpecInput(withoutDefaults(decided(sent, moved))))
  expect(again).toMatchObject(moved)
})

test('the destination that a move requested is sent in the document, and that of an earlier move is not', () => {
  const to = (host: string | null) => decided({ nova: requestSpec }, { requestedDestination: host && { host, node: null } })
  const there = toSpecInput(withoutDefaults(to('b')))
  expect(received(there).requestedDestination?.host).toBe('b')
  const again = received(toSpecInput(withoutDefaults(decided(there, { requestedDestination: null }))))
  expect(again.requestedDestination?.host).toBe(null)
})

test('the form shows the values of a document in Nova’s form, and says where they are written', () => {
  const form = createElement(RequestForm, {
    request: withoutDefaults(decided({ nova: requestSpec })),
    ...{ view: 'form', from: null, onView: () => {}, onChange: () => {}, onInvalid: () => {} },
  })
  const html = renderToStaticMarkup(createElement(MantineProvider, {}, form))
  expect(html).toMatch(/value="2048"/)
  expect(html.replaceAll('&#x27;', "'")).toMatch(
    /The request has Nova's form \(.*RequestSpec.*\)\. These fields are\s+written into Nova's document/,
  )
})
