import { expect, test } from 'vitest'
import { type Given, reasonOf, verdictOf } from '../../testing/judge.ts'
import { imagePropertiesFilter } from './image-properties.ts'

const image = (properties: Record<string, string>): Given['request'] => ({ image: { id: 'i', minRam: 0, minDisk: 0, properties } })
const kvm = (img_hv_requested_version: string) => image({ img_hv_type: 'kvm', img_hv_requested_version })
const xen: Given['host'] = { supportedInstances: [['x86_64', 'xen', 'hvm']] }

test.each<[string, Given, string]>([
  ['an image without properties', { request: image({}), host: { supportedInstances: [] } }, 'passes'],
  ['no image', { host: { supportedInstances: [] } }, 'passes'],
  ['a version alone requires nothing', { request: image({ img_hv_requested_version: '>=99.0' }) }, 'passes'],
  [
    'architecture, type and mode in one triple',
    { request: image({ hw_architecture: 'x86_64', img_hv_type: 'kvm', hw_vm_mode: 'hvm' }) },
    'passes',
  ],
  [
    'a host that reports no supported instances',
    { request: image({ hw_vm_mode: 'hvm' }), host: { supportedInstances: [] } },
    'image.unsupported',
  ],
  ['an architecture that the host does not support', { request: image({ hw_architecture: 'i686' }) }, 'image.unsupported'],
  ['a mode equal to the type of the hypervisor', { request: image({ hw_vm_mode: 'xen' }), host: xen }, 'passes'],
  ['an alias of the architecture', { request: image({ hw_architecture: 'amd64' }) }, 'passes'],
  ['a default architecture', { options: { image_properties_default_architecture: 'ppc64le' } }, 'image.unsupported'],
  ['the hypervisor has the required version', { request: kvm('>=7.0,<7.2.1') }, 'passes'],
  ['one of two conditions on the version fails', { request: kvm('>=7.0,!=7.2') }, 'image.version'],
  ['a host without a version satisfies any condition', { request: kvm('>=99.0'), host: { hypervisorVersion: 0 } }, 'passes'],
  ['a condition in an invalid form', { request: kvm('=7') }, 'raises ValueError'],
  ['an invalid condition on a host that is refused anyway', { request: kvm('=7'), host: xen }, 'image.unsupported'],
  [
    'the filter also checks a rebuild',
    { request: { ...image({ img_hv_type: 'xen' }), schedulerHints: { _nova_check_type: ['rebuild'] } } },
    'image.unsupported',
  ],
])('%s', (_name, given, verdict) => expect(verdictOf(imagePropertiesFilter, given)).toBe(verdict))

test("the reason of a refusal names the required values and the host's values", () => {
  const request = image({ hw_architecture: 'i686', img_hv_type: 'kvm' })
  expect(reasonOf(imagePropertiesFilter, { request })).toMatchObject({ need: 'i686 kvm', have: 'x86_64 kvm hvm' })
  expect(reasonOf(imagePropertiesFilter, { request: kvm('<7.0') })).toMatchObject({ need: '<7.0', have: '7.2.0' })
})
