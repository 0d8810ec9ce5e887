import { describe, expect, test, vi } from 'vitest'
import { HostTable } from '../hosts/hosts.ts'
import { aLog, aReport, aRequest } from '../testing/index.ts'
import type { HostName } from '../values/host-name.ts'
import { copyFleet } from './copy.ts'
import type { Fleet } from './fleet.ts'
import { allNamesIn, hostsOfManyNames, isNamedIn, namesOf, presentHosts, presentName, withPresentNames } from './present-names.ts'

const name = (host: string, node = host): HostName => ({ host, node })

/** Returns a log with these hosts. Each pair then renames one host, in the order of the pairs. */
function renamed(hosts: readonly HostName[], ...pairs: readonly (readonly [from: HostName, to: HostName])[]) {
  const log = aLog()
  log.append(hosts.map(({ host, node }) => ({ ...aReport(host, { instances: [] }), node })))
  for (const [from, to] of pairs) expect(log.append([{ type: 'replace', hosts: [{ from, to }], reason: 'moved' }])).toEqual([undefined])
  return log
}

describe('a host name in a call', () => {
  test.each<[string, ReturnType<typeof renamed>, string, readonly string[]]>([
    ['that no host ever had is unchanged', renamed([name('a')]), 'x', ['x']],
    ['that a present host has is unchanged', renamed([name('a'), name('b')], [name('a'), name('c')]), 'b', ['b']],
    ['of a replaced host means its present name', renamed([name('a')], [name('a'), name('b')]), 'a', ['b']],
    [
      'of a host that was replaced twice means its last name',
      renamed([name('a')], [name('a'), name('b')], [name('b'), name('c')]),
      'a',
      ['c'],
    ],
    [
      'of a replaced host that was merged into another host means that other host',
      renamed([name('a'), name('x')], [name('a'), name('b')], [name('x'), name('b')]),
      'a',
      ['b'],
    ],
    [
      'of a host whose nodes were renamed separately means the names of all nodes',
      renamed([name('a', 'n1'), name('a', 'n2')], [name('a', 'n1'), name('b', 'n1')], [name('a', 'n2'), name('c', 'n2')]),
      'a',
      ['b', 'c'],
    ],
    [
      'that one node of the host still has is unchanged',
      renamed([name('a', 'n1'), name('a', 'n2')], [name('a', 'n1'), name('b', 'n1')]),
      'a',
      ['a'],
    ],
  ])('%s', (_, { fleet }, asked, expected) => {
    expect(presentHosts(fleet.hosts, [asked])).toEqual(expected)
  })

  test('a readmitted former name does not refer to the renamed host, and later refers to the host that uses the name', () => {
    const log = renamed([name('a')], [name('a'), name('b')])
    log.append([{ type: 'readmit', ...name('a'), reason: 'another machine' }])
    expect(presentHosts(log.fleet.hosts, ['a'])).toEqual(['a'])
    expect(namesOf(log.fleet.hosts.get(0 as never))).toEqual(['b'])
    log.append([aReport('a', { instances: [] })])
    expect(presentName(log.fleet.hosts, name('a'))).toEqual(name('a'))
  })
})

test('the host names in a request are replaced by present names, and a request without former names is returned unchanged', () => {
  const log = renamed([name('a'), name('b')], [name('a'), name('c')])
  const asked = aRequest({
    forceHosts: ['a', 'b'],
    forceNodes: ['a'],
    ignoreHosts: ['c', 'a'],
    requestedDestination: { host: 'a', node: 'a' },
    instanceGroup: { uuid: '00000000-0000-4000-8000-000000000001', policy: 'AFFINITY', hosts: ['a'] },
  })
  expect(withPresentNames(log.fleet, asked)).toMatchObject({
    forceHosts: ['c', 'b'],
    forceNodes: ['c'],
    ignoreHosts: ['c'],
    requestedDestination: { host: 'c', node: 'c' },
    instanceGroup: { hosts: ['c'] },
  })
  const other = aRequest({ forceHosts: ['b'], ignoreHosts: ['x'], requestedDestination: { host: 'b' } })
  expect(withPresentNames(log.fleet, other)).toBe(other)
})

test('a node that a request names without a host is found by its former name', () => {
  const log = renamed([name('a', 'n1'), name('b')], [name('a', 'n1'), name('c', 'n2')])
  expect(withPresentNames(log.fleet, aRequest({ forceNodes: ['n1', 'b'] })).forceNodes).toEqual(['n2', 'b'])
})

test('a destination with only a former node name gets the present name, and an unknown node name is unchanged', () => {
  const log = renamed([name('a', 'n1'), name('b')], [name('a', 'n1'), name('c', 'n2')])
  const nodeOf = (node: string) => withPresentNames(log.fleet, aRequest({ requestedDestination: { node } })).requestedDestination
  expect(nodeOf('n1')).toMatchObject({ host: null, node: 'n2' })
  expect(nodeOf('n3')).toMatchObject({ host: null, node: 'n3' })
})

test('unknown node names are looked up without a visit to the hosts', () => {
  const log = renamed([name('a', 'n1'), name('b')], [name('a', 'n1'), name('c', 'n2')])
  const visits = [vi.spyOn(HostTable.prototype, 'present', 'get'), vi.spyOn(HostTable.prototype, 'records', 'get')]
  const forceNodes = [...Array.from({ length: 255 }, (_, i) => `none${i}`), 'n1']
  const present = withPresentNames(log.fleet, aRequest({ forceNodes })).forceNodes
  const visited = visits.flatMap(({ mock }) => mock.calls).length
  for (const spy of visits) spy.mockRestore()
  expect([present.length, present.at(-1), visited]).toEqual([256, 'n2', 0])
})

test('after any changes of names, node names are those of the hosts, in the fleet and its copies', () => {
  const log = aLog()
  const names = [name('a', 'n1'), name('a', 'n2'), name('b', 'n1'), name('n1'), name('c', 'n3'), name('d')]
  const known = [...new Set(names.flatMap(({ host, node }) => [host, node])), 'n4', 'e', 'none']
  const check = ({ hosts }: Fleet): void => {
    for (const asked of known) {
      const isFormer = ({ formerNames }: (typeof hosts.records)[number]) =>
        formerNames.some(({ node, isFree }) => !isFree && node === asked)
      expect([asked, hosts.hasNode(asked)]).toEqual([asked, hosts.present.some(({ node }) => node === asked)])
      expect([asked, hosts.formerNodesNamed(asked)]).toEqual([asked, hosts.records.filter(isFormer).map(({ index }) => index)])
    }
  }
  const replace = (from: HostName, to: HostName) => ({ type: 'replace' as const, hosts: [{ from, to }], reason: 'moved' })
  log.append(names.map(({ host, node }) => ({ ...aReport(host, { instances: [] }), node })))
  check(log.fleet)
  for (const change of [
    replace(name('a', 'n1'), name('e', 'n4')),
    replace(name('e', 'n4'), name('e', 'e')),
    replace(name('b', 'n1'), name('b', 'n3')),
    // the host n1 is merged into b
    replace(name('b', 'n3'), name('n1')),
    { type: 'forget' as const, hosts: [name('c', 'n3')], isForced: true, reason: 'broken' },
    { type: 'readmit' as const, ...name('a', 'n1'), reason: 'another machine' },
    { ...aReport('a', { instances: [] }), node: 'n1' },
    replace(name('e', 'e'), name('a', 'n4')),
  ]) {
    const before = copyFleet(log.fleet)
    expect(log.append([change])).toEqual([undefined])
    check(log.fleet)
    check(before)
  }
})

describe('searching for a host finds records under all names of the host', () => {
  test.each<[string, ReturnType<typeof renamed>, Parameters<typeof isNamedIn>[1][number], readonly HostName[], readonly HostName[]]>([
    [
      'under its old name, by its new name',
      renamed([name('a')], [name('a'), name('b')]),
      { host: 'b' },
      [name('a'), name('b')],
      [name('c')],
    ],
    [
      'under its new name, by its old name',
      renamed([name('a')], [name('a'), name('b')]),
      { host: 'a' },
      [name('a'), name('b')],
      [name('c')],
    ],
    [
      'by a name that is neither its first nor its last',
      renamed([name('a')], [name('a'), name('b')], [name('b'), name('c')]),
      { host: 'b', node: 'b' },
      [name('a'), name('b'), name('c')],
      [name('d')],
    ],
    [
      'also under the name of a host that was merged into it',
      renamed([name('a'), name('x')], [name('x'), name('y')], [name('a'), name('y')]),
      { host: 'a' },
      [name('a'), name('x'), name('y')],
      [],
    ],
    [
      'by its renamed nodes, and not by nodes that kept the old name',
      renamed([name('a', 'n1'), name('a', 'n2')], [name('a', 'n1'), name('b', 'n1')]),
      { host: 'b' },
      [name('a', 'n1'), name('b', 'n1')],
      [name('a', 'n2')],
    ],
    [
      'by its present name if another host now has its old name',
      (() => {
        const log = renamed([name('a')], [name('a'), name('b')])
        log.append([{ type: 'readmit', ...name('a'), reason: 'another machine' }])
        log.append([aReport('a', { instances: [] })])
        return log
      })(),
      { host: 'b' },
      [name('b')],
      [name('a')],
    ],
    ['by names that no host ever had', renamed([name('a')]), { host: 'x' }, [name('x'), name('x', 'n')], [name('a')]],
  ])('%s', (_, { fleet }, asked, its, others) => {
    const isMeant = isNamedIn(fleet.hosts, [asked])
    expect(its.filter(isMeant)).toEqual(its)
    expect(others.filter(isMeant)).toEqual([])
  })

  test('every host with several names is listed with all its names', () => {
    const { fleet } = renamed([name('a'), name('z')], [name('a'), name('b')], [name('b'), name('c')])
    expect(hostsOfManyNames(fleet.hosts)).toEqual([['c', 'a', 'b']])
    const namesIn = allNamesIn(hostsOfManyNames(fleet.hosts))
    expect([namesIn('b'), namesIn('z')]).toEqual([['c', 'a', 'b'], ['z']])
  })
})
