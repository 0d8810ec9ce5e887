import { expect, test } from 'vitest'
import { ignoredFields, unreadKeys } from '../../pipeline/unread.ts'
import { builtInProfiles, builtInProfilesAt } from '../../profiles/built-in.ts'
import { parseRequestSpec } from '../../request/parse.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { aLog, aRequest, aUuid } from '../../testing/index.ts'
import { GROUP_HOSTS } from '../../values/levels.ts'
import type { Imported } from '../import/import.ts'
import { importLegacyRequest, importNovaRequest } from '../import/request.ts'
import { wireObject } from '../testing/builders.ts'

function readFrom(imported: Imported): RequestSpec {
  const parsed = imported.ok ? parseRequestSpec(imported.document) : imported
  if (!('value' in parsed)) throw new Error(JSON.stringify(parsed))
  return parsed.value
}

const converted = [
  ...['ephemeral_encryption', 'ephemeral_encryption_format', 'maxphysaddr_bits', 'maxphysaddr_mode', 'mem_encryption'],
  ...['mem_encryption_model', 'pmem', 'sound_model', 'tpm_model', 'tpm_secret_security', 'tpm_version', 'virtio_packed_ring'],
]
const extra_specs = Object.fromEntries(converted.map((name) => [`hw:${name}`, 'x']))
const flavor = { name: 'm1', vcpus: 1, memory_mb: 64, root_gb: 0, ephemeral_gb: 0, swap: 0, extra_specs }
const properties = {
  ...{ hw_ephemeral_encryption: true, hw_ephemeral_encryption_format: 'luks', hw_firmware_type: 'uefi', hw_mem_encryption: true },
  ...{ hw_tpm_model: 'tpm-crb', hw_tpm_version: '2.0' },
}
const paths = (flavorAt: string, imageAt: string): readonly string[] => [
  ...converted.map((name) => `${flavorAt}.extra_specs.hw:${name}`),
  ...Object.keys(properties).map((name) => `${imageAt}.properties.${name}`),
]

test.each<[string, Imported, readonly string[]]>([
  [
    "Nova's object",
    importNovaRequest(
      wireObject('RequestSpec', '1.14', {
        ...{ num_instances: 1, flavor: wireObject('Flavor', '1.2', flavor) },
        image: wireObject('ImageMeta', '1.8', { properties: wireObject('ImageMetaProps', '1.34', properties) }),
      }),
    ),
    paths('spec.flavor', 'spec.image'),
  ],
  [
    'the dictionaries',
    importLegacyRequest({
      request_spec: { num_instances: 1, instance_type: flavor, instance_properties: {}, image: { properties } },
      filter_properties: {},
    }),
    paths('request_spec.instance_type', 'request_spec.image'),
  ],
])("in %s, keys that Nova's scheduler converts to traits and resource classes are unread", (_form, imported, expected) => {
  const { fleet } = aLog()
  for (const name of ['nova-compat', 'default']) {
    const profile = builtInProfiles.find((one) => one.name === name)
    if (profile === undefined) throw new Error(`there is no profile ${name}`)
    expect([...unreadKeys(readFrom(imported), profile, fleet)].sort()).toEqual([...expected].sort())
  }
})

const volume_id = '10000000-0000-4000-8000-000000000001'
const blank = { source_type: 'blank', volume_id: null }

test.each<[string, object, readonly string[]]>([
  [
    'the volumes of the call',
    { block_device_mapping: [blank, { volume_id, device_name: 'vda' }] },
    ['request_spec.block_device_mapping.1.volume_id'],
  ],
  [
    'the volumes of a list of objects',
    {
      block_device_mapping: wireObject('BlockDeviceMappingList', '1.8', {
        objects: [wireObject('BlockDeviceMapping', '1.6', { volume_id })],
      }),
    },
    ['request_spec.block_device_mapping.0.volume_id'],
  ],
  [
    'the volumes of the instance',
    { instance_properties: { block_device_mapping: [{ volume_id }] } },
    ['request_spec.instance_properties.block_device_mapping.0.volume_id'],
  ],
  ['devices without a volume: none', { block_device_mapping: [blank] }, []],
  ['an empty list: none', { block_device_mapping: [] }, []],
  ['null: none', { block_device_mapping: null }, []],
])('in the dictionaries, volumes have no effect, and are listed: %s', (_what, more, expected) => {
  const request_spec = { num_instances: 1, instance_type: { ...flavor, extra_specs: {} }, instance_properties: {}, ...more }
  const request = readFrom(importLegacyRequest({ request_spec, filter_properties: {} }))
  const { fleet } = aLog()
  for (const profile of builtInProfiles) expect(ignoredFields(request, profile, fleet), profile.name).toEqual(expected)
})

const grouped = (group: object): Imported =>
  importNovaRequest(
    wireObject('RequestSpec', '1.14', {
      ...{ num_instances: 1, flavor: wireObject('Flavor', '1.2', { ...flavor, extra_specs: {} }) },
      instance_group: wireObject('InstanceGroup', '1.11', { uuid: aUuid(7), hosts: [], members: [], ...group }),
    }),
  )
const dictionaries = (more: object): Imported =>
  importLegacyRequest({
    request_spec: { num_instances: 1, instance_type: { ...flavor, extra_specs: {} }, instance_properties: {} },
    filter_properties: { group_updated: true, group_uuid: aUuid(7), group_policies: ['anti-affinity'], group_hosts: [], ...more },
  })
const MEMBERS = 'spec.instance_group.members'
const MOST = 'spec.instance_group._rules.max_server_per_host'

test.each<[string, Imported, readonly string[], readonly string[]]>([
  ['members of an anti-affinity group', grouped({ policy: 'anti-affinity', members: [aUuid(6)] }), [], [MEMBERS]],
  ['members of a soft group', grouped({ policy: 'soft-affinity', members: [aUuid(6)] }), [], [MEMBERS]],
  ['members in the dictionaries', dictionaries({ group_members: [aUuid(6)] }), [], ['filter_properties.group_members']],
  ['members of an affinity group, which Nova does not read either', grouped({ policy: 'affinity', members: [aUuid(6)] }), [], []],
  ['no members', grouped({ policy: 'anti-affinity' }), [], []],
  ['a rule of the policy', grouped({ policy: 'anti-affinity', _rules: { max_server_per_host: '2' } }), [], []],
  ['a rule of another policy', grouped({ policy: 'affinity', _rules: { max_server_per_host: '2' } }), [MOST], [MOST]],
  ['a rule of a soft policy', grouped({ policies: ['soft-anti-affinity'], _rules: { max_server_per_host: '2' } }), [MOST], [MOST]],
  [
    'an unknown rule',
    grouped({ policy: 'anti-affinity', _rules: { foo: '1' } }),
    ['spec.instance_group._rules.foo'],
    ['spec.instance_group._rules.foo'],
  ],
])('%s: what a profile does not read of a server group is in ignoredFields', (_what, imported, compat, own) => {
  const { fleet } = aLog()
  const ignoredBy = (name: string) => {
    const profile = builtInProfilesAt(GROUP_HOSTS).find((one) => one.name === name)
    return profile && ignoredFields(readFrom(imported), profile, fleet)
  }
  expect({ compat: ignoredBy('nova-compat'), own: ignoredBy('default') }).toEqual({ compat, own })
})

test('in the typed form, the most members on one host are in ignoredFields if the policy is not anti-affinity', () => {
  const { fleet } = aLog()
  const [profile] = builtInProfiles
  const of = (policy: 'AFFINITY' | 'ANTI_AFFINITY') => aRequest({ instanceGroup: { uuid: aUuid(7), policy, maxServerPerHost: 2 } })
  expect(profile && (['AFFINITY', 'ANTI_AFFINITY'] as const).map((policy) => unreadKeys(of(policy), profile, fleet))).toEqual([
    ['instanceGroup.maxServerPerHost'],
    [],
  ])
})
