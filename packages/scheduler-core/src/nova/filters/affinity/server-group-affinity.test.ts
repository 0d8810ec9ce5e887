import { expect, test } from 'vitest'
import type { NovaGroup } from '../../objects/request.ts'
import { type Given, reasonOf, verdictOf } from '../../testing/judge.ts'
import { groupAffinityFilter, serverGroupAffinityFilter } from './server-group-affinity.ts'

const group = (given: Partial<NovaGroup> = {}): Given['request'] => ({
  instanceGroup: { uuid: 'g', policy: 'affinity', policies: ['affinity'], members: [], hosts: ['h1', 'h2'], rules: undefined, ...given },
})

test.each<[string, Given, string]>([
  ['no group', {}, 'passes'],
  ["the host is one of the group's hosts", { request: group() }, 'passes'],
  ["the host is none of the group's hosts", { request: group(), host: { host: 'h3' } }, 'group.affinity'],
  ['capitals matter', { request: group(), host: { host: 'H1' } }, 'group.affinity'],
  ['a group without hosts', { request: group({ hosts: [] }), host: { host: 'h3' } }, 'passes'],
  ['a group whose hosts are null', { request: group({ hosts: null }), host: { host: 'h3' } }, 'passes'],
  ['a group with the policy soft-affinity', { request: group({ policies: ['soft-affinity'] }), host: { host: 'h3' } }, 'passes'],
  ['the policy only in the older list of policies', { request: group({ policy: null }), host: { host: 'h3' } }, 'group.affinity'],
  ['the policy only in the newer single field', { request: group({ policies: undefined }) }, 'raises ObjectActionError'],
])('ServerGroupAffinityFilter: %s', (_name, given, verdict) => expect(verdictOf(serverGroupAffinityFilter, given)).toBe(verdict))

test('GroupAffinityFilter keeps the members of groups with the policy legacy on the hosts of the group', () => {
  const host = { host: 'h3' }
  expect(verdictOf(groupAffinityFilter, { request: group(), host })).toBe('passes')
  expect(verdictOf(groupAffinityFilter, { request: group({ policies: ['legacy'] }), host })).toBe('group.affinity')
})

test('the reason of a refusal names the group and its hosts', () => {
  const reason = { subject: 'g', need: 'h1, h2', have: 'h3', source: 'policy affinity' }
  expect(reasonOf(serverGroupAffinityFilter, { request: group(), host: { host: 'h3' } })).toMatchObject(reason)
})
