import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Change, FEATURE_LEVEL } from '../fleet/change.ts'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { type Fleet, Fleet as FleetOf } from '../fleet/fleet.ts'
import { Historian, histories } from '../fleet/history.suite.ts'
import { UNLISTED_TIMES } from '../fleet/levels.ts'
import { aLog, aMove, aReport, aUuid, type HostShape, someInstances } from '../testing/index.ts'
import { audit } from './audit.ts'
import { type Finding, severityOf } from './finding.ts'
import { DEFAULT_UNLISTED_AFTER_MS } from './listing.ts'
import { repairOf } from './repair.ts'
import { auditWorld } from './world.ts'

const HOUR = DEFAULT_UNLISTED_AFTER_MS
const [A, B, C, D] = [1, 2, 3, 4].map(aUuid) as [string, string, string, string]
const grants = { classes: { VCPU: 2 } }

const findingsOf = (fleet: Fleet, afterMs?: number): Finding[] => [...auditWorld(fleet, afterMs)].flatMap(({ findings }) => findings)
const inShort = ({ code, host, claim, actual }: Finding): string => [code, host, claim, actual].filter((part) => part !== null).join(' | ')

/** A log in which each step says what hosts report and callers do, and what is found at its end. */
class Scene {
  readonly log = aLog()
  #sequence = 0
  #now = 1_000

  constructor(hosts: readonly string[], level = FEATURE_LEVEL) {
    this.log.append([{ type: 'feature', level }, ...hosts.map((host) => aReport(host, { instances: [] }))], { at: this.#now })
  }

  after(ms: number): this {
    this.#now += ms
    // somebody else's entry brings the time
    this.log.append([{ type: 'abandon', account: 'clock', key: String(this.#now) }], { at: this.#now })
    return this
  }

  reports(host: string, shape: HostShape): this {
    this.#sequence++
    expect(this.log.append([aReport(host, shape, 1 + this.#sequence)], { at: this.#now })).toEqual([undefined])
    return this
  }

  lists(host: string, ...instances: string[]): this {
    const used = instances.length * 2
    return this.reports(host, { instances, vcpusUsed: used })
  }

  claims(id: string, host: string, instance: string, project = 'p'): this {
    const change = someInstances({ key: id, ids: [id], hosts: [host], instances: [instance], grants, mode: 'CONFIRM', project })
    expect(this.log.append([change], { at: this.#now })).toEqual([undefined])
    return this
  }

  moves(id: string, host: string, of: string): this {
    const { instance = null } = this.log.fleet.ledger.claims.get(of) ?? {}
    const source = { claim: of, fence: this.#fenceOf(of) }
    const move = aMove({ key: id, ids: [id], hosts: [host], grants, instances: [instance], mode: 'RESERVE', ttlMs: 9 * HOUR, source })
    expect(this.log.append([move], { at: this.#now })).toEqual([undefined])
    return this
  }

  confirms(claim: string): this {
    expect(this.log.append([{ type: 'confirm', claim, fence: this.#fenceOf(claim) }], { at: this.#now })).toEqual([undefined])
    return this
  }

  releases(claim: string): this {
    expect(this.log.append([{ type: 'release', claim, fence: this.#fenceOf(claim), reason: null }], { at: this.#now })).toEqual([undefined])
    return this
  }

  get found(): string[] {
    const { fleet } = this.log
    const found = findingsOf(fleet).map(inShort)
    // all of it follows from what checkpoints hold
    const twin = restoreFleet(JSON.parse(JSON.stringify(checkpointOf(fleet))))
    expect(findingsOf(twin).map(inShort)).toEqual(found)
    return found
  }

  #fenceOf(claim: string): number {
    return this.log.fleet.ledger.claims.get(claim)?.fence ?? 0
  }
}

describe('instances that two hosts list', () => {
  test('an instance is found on two hosts, whether it has a claim on one of them or on none', () => {
    expect(new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).lists('h2', A).found).toEqual(['instance.two_hosts | h2 | h1, h2'])
    expect(new Scene(['h1', 'h2']).lists('h1', A).lists('h2', A).found).toEqual([
      `instance.unclaimed | h1 | 1 without: ${A}`,
      `instance.unclaimed | h2 | 1 without: ${A}`,
      'instance.two_hosts | h2 | h1, h2',
    ])
  })

  test('both ends of an open move list it: nothing is found, and a third host is', () => {
    const scene = new Scene(['h1', 'h2', 'h3']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a').lists('h2', A)
    expect(scene.found).toEqual([])
    expect(scene.lists('h3', A).found).toEqual(['instance.two_hosts | h2 | h1, h2, h3', 'instance.two_hosts | h3 | h1, h2, h3'])
  })

  test('the host that it left may list it until its claim there has been over for the stated time', () => {
    const scene = new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a').lists('h2', A).confirms('b')
    expect(scene.found).toEqual([])
    expect(scene.after(HOUR - 1).found).toEqual([])
    expect(scene.after(1).found).toEqual(['instance.two_hosts | h1 | h2, h1'])
    expect(scene.lists('h1').found).toEqual([])
  })

  test('what a host listed before it stopped listing at all is no news', () => {
    const scene = new Scene(['h1', 'h2']).claims('a', 'h2', A).lists('h2', A).lists('h1', A).reports('h1', { instances: null })
    expect(scene.found).toEqual([])
  })
})

describe('an instance that moves', () => {
  const moving = () => new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a')

  test('is found once neither of its two hosts has listed it for the stated time', () => {
    const scene = moving()
      .lists('h1')
      .after(HOUR - 1)
    expect(scene.found).toEqual([])
    expect(scene.after(1).found).toEqual([expect.stringMatching(/^instance\.unlisted \| h1 \| a \| none since /)])
  })

  test('is not missed where its destination lists it, or lists nothing at all', () => {
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

const optionsOf = (fleet: Fleet, finding: Finding): string[] => [...repairOf(fleet, finding).options].map(({ name }) => name)

describe('repairs of what hosts report', () => {
  /** The options of the one finding of a code, and what each does. */
  const repairs = (scene: Scene, code: Finding['code'], host?: string): string[] => {
    const { fleet } = scene.log
    const found = findingsOf(fleet).filter((one) => one.code === code && (host === undefined || one.host === host))
    expect(found).toHaveLength(1)
    return found.flatMap((finding) =>
      [...repairOf(fleet, finding).options].map(({ name, act }) => {
        if (act.type === 'move') return `${name}: ${act.claim.id} to ${act.to.host}`
        if (act.type === 'claim')
          return `${name}: of ${act.reported === null ? 'a stated size' : JSON.stringify(Object.values(act.reported))}`
        return act.type === 'nothing' ? `${name}: nothing` : `${name}: ${act.toChange('why').type}`
      }),
    )
  }
  const machine = (machineId: string, instances: string[] = []) => ({ instances, machineId, vcpusUsed: 2 * instances.length })

  test.each<readonly [string, Scene, Finding['code'], readonly string[]]>([
    [
      'of two hosts that list an instance, the one that its claim is on may keep it, or the claim goes to the other',
      new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).lists('h2', A),
      'instance.two_hosts',
      ['host:h1: nothing', 'host:h2: a to h2'],
    ],
    [
      'where it has no claim, one is made on the host that keeps it, of the size that an operator states',
      new Scene(['h1', 'h2']).lists('h1', A).lists('h2', A),
      'instance.two_hosts',
      ['host:h1: of a stated size', 'host:h2: of a stated size'],
    ],
    [
      'with claims in two projects, these are told apart first',
      new Scene(['h1', 'h2', 'h3']).claims('a', 'h1', A, 'p1').claims('b', 'h2', A, 'p2').lists('h1', A).lists('h3', A),
      'instance.two_hosts',
      ['host:h1: nothing', 'host:h3: nothing'],
    ],
    [
      'a claim goes to the one host that lists its instance',
      new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h2', A),
      'instance.other_host',
      ['host:h2: a to h2'],
    ],
    [
      'where several list it, an operator says to which',
      new Scene(['h1', 'h2', 'h3']).claims('a', 'h1', A).lists('h2', A).lists('h3', A),
      'instance.other_host',
      ['host:h2: a to h2', 'host:h3: a to h3'],
    ],
    [
      'of one instance without a claim, the size is what the report leaves; it may be too little to be one',
      new Scene(['h1']).claims('a', 'h1', A).reports('h1', { instances: [A, B], vcpusUsed: 5, memoryMbUsed: 1_024, localGbUsed: 7 }),
      'instance.unclaimed',
      [`instance:${B}: of [3,1024,7]`],
    ],
    [
      'where the report leaves no memory for it, the size is stated',
      new Scene(['h1']).reports('h1', { instances: [B], vcpusUsed: 5 }),
      'instance.unclaimed',
      [`instance:${B}: of a stated size`],
    ],
    [
      'of several without a claim, an operator says which, and how large',
      new Scene(['h1']).reports('h1', { instances: [B, C], vcpusUsed: 4, memoryMbUsed: 2_048 }),
      'instance.unclaimed',
      [`instance:${B}: of a stated size`, `instance:${C}: of a stated size`],
    ],
    [
      'one machine goes by either of its names',
      new Scene(['h1', 'h2']).reports('h1', machine('m1')).reports('h2', machine('m1')),
      'host.same_machine',
      ['host:h2: replace', 'host:h1: replace'],
    ],
    [
      'a report that counts too little gives way to the claims, or a claim of an instance that is gone ends',
      new Scene(['h1']).claims('a', 'h1', A).reports('h1', { instances: [A] }),
      'use.below_claims',
      ['used-from-claims: usedFrom', 'claim:a: revoke'],
    ],
    [
      'a host that lists nothing lets its used amounts come from claims',
      new Scene(['h1']).claims('a', 'h1', A).reports('h1', { instances: null }),
      'use.no_instances',
      ['used-from-claims: usedFrom'],
    ],
  ])('%s', (_, scene, code, expected) => {
    expect(repairs(scene, code)).toEqual(expected)
  })

  test('what was found and is so no more has no option', () => {
    const later: readonly (readonly [Scene, Finding['code'], (scene: Scene) => Scene])[] = [
      [new Scene(['h1', 'h2']).lists('h1', A).lists('h2', A), 'instance.two_hosts', (scene) => scene.lists('h2')],
      [new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h2', A), 'instance.other_host', (scene) => scene.lists('h1', A)],
      [new Scene(['h1']).lists('h1', A), 'instance.unclaimed', (scene) => scene.lists('h1')],
      [
        new Scene(['h1', 'h2']).reports('h1', machine('m1')).reports('h2', machine('m1')),
        'host.same_machine',
        (scene) => scene.reports('h2', machine('m2')),
      ],
    ]
    for (const [scene, code, change] of later) {
      const finding = findingsOf(scene.log.fleet).find((one) => one.code === code)
      if (finding === undefined) throw new Error(`${code} was not found`)
      expect(optionsOf(scene.log.fleet, finding), code).not.toEqual([])
      expect(optionsOf(change(scene).log.fleet, finding), code).toEqual([])
    }
  })
})

describe('an instance of which its destination knew last', () => {
  const movedAway = () => new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a').lists('h1').lists('h2', A)
  const missed = [expect.stringMatching(/^instance\.unlisted \| h1 \| a \| none since /)]

  test('is asked for at its source from the end of the move on', () => {
    const scene = movedAway()
      .after(2 * HOUR)
      .releases('b')
      .lists('h2')
    expect(scene.found).toEqual([])
    expect(scene.after(HOUR - 1).found).toEqual([])
    expect(scene.after(1).found).toEqual(missed)
  })

  test('has been missing since the destination does not list it either', () => {
    const scene = movedAway().after(HOUR).lists('h2')
    expect(scene.found).toEqual([])
    expect(scene.after(HOUR - 1).found).toEqual([])
    expect(scene.after(1).found).toEqual(missed)
  })
})

describe('repairs of an instance with claims in two projects', () => {
  const repairs = (scene: Scene): string[] => {
    const { fleet } = scene.log
    const [finding] = [...audit(fleet)].flatMap(({ findings }) => findings)
    expect(finding?.code).toBe('instance.elsewhere')
    return finding === undefined ? [] : optionsOf(fleet, finding)
  }
  const scene = () => new Scene(['h1', 'h2']).claims('a', 'h1', A, 'p1').claims('b', 'h2', A, 'p2').lists('h1', A)

  test('the claim is ended whose host lists its instances without this one', () => {
    expect(repairs(scene())).toEqual(['claim:b'])
  })

  test('a host that lists no instances does not say that it runs none: nothing is guessed, and an operator chooses', () => {
    expect(repairs(scene().reports('h2', { instances: null }))).toEqual(['claim:a', 'claim:b'])
  })
})

describe('claims whose instance nobody lists', () => {
  test('one that never came is found after the stated time, not before', () => {
    const scene = new Scene(['h1']).claims('a', 'h1', A).after(HOUR - 1)
    expect(scene.found).toEqual([])
    expect(scene.after(1).found).toEqual(['instance.unlisted | h1 | a | none since 1970-01-01T00:00:01.000Z'])
    expect(findingsOf(scene.log.fleet, 2 * HOUR)).toEqual([])
  })

  test('time goes on while nothing is written', () => {
    const { log } = new Scene(['h1']).claims('a', 'h1', A)
    const codes = (now: number): string[] =>
      [...auditWorld(log.fleet, HOUR, now)].flatMap(({ findings }) => findings.map(({ code }) => code))
    expect(codes(999 + HOUR)).toEqual([])
    expect(codes(1_000 + HOUR)).toEqual(['instance.unlisted'])
  })

  test('one that went is counted from the report that did not list it, and is well once it is listed again', () => {
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

  test('a delta that takes it off the list counts as a report does', () => {
    const scene = new Scene(['h1']).claims('a', 'h1', A).lists('h1', A)
    const delta = { baseSequence: 2, vcpusUsed: 0, memoryMbUsed: 0, localGbUsed: 0, removeInstances: [A] }
    const incarnation = aReport('h1').incarnation
    expect(scene.log.append([{ type: 'report', host: 'h1', node: 'h1', incarnation, sequence: 3, delta }], { at: 2_000 })).toEqual([
      undefined,
    ])
    expect(scene.log.fleet.ledger.claims.get('a')?.unlistedAt).toBe(2_000)
  })

  test('a host that lists nothing says nothing about its claims', () => {
    const scene = new Scene(['h1'])
      .claims('a', 'h1', A)
      .reports('h1', { instances: null })
      .after(9 * HOUR)
    expect(scene.found).toEqual(['use.no_instances | h1 | not listed'])
  })

  test('of an open move the source is named, once; its destination is not', () => {
    const scene = new Scene(['h1', 'h2'])
      .claims('a', 'h1', A)
      .moves('b', 'h2', 'a')
      .after(2 * HOUR)
    expect(scene.found).toEqual([expect.stringMatching(/^instance\.unlisted \| h1 \| a /)])
  })

  test('where another host lists it, that host is named at once', () => {
    const scene = new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h2', A)
    expect(scene.found).toEqual(['instance.other_host | h1 | a | h2'])
  })

  test('a host that lists nothing hides no instance that another host lists', () => {
    const scene = new Scene(['h1', 'h2', 'h3']).claims('a', 'h1', A).reports('h1', { instances: null })
    expect(scene.after(9 * HOUR).found).toEqual(['use.no_instances | h1 | not listed'])
    const found = scene.lists('h2', A)
    expect(found.found).toEqual(['use.no_instances | h1 | not listed', 'instance.other_host | h1 | a | h2'])
    // neither does one whose used amounts come from claims
    const sets: Change = { type: 'usedFrom', host: 'h1', node: 'h1', usedFrom: 'CLAIMS', reason: 'it lists nothing' }
    expect(scene.log.append([sets])).toEqual([undefined])
    expect(scene.found).toEqual(['instance.other_host | h1 | a | h2'])
    const [finding] = findingsOf(scene.log.fleet)
    const { text, options } = repairOf(scene.log.fleet, finding as Finding)
    expect(text).toMatch(/^h1 does not list its instances: see whether it runs this one too/)
    expect([...options].map(({ name }) => name)).toEqual(['host:h2'])
    // an open move to a host that lists nothing: a third host has it
    const moving = new Scene(['h1', 'h2', 'h3']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a').lists('h1')
    expect(moving.reports('h2', { instances: null }).lists('h3', A).found).toEqual([
      'use.no_instances | h2 | not listed',
      'instance.other_host | h1 | a | h3',
    ])
  })

  test('before the level that keeps the time nothing is found; from it on the time counts from the level', () => {
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

describe('instances that no claim covers', () => {
  test('are counted for each host, and the first three named', () => {
    expect(new Scene(['h1']).lists('h1', A, B, C, D).found).toEqual([`instance.unclaimed | h1 | 4 without: ${A}, ${B}, ${C} and 1 more`])
  })

  test('one whose claim was released is one only after the stated time', () => {
    const scene = new Scene(['h1']).claims('a', 'h1', A).lists('h1', A).releases('a')
    expect(scene.found).toEqual([])
    expect(scene.after(HOUR).found).toEqual([`instance.unclaimed | h1 | 1 without: ${A}`])
  })

  test('they are a notice', () => {
    expect(severityOf('instance.unclaimed')).toBe('NOTICE')
  })
})

describe('one machine under two names', () => {
  test('is found on the later host; one that has left the name behind is not', () => {
    const scene = new Scene(['h1', 'h2', 'h3'])
      .reports('h1', { instances: [], machineId: 'm1' })
      .reports('h2', { instances: [], machineId: 'm2' })
      .reports('h3', { instances: [], machineId: 'm1' })
    expect(scene.found).toEqual(['host.same_machine | h3 | as h1'])
    expect(scene.reports('h1', { instances: [], machineId: 'm3' }).found).toEqual([])
  })

  test('hosts that do not say which machine they are are no one machine', () => {
    expect(new Scene(['h1', 'h2']).found).toEqual([])
  })

  test.each(['Not Specified', '00000000-0000-0000-0000-000000000000', ' '])('%j is what firmware says without an identity', (machineId) => {
    const report = { instances: [], machineId }
    expect(new Scene(['h1', 'h2']).reports('h1', report).reports('h2', report).found).toEqual([])
  })

  test('the nodes of one host may be reported from one machine', () => {
    const scene = new Scene(['h1'])
    const report = aReport('h1', { instances: [], machineId: 'm1' }, 7)
    scene.log.append([report, { ...report, node: 'n2' }])
    expect(scene.found).toEqual([])
  })
})

describe('as Nova and Placement know it', () => {
  test('a host comes back after an evacuation and lists what was moved off it (destroy_evacuated_instances)', () => {
    const scene = new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a').confirms('b').after(HOUR).lists('h2', A)
    expect(scene.lists('h1', A).found).toEqual(['instance.two_hosts | h1 | h2, h1'])
    expect(scene.lists('h1').found).toEqual([])
  })

  test('a move in place holds its instance twice on one host, which is no second instance (resize to the same host)', () => {
    const scene = new Scene(['h1']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h1', 'a')
    expect(scene.found).toEqual([])
    expect(scene.confirms('b').found).toEqual([])
  })

  test('claims are left behind by instances that were deleted meanwhile, each by itself (nova-manage placement audit)', () => {
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

  test('an allocation on the wrong host is found there, and gone once the claim has moved (heal_allocations after a manual move)', () => {
    const scene = new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).lists('h2', A).lists('h1')
    expect(scene.found).toEqual(['instance.other_host | h1 | a | h2'])
    expect(scene.moves('b', 'h2', 'a').confirms('b').lists('h2', A).found).toEqual([])
  })
})

test('Z18a: a report lists the instance and counts nothing: what is used contradicts the claims', () => {
  const scene = new Scene(['h1']).claims('a', 'h1', A).reports('h1', { instances: [A], vcpusUsed: 0 })
  expect(scene.found).toEqual(['use.below_claims | h1 | 0'])
})

test('Z05: the same agent reports under another name: one machine twice, and each instance on two hosts', () => {
  const scene = new Scene(['old']).claims('a', 'old', A)
  const machine: HostShape = { instances: [A], vcpusUsed: 2, machineId: 'm1' }
  scene.reports('old', machine)
  scene.log.append([aReport('new', machine)])
  expect(scene.found).toEqual(['host.same_machine | new | as old', 'instance.two_hosts | new | old, new'])
})

test('what hosts report is never a violation, whatever it is; nothing is found twice', () => {
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
    { seed: 15, numRuns: 100 },
  )
})
