import { expect, test } from 'vitest'
import type { NovaWeigher } from '../parts/nova-weigher.ts'
import { aHostState, aNovaRequest } from '../testing/builders.ts'
import { serverGroupSoftAffinityWeigher, serverGroupSoftAntiAffinityWeigher } from './soft-affinity.ts'

const raw = (weigher: NovaWeigher, request: object) => weigher.prepare(aNovaRequest(request), {}, () => 1, 1)(aHostState(host))

const group = (policy: string | undefined, members: readonly string[] | null = ['i1', 'i2', 'i3']) => ({
  instanceGroup: { uuid: 'g1', policy, policies: undefined, members, hosts: [], rules: {} },
})
const host = { instances: new Set(['i1', 'i2', 'other']) }

test.each([
  ['members on the host', group('soft-affinity'), 2, 0],
  ['the negative number of members, so that fewer are better', group('soft-anti-affinity'), 0, -2],
  ['a hard policy has no effect on the weigher', group('affinity'), 0, 0],
  ['no members', group('soft-affinity', []), 0, 0],
  ['members that are null', group('soft-affinity', null), 0, 0],
  ['no group', {}, 0, 0],
])('%s', (_what, request, affinity, antiAffinity) => {
  expect(raw(serverGroupSoftAffinityWeigher, request)).toBe(affinity)
  expect(raw(serverGroupSoftAntiAffinityWeigher, request)).toBe(antiAffinity)
})
