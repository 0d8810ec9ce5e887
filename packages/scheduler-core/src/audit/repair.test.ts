import { describe, expect, test } from 'vitest'
import type { Fleet } from '../fleet/fleet.ts'
import { audit } from './audit.ts'
import type { Finding } from './finding.ts'
import { repairOf } from './repair.ts'
import { A, B, C, findingsOf, HOUR, Scene } from './testing/scene.ts'

const optionsOf = (fleet: Fleet, finding: Finding): string[] => [...repairOf(fleet, finding).options].map(({ name }) => name)

describe('repairs of contradictions in reports', () => {
  /** The repair options of the one finding with a code, and the effect of each. */
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
      'if two hosts list an instance, the host of its claim may keep it, or the claim moves to the other one',
      new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).lists('h2', A),
      'instance.two_hosts',
      ['host:h1: nothing', 'host:h2: a to h2'],
    ],
    [
      'if it has no claim, one is made on the host that keeps it, with the size that an operator states',
      new Scene(['h1', 'h2']).lists('h1', A).lists('h2', A),
      'instance.two_hosts',
      ['host:h1: of a stated size', 'host:h2: of a stated size'],
    ],
    [
      'with claims in two projects, one of the claims has to end first',
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
      'if several hosts list it, an operator chooses one',
      new Scene(['h1', 'h2', 'h3']).claims('a', 'h1', A).lists('h2', A).lists('h3', A),
      'instance.other_host',
      ['host:h2: a to h2', 'host:h3: a to h3'],
    ],
    [
      'for one instance without a claim, the size is the rest of the reported use, unless that is too little',
      new Scene(['h1']).claims('a', 'h1', A).reports('h1', { instances: [A, B], vcpusUsed: 5, memoryMbUsed: 1_024, localGbUsed: 7 }),
      'instance.unclaimed',
      [`instance:${B}: of [3,1024,7]`],
    ],
    [
      'if the report leaves no memory for it, the size has to be stated',
      new Scene(['h1']).reports('h1', { instances: [B], vcpusUsed: 5 }),
      'instance.unclaimed',
      [`instance:${B}: of a stated size`],
    ],
    [
      'for several instances without a claim, an operator chooses one and states its size',
      new Scene(['h1']).reports('h1', { instances: [B, C], vcpusUsed: 4, memoryMbUsed: 2_048 }),
      'instance.unclaimed',
      [`instance:${B}: of a stated size`, `instance:${C}: of a stated size`],
    ],
    [
      'one machine keeps either of its names',
      new Scene(['h1', 'h2']).reports('h1', machine('m1')).reports('h2', machine('m1')),
      'host.same_machine',
      ['host:h2: replace', 'host:h1: replace'],
    ],
    [
      'a report that counts too little is replaced by the claims, or the claim of an instance that is gone ends',
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

  test('a finding that no longer holds has no option', () => {
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

describe('the destination of a move was the last to list the instance', () => {
  const movedAway = () => new Scene(['h1', 'h2']).claims('a', 'h1', A).lists('h1', A).moves('b', 'h2', 'a').lists('h1').lists('h2', A)
  const missed = [expect.stringMatching(/^instance\.unlisted \| h1 \| a \| none since /)]

  test('the instance is expected at its source from the end of the move on', () => {
    const scene = movedAway()
      .after(2 * HOUR)
      .releases('b')
      .lists('h2')
    expect(scene.found).toEqual([])
    expect(scene.after(HOUR - 1).found).toEqual([])
    expect(scene.after(1).found).toEqual(missed)
  })

  test('the instance is missing since the destination stopped listing it', () => {
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

  test('the repair ends the claim on the host that reports a list without the instance', () => {
    expect(repairs(scene())).toEqual(['claim:b'])
  })

  test('a host without a list may run the instance, so an operator chooses the repair', () => {
    expect(repairs(scene().reports('h2', { instances: null }))).toEqual(['claim:a', 'claim:b'])
  })
})
