import { expect, test } from 'vitest'
import { FEATURE_LEVEL } from '../records/change.ts'
import { type Profile, profileSchema } from '../records/profile.ts'
import { aLog, aRequest, aUuid } from '../testing/index.ts'
import { unreadKeys } from './unread.ts'

const novaProfile = { name: 'p', number: 1, compat: 'nova', scheduler: 'filter', filters: [{ name: 'RamFilter' }], weighers: [] }
/** A profile with Nova's filter for image properties, with these options. */
const isolating = (options: object): Profile =>
  profileSchema.parse({ ...novaProfile, filters: [{ name: 'AggregateImagePropertiesIsolation', options }] })
const weighingImages = (options: object, multiplier = 1): Profile =>
  profileSchema.parse({ ...novaProfile, weighers: [{ name: 'ImagePropertiesWeigher', multiplier, options }] })
const anImage = { image: { properties: { foo: 'x', os_type: 'linux', hypervisor_type: 'qemu', hw_disk_bus: 'virtio' } } }
const propertiesOf = (...keys: readonly string[]): readonly string[] => keys.map((key) => `image.properties.${key}`)

/** A fleet with an aggregate whose metadata has these keys. */
function fleetWith(...keys: readonly string[]) {
  const log = aLog()
  const metadata = Object.fromEntries(keys.map((key) => [key, 'x']))
  log.append([
    { type: 'feature', level: FEATURE_LEVEL },
    { type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'a', hosts: [], metadata } },
  ])
  return log
}

test.each<[string, Profile, object, readonly string[]]>([
  [
    'with isolation by aggregates, properties that no aggregate has or that Nova does not know',
    isolating({}),
    anImage,
    propertiesOf('foo', 'hw_disk_bus'),
  ],
  [
    'with isolation in a namespace, properties outside of this namespace',
    isolating({ aggregate_image_properties_isolation_namespace: 'os', aggregate_image_properties_isolation_separator: '_' }),
    anImage,
    propertiesOf('foo', 'hypervisor_type', 'hw_disk_bus'),
  ],
  ['if all are weighed, properties that Nova does not know', weighingImages({}), anImage, propertiesOf('foo')],
  [
    'if some properties have a weight, all other properties',
    weighingImages({ image_props_weight_setting: ['os_type=2', 'hw_disk_bus=0'] }),
    anImage,
    propertiesOf('foo', 'hypervisor_type', 'hw_disk_bus'),
  ],
  [
    'nothing, if a property sets two other properties and the second has a weight',
    weighingImages({ image_props_weight_setting: ['hw_scsi_model=2'] }),
    { image: { properties: { vmware_adaptertype: 'lsiLogic' } } },
    [],
  ],
  [
    'a property that sets two other properties, if the one with a weight is also set by its own name',
    weighingImages({ image_props_weight_setting: ['hw_scsi_model=2'] }),
    { image: { properties: { vmware_adaptertype: 'lsiLogic', hw_scsi_model: 'virtio-scsi' } } },
    propertiesOf('vmware_adaptertype'),
  ],
  [
    'a property whose value sets only the first of two other properties, if the second has a weight',
    weighingImages({ image_props_weight_setting: ['hw_scsi_model=2'] }),
    { image: { properties: { vmware_adaptertype: 'ide' } } },
    propertiesOf('vmware_adaptertype'),
  ],
  [
    'with isolation by aggregates, properties that Nova reads as false or 0',
    isolating({}),
    { image: { properties: { hw_vif_multiqueue_enabled: 'false', hw_cpu_cores: '0' } } },
    propertiesOf('hw_vif_multiqueue_enabled', 'hw_cpu_cores'),
  ],
  ['with isolation by aggregates, an empty property', isolating({}), { image: { properties: { os_type: '' } } }, propertiesOf('os_type')],
  [
    'all properties, if the weigher has the multiplier 0',
    weighingImages({}, 0),
    anImage,
    propertiesOf('foo', 'os_type', 'hypervisor_type', 'hw_disk_bus'),
  ],
])('unread: %s', (_situation, profile, given, paths) => {
  const { fleet } = fleetWith('os_type', 'img_hv_type', 'foo', 'hw_vif_multiqueue_enabled', 'hw_cpu_cores')
  expect(unreadKeys(aRequest(given), profile, fleet)).toEqual(paths)
})

test('an image property counts as read while the metadata of an aggregate has its key', () => {
  const log = fleetWith('os_type')
  const unread = () => unreadKeys(aRequest(anImage), isolating({}), log.fleet)
  expect(unread()).toEqual(propertiesOf('foo', 'hypervisor_type', 'hw_disk_bus'))
  const next = { name: 'a', hosts: [], metadata: { hw_disk_bus: 'x' } }
  log.append([{ type: 'aggregate', uuid: aUuid(1), expectedVersion: 1, next }])
  expect(unread()).toEqual(propertiesOf('foo', 'os_type', 'hypervisor_type'))
  log.append([{ type: 'aggregate', uuid: aUuid(1), expectedVersion: 2, next: null }])
  expect(unread()).toEqual(propertiesOf('foo', 'os_type', 'hypervisor_type', 'hw_disk_bus'))
})
