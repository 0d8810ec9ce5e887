import { aClaim, aUuid } from '../../testing/index.ts'
import { type FilterTables, flavor, group, inPool, level5, member, networkDocument, poolDocument, space, specs } from './rows.ts'

export const companyTables: FilterTables = {
  DifferentHostFilter: {
    'a request without the hint is not checked': { says: 'NOT_ASKED' },
    'an empty hint has no effect': { request: { schedulerHints: { different_host: [] } }, says: 'NOT_ASKED' },
    'a host without the instance passes': { request: { schedulerHints: { different_host: [aUuid(1)] } }, says: true },
    'a host whose report lists the instance fails': {
      host: { instances: [aUuid(1)] },
      request: { schedulerHints: { different_host: [aUuid(2), aUuid(1)] } },
      says: { code: 'instance.same_host', subject: 'different_host', have: aUuid(1), source: 'hint different_host' },
    },
    'a host with a claim for the instance fails': {
      after: [aClaim({ instances: [aUuid(1)] })],
      request: { schedulerHints: { different_host: [aUuid(1)] } },
      says: { code: 'instance.same_host', subject: 'different_host', have: aUuid(1), source: 'hint different_host' },
    },
    'a host whose claim was released passes': {
      after: [aClaim({ instances: [aUuid(1)] }), { type: 'abandon', account: 'acme', key: 'k1' }],
      request: { schedulerHints: { different_host: [aUuid(1)] } },
      says: true,
    },
  },
  SameHostFilter: {
    'a request without the hint is not checked': { says: 'NOT_ASKED' },
    'a host without the instances fails': {
      request: { schedulerHints: { same_host: [aUuid(1), aUuid(2)] } },
      says: { code: 'instance.not_on_host', subject: 'same_host', need: `${aUuid(1)}, ${aUuid(2)}`, source: 'hint same_host' },
    },
    'a host with one of the instances passes': {
      host: { instances: [aUuid(2)] },
      request: { schedulerHints: { same_host: [aUuid(1), aUuid(2)] } },
      says: true,
    },
    'a host with a claim for the instance passes': {
      after: [aClaim({ instances: [aUuid(1)] })],
      request: { schedulerHints: { same_host: [aUuid(1)] } },
      says: true,
    },
  },
  DiskPoolFilter: {
    'a request without disk space is not checked': { after: [inPool(3, ['h1'], 1)], says: 'NOT_ASKED' },
    'no host is checked if none has disks in a pool': { request: flavor({ rootGb: 9 }), says: 'NOT_ASKED' },
    'a host without disks in a pool passes': { after: [inPool(3, ['h2'], 1)], request: flavor({ rootGb: 9 }), says: true },
    'exactly the free amount passes': {
      after: [level5, inPool(3, ['h1'], 1), space('h2', { totalGib: 10, reservedGib: 1 })],
      request: flavor({ rootGb: 9 }),
      says: true,
    },
    'one GiB short fails': {
      after: [level5, inPool(3, ['h1'], 1), space('h2', { totalGib: 10, usedGib: 2 })],
      request: flavor({ rootGb: 9 }),
      says: { code: 'pool.short', subject: 'fast', need: 9, have: 8, unit: 'GiB' },
    },
    'space that a claim holds on another host of the pool is not free': {
      after: [
        level5,
        inPool(3, ['h1', 'h2'], 1),
        space('h2', { totalGib: 10 }),
        aClaim({ hosts: ['h2'], grants: { pools: { [aUuid(1)]: 5 } } }),
      ],
      request: flavor({ rootGb: 9 }),
      says: { code: 'pool.short', subject: 'fast', need: 9, have: 5, unit: 'GiB' },
    },
    'a pool without a reported size fails': {
      after: [level5, inPool(3, ['h1'], 1), space('h2', {})],
      request: flavor({ rootGb: 9 }),
      says: { code: 'pool.not_told', subject: aUuid(1), need: 9, have: 'not told', unit: 'GiB' },
    },
    'aggregates that name two pools fail': {
      after: [inPool(3, ['h1'], 1), inPool(4, ['h1'], 2)],
      request: flavor({ rootGb: 9 }),
      says: {
        code: 'pool.ambiguous',
        subject: 'gantt:disk_pool',
        need: 'one pool',
        have: `${aUuid(1)}, ${aUuid(2)}`,
        source: 'its aggregates',
      },
    },
  },
  VolumeAffinityFilter: {
    'a request without the hint is not checked': { says: 'NOT_ASKED' },
    'a host that reaches the pool of the volume passes': {
      after: [level5, poolDocument('h1'), poolDocument('h2', 2)],
      request: { schedulerHints: { near_volume: [aUuid(2)] } },
      says: true,
    },
    'a host without a document of a storage service fails': {
      after: [level5, poolDocument('h2', 2)],
      request: { schedulerHints: { near_volume: [aUuid(2)] } },
      says: { code: 'namespace.not_reported', subject: 'storage', need: 'a document', have: 'none' },
    },
    'a volume that no document lists fails': {
      after: [level5, poolDocument('h1')],
      request: { schedulerHints: { near_volume: [aUuid(2)] } },
      says: { code: 'volume.unknown', subject: 'near_volume', need: aUuid(2), have: 'not told of', source: 'hint near_volume' },
    },
  },
  PortAffinityFilter: {
    'a request without the hint is not checked': { says: 'NOT_ASKED' },
    'a host that reaches the physical network passes': {
      after: [level5, networkDocument('h1', 'physnet1', 3)],
      request: { schedulerHints: { near_port: [aUuid(3)] } },
      says: true,
    },
    'a host that does not reach the physical network fails': {
      after: [level5, networkDocument('h1', 'physnet2'), networkDocument('h2', 'physnet1', 3)],
      request: { schedulerHints: { near_port: [aUuid(3)] } },
      says: {
        code: 'port.far',
        subject: 'near_port',
        need: `distance 99 or less to physical network physnet1 (${aUuid(3)})`,
        have: 'not reached',
        source: 'hint near_port',
      },
    },
  },
  TraitsFilter: {
    'a request without traits is not checked': { says: 'NOT_ASKED' },
    'a host with a required trait passes': { host: { traits: ['SSD'] }, request: specs({ 'trait:SSD': 'required' }), says: true },
    'a host without a required trait fails': {
      request: specs({ 'trait:SSD': 'required' }),
      says: { code: 'trait.missing', subject: 'trait', need: 'SSD' },
    },
    'a host with a forbidden trait fails': {
      host: { traits: ['SSD'] },
      request: specs({ 'trait:SSD': 'forbidden' }),
      says: { code: 'trait.forbidden', subject: 'trait', have: 'SSD' },
    },
    'a host without a forbidden trait passes': { request: specs({ 'trait:SSD': 'forbidden' }), says: true },
    'a trait that a group of resources requires must be on the host': {
      host: { traits: ['A'] },
      request: { requestedResources: [{ amounts: [], requiredTraits: ['A', 'B'] }] },
      says: { code: 'trait.missing', subject: 'trait', need: 'B' },
    },
  },
  ServerGroupAffinityFilter: {
    'a request without a group is not checked': { says: 'NOT_ASKED' },
    'a group with another policy has no effect': { request: { instanceGroup: group('ANTI_AFFINITY') }, says: 'NOT_ASKED' },
    'a soft group has no effect': { request: { instanceGroup: group('SOFT_AFFINITY') }, says: 'NOT_ASKED' },
    'a group without members may be placed anywhere': { request: { instanceGroup: group('AFFINITY') }, says: true },
    'the host of the group passes': {
      after: [member('h1', 'a', group('AFFINITY'))],
      request: { instanceGroup: group('AFFINITY') },
      says: true,
    },
    'a host other than the host of the group fails': {
      after: [member('h2', 'a', group('AFFINITY'))],
      request: { instanceGroup: group('AFFINITY') },
      says: { code: 'group.affinity', subject: aUuid(7), need: 'h2' },
    },
    'members that the request lists by their hosts are counted': {
      request: { instanceGroup: { ...group('AFFINITY'), hosts: ['h2'] } },
      says: { code: 'group.affinity', subject: aUuid(7), need: 'h2' },
    },
  },
  ServerGroupAntiAffinityFilter: {
    'a request without a group is not checked': { says: 'NOT_ASKED' },
    'a group with another policy has no effect': { request: { instanceGroup: group('AFFINITY') }, says: 'NOT_ASKED' },
    'a host without members passes': {
      after: [member('h2', 'a', group('ANTI_AFFINITY', 1))],
      request: { instanceGroup: group('ANTI_AFFINITY') },
      says: true,
    },
    'a host with a member fails': {
      after: [member('h1', 'a', group('ANTI_AFFINITY', 1))],
      request: { instanceGroup: group('ANTI_AFFINITY') },
      says: { code: 'group.anti_affinity', subject: aUuid(7), need: 'fewer than 1', have: 1, unit: 'members' },
    },
    'a second member passes where two are allowed': {
      after: [member('h1', 'a', group('ANTI_AFFINITY', 2))],
      request: { instanceGroup: group('ANTI_AFFINITY', 2) },
      says: true,
    },
    'a third member fails where two are allowed': {
      after: [member('h1', 'a', group('ANTI_AFFINITY', 2)), member('h1', 'b', group('ANTI_AFFINITY', 2))],
      request: { instanceGroup: group('ANTI_AFFINITY', 2) },
      says: { code: 'group.anti_affinity', subject: aUuid(7), need: 'fewer than 2', have: 2, unit: 'members' },
    },
    'members that the request lists by their hosts are counted': {
      request: { instanceGroup: { ...group('ANTI_AFFINITY'), hosts: ['h1'] } },
      says: { code: 'group.anti_affinity', subject: aUuid(7), need: 'fewer than 1', have: 1, unit: 'members' },
    },
    'a member whose claim was released is not counted': {
      after: [member('h1', 'a', group('ANTI_AFFINITY', 1)), { type: 'abandon', account: 'acme', key: 'a' }],
      request: { instanceGroup: group('ANTI_AFFINITY') },
      says: true,
    },
  },
}
