import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { Fleet as FleetOf } from '../fleet/fleet.ts'
import { Historian, histories } from '../fleet/history.suite.ts'
import { type Change, FEATURE_LEVEL } from '../records/change.ts'
import { aLog, aReport, type HostShape, someInstances } from '../testing/index.ts'
import { UNLISTED_TIMES } from '../values/levels.ts'
import { SLICE } from '../values/steps.ts'
import { audit, type Looked } from './audit.ts'
import { type Finding, severityOf } from './finding.ts'
import { MAX_FINDINGS } from './ledger.ts'
import { NAMED_HOSTS } from './listing.ts'
import { repairOf } from './repair.ts'
import { A, B, C, D, findingsOf, HOUR, Scene } from './testing/scene.ts'
import { auditWorld } from './world.ts'

describe('instances that two hosts list', () => {
  test('an instance on two hosts is found if it has a claim on one of them, and if it has no claim', () => {
    expect(new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).lists('h2', A).found).toEqual(['instance.two_hosts | h2 | h1, h2'])
    expect(new Scene(['h1', 'h2']).lists('h1', A).lists('h2', A).found).toEqual([
      `instance.unclaimed | h1 | 1 without: ${A}`,
      `instance.unclaimed | h2 | 1 without: ${A}`,
      'instance.two_hosts | h2 | h1, h2',
    ])
  })

  test('both hosts of an open move may list the instance; a third host that lists it is found', () => {
    const scene = new Scene(['h1', 'h2', 'h3']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a').lists('h2', A)
    expect(scene.found).toEqual([])
    expect(scene.lists('h3', A).found).toEqual(['instance.two_hosts | h2 | h1, h2, h3'])
  })

  test('the former host of a moved instance may list it for one hour after its claim there ended', () => {
    const scene = new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a').lists('h2', A).confirms('b')
    expect(scene.found).toEqual([])
    expect(scene.after(HOUR - 1).found).toEqual([])
    expect(scene.after(1).found).toEqual(['instance.two_hosts | h1 | h2, h1'])
    expect(scene.lists('h1').found).toEqual([])
  })

  test('if a host stops listing instances, its earlier list is ignored', () => {
    const scene = new Scene(['h1', 'h2']).claims('a', 'h2', A).lists('h2', A).lists('h1', A).reports('h1', { instances: null })
    expect(scene.found).toEqual([])
  })
})

describe('an instance that very many hosts list', () => {
  const HOSTS = 400
  const looksAt = (listed: (host: number) => string[]): Looked[] => {
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }])
    log.append(Array.from({ length: HOSTS }, (_, i) => aReport(`h${i}`, { instances: listed(i) })))
    return [...auditWorld(log.fleet)]
  }

  test('there is one finding, which names ten hosts and counts the others; the hosts are checked in many steps', () => {
    const looks = looksAt(() => [A])
    const found = looks.flatMap(({ findings }) => findings).filter(({ code }) => code === 'instance.two_hosts')
    const first = Array.from({ length: NAMED_HOSTS }, (_, i) => `h${i}`).join(', ')
    expect(found.map(({ actual, hosts }) => [actual, hosts?.length])).toEqual([[`${first} and ${HOSTS - NAMED_HOSTS} more`, NAMED_HOSTS]])
    expect(looks.length).toBeGreaterThanOrEqual(HOSTS + HOSTS / SLICE)
  })

  test('claims in very many projects cause a bounded number of findings with short texts', () => {
    const scene = new Scene(Array.from({ length: 2 * MAX_FINDINGS }, (_, i) => `h${i}`))
    for (let i = 0; i < 2 * MAX_FINDINGS - 1; i++) scene.claims(`c${i}`, `h${i}`, A, `p${i}`)
    const hosts = scene.lists(`h${2 * MAX_FINDINGS - 1}`, A).log.fleet
    const [world, state] = [[...auditWorld(hosts)], [...audit(hosts)]].map((looks) => looks.flatMap(({ findings }) => findings))
    expect(world?.map(({ code }) => code)).toEqual(Array.from({ length: MAX_FINDINGS }, () => 'instance.other_host'))
    expect(state?.map(({ code }) => code)).toEqual(Array.from({ length: MAX_FINDINGS }, () => 'instance.elsewhere'))
    expect(state?.at(-1)?.actual).toBe(`c${MAX_FINDINGS} of project p${MAX_FINDINGS} and ${MAX_FINDINGS - 2} more`)
  })
})

describe('a reservation does not hide an instance that runs on another host', () => {
  const reserved = (account: string) =>
    someInstances({
      ...{ account, key: 'r', ids: ['r'], hosts: ['h1'], instances: [A], mode: 'RESERVE', ttlMs: HOUR, grants: { classes: { VCPU: 2 } } },
    })

  test.each(['a', 'another'])(
    'an instance without a claim on its host is found while account %s reserves its id on another host',
    (account) => {
      const scene = new Scene(['h1', 'h2']).lists('h2', A)
      expect(scene.log.append([reserved(account)], { at: 1_000 })).toEqual([undefined])
      expect(scene.found).toEqual([`instance.unclaimed | h2 | 1 without: ${A}`])
      const [finding] = findingsOf(scene.log.fleet)
      const options = [...repairOf(scene.log.fleet, finding as Finding).options]
      expect(options.map(({ name, action }) => [name, action.type])).toEqual([[`instance:${A}`, 'nothing']])
      expect(options[0]?.text).toContain(
        'First end claim r, which reserves the instance on h1 (gantt claims revoke), or wait until it expires.',
      )
    },
  )

  test('an instance that runs on another host than its reservation is found; on the reserved host it is not', () => {
    const scene = new Scene(['h1', 'h2'])
    scene.log.append([reserved('a')], { at: 1_000 })
    expect(scene.found).toEqual([])
    expect(scene.lists('h2', A).found).toEqual([`instance.unclaimed | h2 | 1 without: ${A}`])
    expect(scene.lists('h2').lists('h1', A).found).toEqual([])
  })

  test('the destination of an open move does not hide a third host that lists the instance', () => {
    const scene = new Scene(['h1', 'h2', 'h3']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a').lists('h1').lists('h3', A)
    expect(scene.found).toEqual(['instance.other_host | h1 | a | h3'])
  })
})

describe('an instance that moves', () => {
  const moving = () => new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a')

  test('a moving instance is missing after neither of its two hosts has listed it for one hour', () => {
    const scene = moving()
      .lists('h1')
      .after(HOUR - 1)
    expect(scene.found).toEqual([])
    expect(scene.after(1).found).toEqual([expect.stringMatching(/^instance\.unlisted \| h1 \| a \| none since /)])
  })

  test('a moving instance is not missing if its destination lists it, or reports no list', () => {
    expect(
      moving()
        .lists('h1')
        .lists('h2', A)
        .after(2 * HOUR).found,
    ).toEqual([])
    expect(
      moving()
        .lists('h1')
        .reports('h2', { instances: null })
        .after(2 * HOUR).found,
    ).not.toContainEqual(expect.stringContaining('instance.unlisted'))
  })
})

describe('claims of instances that no host lists', () => {
  test('an instance that no host ever listed is missing after the configured time, not before', () => {
    const scene = new Scene(['h1']).claims('a', 'h1', A).after(HOUR - 1)
    expect(scene.found).toEqual([])
    expect(scene.after(1).found).toEqual(['instance.unlisted | h1 | a | none since 1970-01-01T00:00:01.000Z'])
    expect(findingsOf(scene.log.fleet, 2 * HOUR)).toEqual([])
  })

  test('an instance becomes missing as time passes, without a new entry of the log', () => {
    const { log } = new Scene(['h1']).claims('a', 'h1', A)
    const codes = (now: number): string[] =>
      [...auditWorld(log.fleet, HOUR, now)].flatMap(({ findings }) => findings.map(({ code }) => code))
    expect(codes(999 + HOUR)).toEqual([])
    expect(codes(1_000 + HOUR)).toEqual(['instance.unlisted'])
  })

  test('an instance is missing since the first report without it, and the finding ends with the next report that lists it', () => {
    const scene = new Scene(['h1'])
      .claims('a', 'h1', A)
      .lists('h1', A)
      .after(5 * HOUR)
      .lists('h1')
      .after(HOUR - 1)
    expect(scene.found).toEqual([])
    expect(scene.after(1).found).toEqual(['instance.unlisted | h1 | a | none since 1970-01-01T05:00:01.000Z'])
    expect(scene.lists('h1', A).found).toEqual([])
    expect(scene.log.fleet.ledger.claims.get('a')?.unlistedAt).toBeNull()
  })

  test('an instance counts as missing from the time of the delta that removes it from the list', () => {
    const scene = new Scene(['h1']).claims('a', 'h1', A).lists('h1', A)
    const delta = { baseSequence: 2, vcpusUsed: 0, memoryMbUsed: 0, localGbUsed: 0, removeInstances: [A] }
    const incarnation = aReport('h1').incarnation
    expect(scene.log.append([{ type: 'report', host: 'h1', node: 'h1', incarnation, sequence: 3, delta }], { at: 2_000 })).toEqual([
      undefined,
    ])
    expect(scene.log.fleet.ledger.claims.get('a')?.unlistedAt).toBe(2_000)
  })

  test('a host that reports no instance list does not contradict its claims', () => {
    const scene = new Scene(['h1'])
      .claims('a', 'h1', A)
      .reports('h1', { instances: null })
      .after(9 * HOUR)
    expect(scene.found).toEqual(['use.no_instances | h1 | not listed'])
  })

  test('a missing instance in an open move is reported once, for the source claim', () => {
    const scene = new Scene(['h1', 'h2'])
      .claims('a', 'h1', A)
      .moves('b', 'h2', 'a')
      .after(2 * HOUR)
    expect(scene.found).toEqual([expect.stringMatching(/^instance\.unlisted \| h1 \| a /)])
  })

  test('a claim whose instance is listed by another host is found at once', () => {
    const scene = new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h2', A)
    expect(scene.found).toEqual(['instance.other_host | h1 | a | h2'])
  })

  test('an instance on another host is found even if the host of the claim reports no instance list', () => {
    const scene = new Scene(['h1', 'h2', 'h3']).claims('a', 'h1', A).reports('h1', { instances: null })
    expect(scene.after(9 * HOUR).found).toEqual(['use.no_instances | h1 | not listed'])
    const found = scene.lists('h2', A)
    expect(found.found).toEqual(['use.no_instances | h1 | not listed', 'instance.other_host | h1 | a | h2'])
    // The finding stays if operators decide that the used amounts of the host are computed from its claims.
    const sets: Change = { type: 'usedFrom', host: 'h1', node: 'h1', usedFrom: 'CLAIMS', reason: 'it lists nothing' }
    expect(scene.log.append([sets])).toEqual([undefined])
    expect(scene.found).toEqual(['instance.other_host | h1 | a | h2'])
    const [finding] = findingsOf(scene.log.fleet)
    const { text, options } = repairOf(scene.log.fleet, finding as Finding)
    expect(text).toMatch(/^h1 does not list its instances\. If it also runs this instance, stop one of the two copies/)
    expect([...options].map(({ name }) => name)).toEqual(['host:h2'])
    // The destination of an open move reports no instance list, and a third host lists the instance.
    const moving = new Scene(['h1', 'h2', 'h3']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a').lists('h1')
    expect(moving.reports('h2', { instances: null }).lists('h3', A).found).toEqual([
      'use.no_instances | h2 | not listed',
      'instance.other_host | h1 | a | h3',
    ])
  })

  test('below the feature level that records the time, no instance is missing; the time starts at the entry that raises the level', () => {
    const scene = new Scene(['h1'], UNLISTED_TIMES - 1)
      .claims('a', 'h1', A)
      .lists('h1', A)
      .lists('h1')
      .after(9 * HOUR)
    expect(scene.found).toEqual([])
    scene.log.append([{ type: 'feature', level: UNLISTED_TIMES }], { at: 10 * HOUR })
    expect(scene.found).toEqual([])
    scene.log.append([{ type: 'abandon', account: 'clock', key: 'k' }], { at: 11 * HOUR })
    expect(scene.found).toEqual(['instance.unlisted | h1 | a | none since 1970-01-01T10:00:00.000Z'])
  })
})

describe('listed instances without a claim', () => {
  test('instances without a claim are counted for each host, and the first three are named', () => {
    expect(new Scene(['h1']).lists('h1', A, B, C, D).found).toEqual([`instance.unclaimed | h1 | 4 without: ${A}, ${B}, ${C} and 1 more`])
  })

  test('an instance with a released claim is found only one hour after the release', () => {
    const scene = new Scene(['h1']).claims('a', 'h1', A).lists('h1', A).releases('a')
    expect(scene.found).toEqual([])
    expect(scene.after(HOUR).found).toEqual([`instance.unclaimed | h1 | 1 without: ${A}`])
  })

  test('instances without a claim are a notice', () => {
    expect(severityOf('instance.unclaimed')).toBe('NOTICE')
  })
})

describe('one machine under two names', () => {
  test('if two hosts report one machine id, the later host has the finding, until one of them reports another id', () => {
    const scene = new Scene(['h1', 'h2', 'h3'])
      .reports('h1', { instances: [], machineId: 'm1' })
      .reports('h2', { instances: [], machineId: 'm2' })
      .reports('h3', { instances: [], machineId: 'm1' })
    expect(scene.found).toEqual(['host.same_machine | h3 | as h1'])
    expect(scene.reports('h1', { instances: [], machineId: 'm3' }).found).toEqual([])
  })

  test('hosts without a reported machine id are not treated as one machine', () => {
    expect(new Scene(['h1', 'h2']).found).toEqual([])
  })

  test.each(['Not Specified', '00000000-0000-0000-0000-000000000000', ' '])(
    'the firmware value %j does not identify a machine',
    (machineId) => {
      const report = { instances: [], machineId }
      expect(new Scene(['h1', 'h2']).reports('h1', report).reports('h2', report).found).toEqual([])
    },
  )

  test('the nodes of one host may have the same machine id', () => {
    const scene = new Scene(['h1'])
    const report = aReport('h1', { instances: [], machineId: 'm1' }, 7)
    scene.log.append([report, { ...report, node: 'n2' }])
    expect(scene.found).toEqual([])
  })
})

describe('situations of Nova and Placement', () => {
  test('a host comes back after an evacuation and lists instances that were moved away (destroy_evacuated_instances)', () => {
    const scene = new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a').confirms('b').after(HOUR).lists('h2', A)
    expect(scene.lists('h1', A).found).toEqual(['instance.two_hosts | h1 | h2, h1'])
    expect(scene.lists('h1').found).toEqual([])
  })

  test('a move in place has two claims of its instance on one host, and that is not a finding (resize to the same host)', () => {
    const scene = new Scene(['h1']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h1', 'a')
    expect(scene.found).toEqual([])
    expect(scene.confirms('b').found).toEqual([])
  })

  test('claims of instances that were deleted are findings (nova-manage placement audit)', () => {
    const scene = new Scene(['h1']).claims('a', 'h1', A).claims('b', 'h1', B).claims('c', 'h1', C).lists('h1', A, B, C)
    expect(scene.after(HOUR).lists('h1', B).after(HOUR).found).toEqual([
      'instance.unlisted | h1 | a | none since 1970-01-01T01:00:01.000Z',
      'instance.unlisted | h1 | c | none since 1970-01-01T01:00:01.000Z',
    ])
    expect(scene.releases('a').releases('c').found).toEqual([])
  })

  test('an instance without an allocation is healed by claiming it where it runs (nova-manage placement heal_allocations)', () => {
    const scene = new Scene(['h1']).lists('h1', A)
    expect(scene.found).toEqual([`instance.unclaimed | h1 | 1 without: ${A}`])
    expect(scene.claims('a', 'h1', A).found).toEqual([])
    expect(scene.lists('h1', A).log.fleet.ledger.claims.get('a')?.state).toBe('MATERIALISED')
  })

  test('an allocation on the wrong host is found, and the finding ends when the claim has moved (heal_allocations after a manual move)', () => {
    const scene = new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).lists('h2', A).lists('h1')
    expect(scene.found).toEqual(['instance.other_host | h1 | a | h2'])
    expect(scene.moves('b', 'h2', 'a').confirms('b').lists('h2', A).found).toEqual([])
  })
})

test('Z18a: a report that lists the instance and counts no use contradicts the claims', () => {
  const scene = new Scene(['h1']).claims('a', 'h1', A).reports('h1', { instances: [A], vcpusUsed: 0 })
  expect(scene.found).toEqual(['use.below_claims | h1 | 0'])
})

test('Z05: if an agent reports under a second host name, the machine is found under two names and its instance on two hosts', () => {
  const scene = new Scene(['old']).claims('a', 'old', A)
  const machine: HostShape = { instances: [A], vcpusUsed: 2, machineId: 'm1' }
  scene.reports('old', machine)
  scene.log.append([aReport('new', machine)])
  expect(scene.found).toEqual(['host.same_machine | new | as old', 'instance.two_hosts | new | old, new'])
})

test('no report of a host causes a violation, and no finding occurs twice', () => {
  fc.assert(
    fc.property(histories, fc.constantFrom(3, 8, FEATURE_LEVEL), (steps, level) => {
      const fleet = new FleetOf()
      const historian = new Historian(level)
      fleet.apply(historian.first(fleet))
      for (const step of steps) fleet.apply(historian.next(fleet, step))
      const found = findingsOf(fleet)
      expect(found.filter(({ code }) => severityOf(code) === 'VIOLATION')).toEqual([])
      const names = found.map(({ code, name, field, claim, host }) => `${code} ${name} ${field} ${claim} ${host}`)
      expect(new Set(names).size).toBe(names.length)
      expect(findingsOf(restoreFleet(JSON.parse(JSON.stringify(checkpointOf(fleet)))))).toEqual(found)
    }),
    { seed: 15, numRuns: byExtent(30, 100) },
  )
})
