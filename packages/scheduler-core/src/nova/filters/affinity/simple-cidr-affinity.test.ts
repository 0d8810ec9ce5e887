import { expect, test } from 'vitest'
import { reasonOf, verdictOf } from '../../testing/judge.ts'
import { simpleCidrAffinityFilter } from './simple-cidr-affinity.ts'

const near = (address: string, cidr?: string) => ({
  schedulerHints: { build_near_host_ip: [address], ...(cidr === undefined ? {} : { cidr: [cidr] }) },
})

test.each<[string, string, string | undefined, string | null, string]>([
  ['the same network of 24 bits', '10.1.2.3', undefined, '10.1.2.250', 'passes'],
  ['a different network', '10.1.2.3', undefined, '10.1.3.3', 'host.other_network'],
  ['an address outside of a longer prefix', '10.1.2.3', '/30', '10.1.2.4', 'host.other_network'],
  ['a prefix of 0 contains every address', '10.1.2.3', '/0', '192.0.2.1', 'passes'],
  ['a netmask', '10.1.2.3', '/255.255.0.0', '10.1.99.9', 'passes'],
  ['a hostmask', '10.1.2.3', '/0.0.255.255', '10.1.99.9', 'passes'],
  ['a mask that is not contiguous', '10.1.2.3', '/255.0.255.0', '10.1.2.3', 'raises AddrFormatError'],
  ['a prefix without a slash extends the last number of the address', '10.1.2.3', '4', '10.1.2.3', 'host.other_network'],
  ['a prefix without a slash can make the address invalid', '10.1.2.133', '24', '10.1.2.133', 'raises AddrFormatError'],
  ['an empty hint `cidr` means a network that contains only the address', '10.1.2.3', '', '10.1.2.3', 'passes'],
  ['a prefix that is too long', '10.1.2.3', '/33', '10.1.2.3', 'raises AddrFormatError'],
  ['a negative prefix', '10.1.2.3', '/-1', '10.1.2.3', 'raises AddrFormatError'],
  ['two slashes', '10.1.2.3', '//8', '10.1.2.3', 'raises ValueError'],
  ['two slashes after invalid text', 'here', '//8', '10.1.2.3', 'raises AddrFormatError'],
  ['missing parts of an address are 0', '10.1', '/16', '10.1.9.9', 'passes'],
  ['IPv6', '2001:db8:1::1', '/48', '2001:db8:1:ffff::9', 'passes'],
  ['a different IPv6 network', '2001:db8:1::1', '/48', '2001:db8:2::9', 'host.other_network'],
  ['IPv6 written with an IPv4 address at its end', '::ffff:10.1.2.3', '/120', '::ffff:a01:2ff', 'passes'],
  ['an IPv6 address and an IPv4 network', '2001:db8::1', '/0', '10.1.2.3', 'host.other_network'],
  ['a hint that is not an address', 'here', undefined, '10.1.2.3', 'raises AddrFormatError'],
  ['a host without address', '10.1.2.3', undefined, null, 'raises AddrFormatError'],
])('%s', (_name, address, cidr, hostIp, verdict) =>
  expect(verdictOf(simpleCidrAffinityFilter, { request: near(address, cidr), host: { hostIp } })).toBe(verdict),
)

test('every host passes if the request has no hint with an address', () => {
  expect(verdictOf(simpleCidrAffinityFilter, { host: { hostIp: null } })).toBe('passes')
  expect(verdictOf(simpleCidrAffinityFilter, { request: near(''), host: { hostIp: null } })).toBe('passes')
  expect(verdictOf(simpleCidrAffinityFilter, { request: { schedulerHints: { cidr: ['/8'] } }, host: { hostIp: null } })).toBe('passes')
})

test("the reason of a refusal has the requested network and the host's address", () => {
  const reason = { need: '10.1.2.3/24', have: '10.9.2.3', source: 'hint build_near_host_ip' }
  expect(reasonOf(simpleCidrAffinityFilter, { request: near('10.1.2.3'), host: { hostIp: '10.9.2.3' } })).toMatchObject(reason)
})
