import { parseRequestSpec } from '@gantt/scheduler-core'
import { importLegacyRequest } from '@gantt/scheduler-core/nova'
import { expect, test } from 'vitest'
import { checkRequest } from './request-limits.ts'

const instance_type = { vcpus: 1, memory_mb: 64, root_gb: 0, ephemeral_gb: 0, swap: 0, flavorid: '1', name: 'm', extra_specs: {} }

test('of the keys for granular groups and of the further policies in a document of Nova, at most 100 each are listed as problems', () => {
  const properties = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`resources${i}:VCPU`, '1']))
  const group_policies = ['affinity', ...Array.from({ length: 1_000 }, (_, i) => `policy-${i}`)]
  const imported = importLegacyRequest({
    request_spec: { instance_type, image: { properties } },
    filter_properties: { group_policies, group_updated: true, group_uuid: '00000000-0000-4000-8000-000000000001' },
  })
  const parsed = imported.ok ? parseRequestSpec(imported.document) : imported
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  const issues = checkRequest(parsed.value, ['spec'])
  const about = (name: string): number => issues.filter(({ path }) => path.includes(name)).length
  expect([about('properties'), about('group_policies'), issues.length]).toEqual([100, 100, 200])
})
