import { expect, test } from 'vitest'
import { type Given, reasonOf, verdictOf } from '../../testing/judge.ts'
import { computeCapabilitiesFilter } from './compute-capabilities.ts'

const asks = (extraSpecs: Record<string, string>): Given['request'] => ({ flavor: { extraSpecs } })
const cpuInfo = '{"vendor": "Intel", "topology": {"cores": 8}, "ratio": 4.0, "features": ["aes", "vmx"]}'
const host: Given['host'] = { cpuInfo, stats: { gpu: 'yes', nested: '{"a": {"b": "7"}}' }, numaTopology: null, uuid: 'u1' }

test.each<[string, Record<string, string>, string]>([
  ['nothing asked', {}, 'passes'],
  ['an attribute', { 'capabilities:vcpus_total': '>= 16' }, 'passes'],
  ['an attribute that is too small', { 'capabilities:vcpus_total': '>= 17' }, 'capability.mismatch'],
  ['a name without a scope that is an attribute of hosts', { vcpus_total: '>= 17' }, 'capability.mismatch'],
  ['a name without a scope that is not an attribute of hosts', { colour: 'red' }, 'passes'],
  ['a name without a scope among the statistics of the host', { gpu: 'no' }, 'capability.mismatch'],
  ['a name with a scope other than `capabilities`', { 'hw:vcpus_total': '>= 99' }, 'passes'],
  ['an unknown name with the scope `capabilities`', { 'capabilities:colour': 'red' }, 'capability.missing'],
  ['a statistic by its path', { 'capabilities:stats:gpu': 'yes' }, 'passes'],
  ['a statistic by its name alone', { 'capabilities:gpu': 's!= no' }, 'passes'],
  ['a path into a text with JSON', { 'capabilities:cpu_info:topology:cores': '8' }, 'passes'],
  ['a path through JSON text within JSON text', { 'capabilities:nested:a:b': '7' }, 'passes'],
  ['a list as Python prints it', { 'capabilities:cpu_info:features': "['aes', 'vmx']" }, 'passes'],
  ['a dictionary as Python prints it', { 'capabilities:cpu_info:topology': "{'cores': 8}" }, 'passes'],
  [
    'a fraction as Python prints it',
    { 'capabilities:cpu_info:ratio': 's== 4.0', 'capabilities:cpu_allocation_ratio': 's== 4.0' },
    'passes',
  ],
  ['a path into a list does not exist', { 'capabilities:supported_instances:0': 'x' }, 'capability.missing'],
  ['a path into text that is not JSON does not exist', { 'capabilities:hypervisor_type:x': 'x' }, 'capability.missing'],
  ['a path into a number does not exist', { 'capabilities:vcpus_total:x': 'x' }, 'capability.missing'],
  ['a value that is null', { 'capabilities:numa_topology': 's!= x' }, 'capability.missing'],
  ['a path into the service does not exist', { 'capabilities:service:host': 'h1' }, 'capability.missing'],
  ['an address is its text', { 'capabilities:host_ip': '192.0.2.10' }, 'passes'],
  ['a value that is not a number where a number is required', { 'capabilities:gpu': '>= 1' }, 'raises ValueError'],
  ['the first requirement that fails decides', { 'capabilities:colour': 'red', 'capabilities:gpu': '>= 1' }, 'capability.missing'],
  ['an inherited member of a JavaScript object is not an attribute', { 'capabilities:constructor': 's!= x' }, 'capability.missing'],
])('%s', (_name, extraSpecs, verdict) => expect(verdictOf(computeCapabilitiesFilter, { request: asks(extraSpecs), host })).toBe(verdict))

test("every host passes if the flavor's extra specs are unset", () => {
  expect(verdictOf(computeCapabilitiesFilter, { request: { flavor: { extraSpecs: undefined } } })).toBe('passes')
})

test("the reason of a refusal names the path, the requirement and the host's value", () => {
  const request = asks({ 'capabilities:cpu_info:vendor': 'AMD' })
  const reason = {
    code: 'capability.mismatch',
    subject: 'cpu_info:vendor',
    need: 'AMD',
    have: 'Intel',
    source: 'extra spec capabilities:cpu_info:vendor',
  }
  expect(reasonOf(computeCapabilitiesFilter, { request, host })).toMatchObject(reason)
})
