import { expect, test } from 'vitest'
import type { NovaGroup } from '../../objects/request.ts'
import { type Given, reasonOf, verdictOf } from '../../testing/judge.ts'
import { groupAntiAffinityFilter, serverGroupAntiAffinityFilter } from './server-group-anti-affinity.ts'

const policy = 'anti-affinity'
const group = (given: Partial<NovaGroup> = {}): Given['request'] => ({
  instanceUuid: 'new',
  instanceGroup: { uuid: 'g', policy, policies: [policy], members: ['a', 'b', 'new'], hosts: ['h1'], rules: undefined, ...given },
})
const holds = (...uuids: string[]) => ({ instances: new Set(uuids) })
const rule = (max_server_per_host: string) => group({ rules: { max_server_per_host } })

test.each<[string, Given, string]>([
  ['no group', { host: holds('a') }, 'passes'],
  ['no member on the host', { request: group(), host: holds('x') }, 'passes'],
  ['a member on the host', { request: group(), host: holds('a', 'x') }, 'group.anti_affinity'],
  ['a group with the policy affinity', { request: group({ policy: 'affinity' }), host: holds('a') }, 'passes'],
  ['only the instance itself on the host', { request: group(), host: holds('a', 'new') }, 'passes'],
  ['fewer members than the rule allows', { request: rule('2'), host: holds('a') }, 'passes'],
  ['as many members as the rule allows', { request: rule(' 2 '), host: holds('a', 'b') }, 'group.anti_affinity'],
  ['a rule that allows 0 members', { request: rule('0'), host: holds() }, 'group.anti_affinity'],
  ['a rule that is not a number', { request: rule('x'), host: holds() }, 'raises ValueError'],
  ['a rule that the filter does not know', { request: group({ rules: { other: '5' } }), host: holds('a') }, 'group.anti_affinity'],
  ['members that are null', { request: group({ members: null }), host: holds() }, 'raises TypeError'],
  ['a group without a policy', { request: group({ policy: undefined }), host: holds() }, 'raises ObjectActionError'],
])('ServerGroupAntiAffinityFilter: %s', (_name, given, verdict) => expect(verdictOf(serverGroupAntiAffinityFilter, given)).toBe(verdict))

test.each<[string, Given, string]>([
  ['a group whose policy is not legacy', { request: group() }, 'passes'],
  ["the host is one of the group's hosts", { request: group({ policies: ['legacy'] }) }, 'group.anti_affinity'],
  ["the host is none of the group's hosts", { request: group({ policies: ['legacy'] }), host: { host: 'h2' } }, 'passes'],
  ['a group without hosts', { request: group({ policies: ['legacy'], hosts: null }) }, 'passes'],
])('GroupAntiAffinityFilter: %s', (_name, given, verdict) => expect(verdictOf(groupAntiAffinityFilter, given)).toBe(verdict))

test('the reason of a refusal has the member count, the limit and the source of the limit', () => {
  const reason = { subject: 'g', need: 'fewer than 2', have: 2, source: 'rule max_server_per_host' }
  expect(reasonOf(serverGroupAntiAffinityFilter, { request: rule('2'), host: holds('a', 'b') })).toMatchObject(reason)
})
