import { describe, expect, test } from 'vitest'
import type { Fleet } from '../fleet/fleet.ts'
import { audit } from './audit.ts'
import type { Finding } from './finding.ts'
import { listingOf, repairOf } from './repair.ts'
import { A, B, C, findingsOf, HOUR, Scene } from './testing/scene.ts'

const optionsOf = (fleet: Fleet, finding: Finding): string[] => [...repairOf(fleet, finding).options].map(({ name }) => name)

describe('repairs of contradictions in reports', () => {
  /** The repair options of the only finding with the code `code`, each with its effect. */
  const repairs = (scene: Scene, code: Finding['code'], host?: string): string[] => {
    const { fleet } = scene.log
    const found = findingsOf(fleet).filter((one) => one.code === code && (host === undefined || one.host === host))
    expect(found).toHaveLength(1)
    return found.flatMap((finding) =>
      [...repairOf(fleet, finding).options].map(({ name, action }) => {
        if (action.type === 'move') return `${name}: ${action.claim.id} to ${action.to.host}`
        if (action.type === 'claim')
          return `${name}: of ${action.reported === null ? 'a stated size' : JSON.stringify(Object.values(action.reported))}`
        return action.type === 'nothing' ? `${name}: nothing` : `${name}: ${action.toChange('why').type}`
      }),
    )
  }
  const machine = (machineId: string, instances: string[] = []) => ({ instances, machineId, vcpusUsed: 2 * instances.length })

  test.each<readonly [string, Scene, Finding['code'], readonly string[]]>([
    [
      'if two hosts list an instance, it stays on the host of its claim, or the claim moves to the other host',
      new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).lists('h2', A),
      'instance.two_hosts',
      ['host:h1: nothing', 'host:h2: a to h2'],
    ],
    [
      'if two hosts list an instance without a claim, a claim with a stated size is created on the chosen host',
      new Scene(['h1', 'h2']).lists('h1', A).lists('h2', A),
      'instance.two_hosts',
      ['host:h1: of a stated size', 'host:h2: of a stated size'],
    ],
    [
      'if two hosts list an instance with claims in two projects, no option changes anything until one claim has ended',
      new Scene(['h1', 'h2', 'h3']).claims('a', 'h1', A, 'p1').claims('b', 'h2', A, 'p2').lists('h1', A).lists('h3', A),
      'instance.two_hosts',
      ['host:h1: nothing', 'host:h3: nothing'],
    ],
    [
      'a claim moves to the only host that lists its instance',
      new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h2', A),
      'instance.other_host',
      ['host:h2: a to h2'],
    ],
    [
      'if several other hosts list the instance of a claim, the claim can move to each of them',
      new Scene(['h1', 'h2', 'h3']).claims('a', 'h1', A).lists('h2', A).lists('h3', A),
      'instance.other_host',
      ['host:h2: a to h2', 'host:h3: a to h3'],
    ],
    [
      'a claim for the only instance without a claim gets the reported use that no other claim explains',
      new Scene(['h1']).claims('a', 'h1', A).reports('h1', { instances: [A, B], vcpusUsed: 5, memoryMbUsed: 1_024, localGbUsed: 7 }),
      'instance.unclaimed',
      [`instance:${B}: of [3,1024,7]`],
    ],
    [
      'if the reported use leaves no memory for the instance without a claim, its size must be stated',
      new Scene(['h1']).reports('h1', { instances: [B], vcpusUsed: 5 }),
      'instance.unclaimed',
      [`instance:${B}: of a stated size`],
    ],
    [
      'if several instances have no claim, each has an option for which a size must be stated',
      new Scene(['h1']).reports('h1', { instances: [B, C], vcpusUsed: 4, memoryMbUsed: 2_048 }),
      'instance.unclaimed',
      [`instance:${B}: of a stated size`, `instance:${C}: of a stated size`],
    ],
    [
      'a machine with two names can keep either name',
      new Scene(['h1', 'h2']).reports('h1', machine('m1')).reports('h2', machine('m1')),
      'host.same_machine',
      ['host:h2: replace', 'host:h1: replace'],
    ],
    [
      'if a report shows less use than the claims, the used amounts can come from claims, or a claim can be ended',
      new Scene(['h1']).claims('a', 'h1', A).reports('h1', { instances: [A] }),
      'use.below_claims',
      ['used-from-claims: usedFrom', 'claim:a: revoke'],
    ],
    [
      'the used amounts of a host without a list may come from claims',
      new Scene(['h1']).claims('a', 'h1', A).reports('h1', { instances: null }),
      'use.no_instances',
      ['used-from-claims: usedFrom'],
    ],
  ])('%s', (_, scene, code, expected) => {
    expect(repairs(scene, code)).toEqual(expected)
  })

  test('a finding that has been resolved has no option', () => {
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
      if (finding === undefined) throw new Error(`expected a finding with the code ${code}`)
      expect(optionsOf(scene.log.fleet, finding), code).not.toEqual([])
      expect(optionsOf(change(scene).log.fleet, finding), code).toEqual([])
    }
  })
})

describe('a repair that is determined from the hosts that the finding names', () => {
  const HOSTS = 12
  const names = Array.from({ length: HOSTS }, (_, i) => `h${i}`)
  const found = (scene: Scene, code: Finding['code']): Finding => {
    const finding = findingsOf(scene.log.fleet).find((one) => one.code === code)
    if (finding === undefined) throw new Error(`expected a finding with the code ${code}`)
    return finding
  }
  const lists = (scene: Scene, hosts: readonly string[], ...instances: string[]): Scene =>
    hosts.reduce((all, host) => all.lists(host, ...instances), scene)
  const many = {
    twice: () => lists(new Scene(names), names, A),
    other: () => lists(new Scene([...names, 'own']).claims('a', 'own', A), names, A),
  }

  test.each<readonly [Finding['code'], Scene, string]>([
    ['instance.two_hosts', many.twice(), 'host:h11'],
    ['instance.other_host', many.other(), 'host:h11'],
  ])('%s: the sentence says that further hosts may list the instance', (code, scene, last) => {
    const { fleet } = scene.log
    const finding = found(scene, code)
    expect(finding.hosts).toHaveLength(10)
    const named = repairOf(fleet, finding)
    expect(named.text).toContain('The options name 10 hosts; other hosts may list it too, and their names are accepted as well.')
    expect([...named.options].map(({ name }) => name)).not.toContain(last)
    const complete = repairOf(fleet, finding, listingOf(fleet, A))
    expect(complete.text).not.toContain('may list it too')
    expect([...complete.options].map(({ name }) => name)).toContain(last)
  })

  test.each<readonly [Finding['code'], Scene]>([
    ['instance.two_hosts', many.twice()],
    ['instance.other_host', many.other()],
  ])('%s: the finding is not called resolved while hosts that it does not name list the instance', (code, scene) => {
    const finding = found(scene, code)
    const { fleet } = lists(scene, names.slice(0, 10)).log
    const { text } = repairOf(fleet, finding)
    expect(text).not.toContain('This is resolved')
    expect(text).toContain('The next audit checks all hosts')
    expect([...repairOf(fleet, finding, listingOf(fleet, A)).options]).toHaveLength(2)
    const ended = lists(scene, names).log.fleet
    expect(repairOf(ended, finding, listingOf(ended, A)).text).toContain('This is resolved')
  })

  test('a claim without a host is not said to be listed nowhere, because another host can list the instance since', () => {
    const scene = new Scene(['h1', 'h2']).claims('a', 'h1', A).after(2 * HOUR)
    const finding = found(scene, 'instance.unlisted')
    const { fleet } = scene.lists('h2', A).log
    expect(repairOf(fleet, finding).text).toMatch(/^At the last audit, no host listed the instance of claim a\./)
    expect(repairOf(fleet, finding, listingOf(fleet, A)).text).toContain('This is resolved')
    const { fleet: none } = scene.lists('h2').log
    expect(repairOf(none, finding, listingOf(none, A)).text).toMatch(/^No host lists the instance of claim a\./)
  })
})

describe('the destination of a move was the last to list the instance', () => {
  const movedAway = () => new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a').lists('h1').lists('h2', A)
  const missed = [expect.stringMatching(/^instance\.unlisted \| h1 \| a \| none since /)]

  test('if the move ends without confirmation, the instance is missing one hour after the end of the move', () => {
    const scene = movedAway()
      .after(2 * HOUR)
      .releases('b')
      .lists('h2')
    expect(scene.found).toEqual([])
    expect(scene.after(HOUR - 1).found).toEqual([])
    expect(scene.after(1).found).toEqual(missed)
  })

  test('in an open move, the instance is missing one hour after the destination stopped listing it', () => {
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

  test('the repair ends the claim on the host that does not list the instance', () => {
    expect(repairs(scene())).toEqual(['claim:b'])
  })

  test('if one host lists no instances, it may run the instance, so an operator chooses which claim ends', () => {
    expect(repairs(scene().reports('h2', { instances: null }))).toEqual(['claim:a', 'claim:b'])
  })
})
