import { describe, expect, test } from 'vitest'
import type { AggregateState, Change } from '../records/change.ts'
import { aClaim, aLog, aReport, aUuid } from '../testing/index.ts'
import { EDITED_MEMBERS } from '../values/levels.ts'
import { forget, replace } from './testing/leaving.ts'

const HOSTS = ['h1', 'h2', 'h3', 'h4']
const FIRST: AggregateState = { name: 'rack', metadata: { availability_zone: 'z1', tier: 'gold' }, hosts: ['h1', 'h2', 'h3'] }

const edit = (next: AggregateState | null, expectedVersion = 1): Change => ({
  type: 'aggregate',
  uuid: aUuid(0x70),
  expectedVersion,
  next,
})

/** Returns the hosts on which a claim is void if it was decided before the change. */
function concerned(change: Change, level: number): string[] {
  const log = aLog()
  log.append([{ type: 'feature', level }, ...HOSTS.map((host) => aReport(host)), edit(FIRST, 0)])
  const basis = log.fleet.place
  expect(log.append([change])).toEqual([undefined])
  const claims = HOSTS.map((host, i) => aClaim({ key: host, hosts: [host], instances: [aUuid(i + 1)] }))
  const verdicts = log.append(claims, { basis })
  return HOSTS.filter((_, i) => verdicts[i] !== undefined)
}

describe('the hosts that count as edited after an edit of an aggregate', () => {
  test.each<[string, Change, string[]]>([
    ['the list, which one host leaves and one joins', edit({ ...FIRST, hosts: ['h2', 'h3', 'h4'] }), ['h1', 'h4']],
    ['the order of the list', edit({ ...FIRST, hosts: ['h3', 'h2', 'h1'] }), []],
    ['nothing', edit(FIRST), []],
    ['the order of the metadata', edit({ ...FIRST, metadata: { tier: 'gold', availability_zone: 'z1' } }), []],
    ['a value of the metadata', edit({ ...FIRST, metadata: { ...FIRST.metadata, tier: 'iron' } }), ['h1', 'h2', 'h3']],
    ['the metadata, from which a key is removed', edit({ ...FIRST, metadata: { availability_zone: 'z1' } }), ['h1', 'h2', 'h3']],
    [
      'the metadata, in which another key replaces a key',
      edit({ ...FIRST, metadata: { availability_zone: 'z1', toString: 'gold' } }),
      ['h1', 'h2', 'h3'],
    ],
    ['the name', edit({ ...FIRST, name: 'row' }), ['h1', 'h2', 'h3']],
    ['the list and the metadata', edit({ ...FIRST, metadata: { tier: 'iron' }, hosts: ['h2', 'h4'] }), HOSTS],
    ['a deletion of the aggregate', edit(null), ['h1', 'h2', 'h3']],
    ['a forgotten member', forget('h1'), ['h1']],
    ['a replaced member', replace('h1', 'h9'), ['h1']],
    ['a member that gets the name of another member', replace('h1', 'h2'), ['h1', 'h2']],
  ])('%s', (_what, change, hosts) => {
    expect(concerned(change, EDITED_MEMBERS)).toEqual(hosts)
  })

  test.each<[string, Change]>([
    ['the list', edit({ ...FIRST, hosts: ['h2', 'h3'] })],
    ['a forgotten member', forget('h1')],
  ])('below level EDITED_MEMBERS all members are concerned: %s', (_what, change) => {
    expect(concerned(change, EDITED_MEMBERS - 1)).toEqual(['h1', 'h2', 'h3'])
  })

  test('an edit of the member list does not change the revision and zone of hosts that stay members', () => {
    const log = aLog()
    log.append([{ type: 'feature', level: EDITED_MEMBERS }, ...HOSTS.map((host) => aReport(host)), edit(FIRST, 0)])
    const zonesAndRevisions = () =>
      HOSTS.map((host) => [log.fleet.hosts.find({ host, node: host })?.zone, log.fleet.hosts.find({ host, node: host })?.revision])
    log.append([edit({ ...FIRST, hosts: ['h2', 'h4'] })])
    expect(zonesAndRevisions()).toEqual([
      ['nova', 2],
      ['z1', 1],
      ['nova', 2],
      ['z1', 2],
    ])
  })
})
