import { expect, test } from 'vitest'
import { FEATURE_LEVEL } from '../../records/change.ts'
import { profileSchema } from '../../records/profile.ts'
import { aLog, aReport, aRequest, aUuid } from '../../testing/index.ts'
import { causeOf } from '../cause.ts'
import { causeText } from '../cause-text.ts'

/** These tests check the sentence of the cause if a single condition excludes every host. The sentence says what the condition requires. */

const image = (properties: Record<string, string> = {}) => ({ id: aUuid(66), properties })

test.each<[filter: string, options: object, metadata: Record<string, string>, asks: Parameters<typeof aRequest>[0], text: string]>([
  [
    'AggregateMultiTenancyIsolation',
    {},
    { filter_tenant_id: 'p2' },
    { projectId: 'p1' },
    'There is no host open to project p1 by filter_tenant_id of their aggregates.',
  ],
  [
    'AggregateMultiTenancyIsolation',
    {},
    { filter_tenant_id: 'p2' },
    {},
    'There is no host open to requests without a project by filter_tenant_id of their aggregates.',
  ],
  [
    'AggregateTypeAffinityFilter',
    {},
    { instance_type: 'm1.large' },
    { flavor: { name: 'm1.tiny', vcpus: 1, memoryMb: 64 } },
    'There is no host open to flavor m1.tiny by instance_type of their aggregates.',
  ],
  [
    'AggregateTypeAffinityFilter',
    {},
    { instance_type: 'm1.large' },
    {},
    'There is no host open to flavors without a name by instance_type of their aggregates.',
  ],
  [
    'AggregateImagePropertiesIsolation',
    {},
    { os_distro: 'debian' },
    { image: image({ os_distro: 'fedora' }) },
    'There is no host open to images with os_distro fedora by the metadata of their aggregates.',
  ],
  [
    'AggregateImagePropertiesIsolation',
    {},
    { hw_architecture: 'aarch64' },
    { image: image({ architecture: 'x86_64', hw_disk_bus: 'scsi' }) },
    'There is no host open to images with hw_architecture x86_64, hw_disk_bus scsi by the metadata of their aggregates.',
  ],
  [
    'AggregateImagePropertiesIsolation',
    {},
    { hw_architecture: 'aarch64' },
    { image: { id: aUuid(66), architecture: 'x86_64' } },
    'There is no host open to images with hw_architecture x86_64 by the metadata of their aggregates.',
  ],
  [
    'AggregateImagePropertiesIsolation',
    { aggregate_image_properties_isolation_namespace: 'os', aggregate_image_properties_isolation_separator: '_' },
    { os_distro: 'debian' },
    { image: image({ os_distro: 'fedora', hw_disk_bus: 'scsi' }) },
    'There is no host open to images with os_distro fedora by the metadata of their aggregates.',
  ],
  [
    'ImagePropertiesFilter',
    { image_properties_default_architecture: 'aarch64' },
    {},
    { image: image() },
    'There is no host for images with aarch64 by image_properties_default_architecture.',
  ],
  [
    'ImagePropertiesFilter',
    { image_properties_default_architecture: 'aarch64' },
    {},
    {},
    'There is no host for images with aarch64 by image_properties_default_architecture.',
  ],
  [
    'IsolatedHostsFilter',
    { isolated_hosts: ['elsewhere'], isolated_images: [aUuid(66)] },
    {},
    { image: image() },
    `There is no host for image ${aUuid(66)} by isolated_images and isolated_hosts.`,
  ],
  [
    'IsolatedHostsFilter',
    { isolated_hosts: ['a', 'b'], isolated_images: [aUuid(66)] },
    {},
    {},
    'There is no host for requests without an image by isolated_images and isolated_hosts.',
  ],
  [
    'SimpleCIDRAffinityFilter',
    {},
    {},
    { schedulerHints: { build_near_host_ip: ['10.0.0.1'], cidr: ['/24'] } },
    'There is no host in the network of the hints build_near_host_ip and cidr.',
  ],
])('%s %j %j', (name, options, metadata, asks, text) => {
  const profile = profileSchema.parse({ name: 'one', number: 1, compat: 'nova', filters: [{ name, options }], weighers: [] })
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...['a', 'b'].map((host) => aReport(host, { hostIp: '192.168.0.1' }))])
  log.append([{ type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'all', hosts: ['a', 'b'], metadata } }])
  expect(causeText(causeOf(log.fleet, aRequest(asks), profile))).toContain(text)
})

test.each<[projectId: string | null, text: string]>([
  ['p1', 'There is no host in aggregates with filter_tenant_id of project p1.'],
  [null, 'There is no host in aggregates with filter_tenant_id for requests without a project.'],
])('the aggregates of a project, for a request of project %s', (projectId, text) => {
  const placement = { limitTenants: true, tenantsNeedAggregate: true }
  const profile = profileSchema.parse({ name: 'one', number: 1, compat: 'nova', filters: [], weighers: [], nova: { placement } })
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a')])
  expect(causeText(causeOf(log.fleet, aRequest({ projectId }), profile))).toContain(text)
})
