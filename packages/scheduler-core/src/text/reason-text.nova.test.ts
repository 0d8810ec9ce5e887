import { expect, test } from 'vitest'
import { reasonText } from './reason-text.ts'

// each row: a code, and the needed and the present value that its sentence must contain
test.each([
  ['instances.too_many', 'fewer than 5', '7'],
  ['io_ops.too_many', 'fewer than 8', '9'],
  ['numa.no_threads', '2', '1'],
  ['group.affinity', 'h1, h2', 'h3'],
  ['host.other_network', '10.0.0.0/24', '10.1.0.1'],
  ['memory.not_exact', '64', '65'],
  ['cpu.not_exact', '4', '5'],
  ['disk.not_exact', '10', '11'],
  ['aggregate.image_property', 'linux', 'windows'],
  ['aggregate.project', 'p1', 'p2'],
  ['aggregate.flavor', 'm1', 'm2'],
  ['capability.mismatch', '>= 5', '4'],
  ['image.version', '>=7.0', '6.2.5'],
  ['isolation.image', 'h1', 'h2'],
  ['isolation.host', 'i1', 'i2'],
  ['query.no_match', '["=", 1, 2]', 'free_ram_mb = 1'],
  ['metric.missing', 'cpu.percent', 'cpu.frequency'],
  ['flavor.other', '4', '5'],
  ['trust.level', 'trusted', 'unknown'],
] as const)('the sentence of %s has the needed and the present value', (code, need, have) => {
  const text = reasonText({ code, subject: 'subject', need, have, unit: 'MiB' })
  expect(text).toContain(need)
  expect(text).toContain(have)
})

test('if hosts are kept for projects, the sentence for a request without a project says that it has none', () => {
  expect(reasonText({ code: 'aggregate.project', subject: 'project', need: 'none', have: 'p1' })).toBe(
    "The host's aggregates are reserved for the projects p1; the request has no project.",
  )
})

test('the sentence about a silent host has the seconds since its last heartbeat and the limit', () => {
  const silent = { code: 'host.down', need: 'at most 60', have: 735.5, unit: 's', source: 'option service_down_time' } as const
  expect(reasonText(silent)).toBe('The host was last heard 735.5 s ago; at most 60 s is allowed (option service_down_time).')
  expect(reasonText({ code: 'host.down', have: 'forced down', source: 'service' })).toBe('The host is DOWN: service.')
})

test('the sentence about a filter that failed has its error', () => {
  expect(reasonText({ code: 'filter.error', subject: 'JsonFilter', have: 'the query is no JSON' })).toBe(
    'JsonFilter failed on this host, so the host is refused: the query is no JSON.',
  )
  expect(reasonText({ code: 'filter.error', subject: 'JsonFilter' })).toBe('JsonFilter failed on this host, so the host is refused.')
})
