import { describe, expect, test } from 'vitest'
import { fromNova, legacy, wire } from '../nova/compat/testing/placement-rows.ts'
import { novaRequestOf } from '../nova/requests/own-request.ts'
import { triedHosts } from '../nova/requests/tried-hosts.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { aRequest, aUuid } from '../testing/index.ts'
import type { JsonObject } from '../values/json.ts'
import { hostLeft, type Recorded, repeatedRequest } from './repeated.ts'

const uuid = aUuid(7)
const members = { policy: 'anti-affinity', policies: ['anti-affinity'], members: [aUuid(5)], hosts: ['x'], _rules: {} }
const tried = wire('ComputeNode', '1.19', { host: 'y', hypervisor_hostname: 'y' })
const retry = wire('SchedulerRetries', '1.1', { num_attempts: 2, hosts: wire('ComputeNodeList', '1.1', { objects: [tried] }) })
const cell = wire('CellMapping', '1.1', { uuid: aUuid(40) })
const destination: JsonObject = { host: 'a', node: 'a', cell, aggregates: [aUuid(1)], forbidden_aggregates: [aUuid(2)] }

/** The same request in every form. Each names hosts in all ways that the form has. */
const forms: Readonly<Record<string, RequestSpec>> = {
  typed: aRequest({
    ...{ availabilityZone: 'z', forceHosts: ['a'], ignoreHosts: ['b', 'c'], schedulerHints: { different_host: [aUuid(9)] } },
    requestedDestination: { host: 'a', node: 'a', aggregates: [aUuid(1)], forbiddenAggregates: [aUuid(2)] },
    instanceGroup: { uuid, policy: 'ANTI_AFFINITY', hosts: ['x'] },
  }),
  RequestSpec: fromNova({
    ...{ availability_zone: 'z', force_hosts: ['a'], ignore_hosts: ['b', 'c'], scheduler_hints: { different_host: [aUuid(9)] } },
    ...{ retry, requested_destination: wire('Destination', '1.4', destination) },
    instance_group: wire('InstanceGroup', '1.11', { uuid, ...members }),
  }),
  dictionaries: legacy(
    { uuid: aUuid(5), project_id: 'p', availability_zone: 'z' },
    {
      ...{ force_hosts: ['a'], ignore_hosts: ['b', 'c'], scheduler_hints: { different_host: [aUuid(9)] } },
      ...{ group_updated: true, group_policies: ['anti-affinity'], group_uuid: uuid, group_hosts: ['x'] },
      retry: { num_attempts: 2, hosts: [['y', 'y']] },
    },
  ),
}

const made: Recorded = {}
const evacuated: Recorded = { intent: 'EVACUATE', source: 'claim' }

describe.each(Object.entries(forms))('a request of the form %s that is repeated for a move', (_form, request) => {
  const repeated = repeatedRequest(request, made, 0, aUuid(5))

  test('names no host of the earlier attempt, neither in its fields nor in its document', () => {
    expect(repeated).toMatchObject({ forceHosts: [], forceNodes: [], numInstances: 1, instanceUuids: [aUuid(5)] })
    expect(repeated.instanceGroup?.hosts).toEqual([])
    expect([repeated.requestedDestination?.host ?? null, repeated.requestedDestination?.node ?? null]).toEqual([null, null])
    expect(triedHosts(repeated)).toEqual([])
    const read = novaRequestOf(repeated)
    expect([read.forceHosts ?? [], read.instanceGroup?.hosts ?? [], read.instanceGroup?.unlistedAt ?? []]).toEqual([[], [], []])
    if (repeated.nova !== null) expect([repeated.ignoreHosts, read.ignoreHosts ?? []]).toEqual([[], []])
  })

  test('keeps what the request asked of any host', () => {
    const { availabilityZone, schedulerHints, flavor, image, projectId, instanceGroup } = repeated
    expect({ availabilityZone, schedulerHints, flavor, image, projectId }).toEqual({
      ...{ availabilityZone: 'z', schedulerHints: { different_host: [aUuid(9)] }, flavor: request.flavor, image: request.image },
      projectId: request.projectId,
    })
    expect(instanceGroup).toMatchObject({ uuid, policy: 'ANTI_AFFINITY' })
    expect(repeated.requestedDestination).toEqual(
      request.requestedDestination && { ...request.requestedDestination, host: null, node: null },
    )
    const [read, asked] = [novaRequestOf(repeated), novaRequestOf(request)]
    expect([read.requestedDestination?.cellUuid, read.instanceGroup?.members]).toEqual([
      asked.requestedDestination?.cellUuid,
      asked.instanceGroup?.members,
    ])
  })

  test('repeated once more, is the same', () => {
    expect(repeatedRequest(repeated, made, 0, aUuid(5))).toEqual(repeated)
  })
})

test.each<[what: string, recorded: Recorded, kept: readonly string[], left: string | undefined]>([
  ['a creation', made, ['b', 'c'], undefined],
  ['an evacuation', evacuated, ['b'], 'c'],
  ['a live migration', { intent: 'LIVE_MIGRATE', source: 'claim' }, ['b'], 'c'],
  ['a cold migration', { intent: 'COLD_MIGRATE', source: 'claim' }, ['b'], 'c'],
  ['a resize, which may stay on its host', { intent: 'RESIZE', source: 'claim' }, ['b', 'c'], undefined],
  ['a rebuild, which stays on its host', { intent: 'REBUILD', source: 'claim' }, ['b', 'c'], undefined],
  ['an evacuation from a host of which the claim is known', { ...evacuated, sourceNames: ['new', 'c'] }, ['b'], 'c'],
  ['an evacuation of which the caller had named the host', { ...evacuated, sourceNames: ['b'] }, ['b', 'c'], undefined],
  ['a further attempt', { source: 'claim', sourceNames: ['c'] }, ['b'], undefined],
  ['a further attempt after a host with several nodes', { source: 'claim', sourceNames: ['m'] }, ['b', 'c'], undefined],
  ['a further attempt to unshelve', { intent: 'UNSHELVE', source: 'claim', sourceNames: ['c'] }, ['b'], undefined],
  ['a further attempt of which the first claim is not known', { source: 'claim' }, ['b', 'c'], undefined],
])('%s: of the hosts to ignore in the typed form, those of the caller stay', (_what, recorded, kept, left) => {
  const { typed } = forms
  if (typed === undefined) throw new Error('there must be a request in the typed form')
  expect(repeatedRequest(typed, recorded, 0, null).ignoreHosts).toEqual(kept)
  expect(hostLeft(typed, recorded)).toBe(left)
})
