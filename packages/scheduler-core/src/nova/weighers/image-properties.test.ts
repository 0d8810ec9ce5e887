import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../testing/builders.ts'
import { type ImageProperties, readImageProperties } from '../text/image-properties.ts'
import { imagePropertiesWeigher } from './image-properties.ts'

const imageOf = (properties: ImageProperties) => ({ image: { id: 'x', minRam: 0, minDisk: 0, properties } })
const windows = { os_distro: 'windows', hw_machine_type: 'q35' }
const instanceImages = new Map<string, ImageProperties>([
  ['i1', windows],
  ['i2', windows],
  ['i3', { os_distro: 'windows', hw_machine_type: 'pc' }],
  ['i4', { os_distro: 'debian' }],
  ['i5', {}],
])

const raw = (request: object, settings: readonly string[] = [], configured = 1, host: object = { instanceImages }) =>
  imagePropertiesWeigher.prepare(aNovaRequest(request), { image_props_weight_setting: settings }, () => 1, configured)(aHostState(host))

test.each<[string, object, readonly string[], number]>([
  ['the number of instances with each pair of property and value is summed up', imageOf(windows), [], 5],
  ['a value that no instance has adds 0', imageOf({ os_distro: 'fedora', hw_machine_type: 'pc' }), [], 1],
  ['an image without properties', imageOf({}), [], 0],
  ['no image', { image: null }, [], 0],
  ['an image that is unset', { image: undefined }, [], 0],
  ['each property is multiplied by its ratio', imageOf(windows), ['os_distro=2', 'hw_machine_type=-1'], 4],
  ['a property that the option does not name adds 0', imageOf(windows), ['hw_machine_type=1'], 2],
  ['of two entries with the same name the last applies', imageOf(windows), ['os_distro=5', 'os_distro=1'], 3],
  ['if all entries are invalid, every property has the ratio 1', imageOf(windows), ['os_distro', '=2'], 5],
])('%s', (_what, request, settings, number) => expect(raw(request, settings)).toBe(number))

test('the values of image properties are compared as Python prints them', () => {
  const host = { instanceImages: new Map([['i1', readImageProperties({ hw_cpu_cores: '04', hw_qemu_guest_agent: 'yes' })]]) }
  expect(raw(imageOf(readImageProperties({ hw_cpu_cores: 4, hw_qemu_guest_agent: 'true' })), [], 1, host)).toBe(2)
})

test('the weigher is off if the option is 0, whatever an aggregate sets', () => {
  expect(imagePropertiesWeigher.multiplier).toMatchObject({ key: 'image_props_weight_multiplier', byDefault: 0 })
  expect(raw(imageOf(windows), [], 0)).toBe(0)
})

test('a host that does not report the images of its instances has the score 0', () => expect(raw(imageOf(windows), [], 1, {})).toBe(0))
