import { describe, expect, test } from 'vitest'
import { aUuid } from '../../testing/index.ts'
import { ENDED_CLAIMS } from '../../values/levels.ts'
import { cell, gpu, gpus, pins, pool, Scene } from '../testing/scene.ts'

describe('used amounts in a report that lists instances', () => {
  const shape = { vcpus: 8, memoryMb: 8_192, localGb: 10 }
  const six = { classes: { VCPU: 6, MEMORY_MB: 4_096 } }

  test('F10, Z18a: if a report lists the instance without its use, its resources stay held, with a warning', () => {
    const scene = new Scene(shape)
    expect(scene.claim(1, six)).toBeUndefined()
    scene.report({ instances: [aUuid(1)] })
    expect(scene.claim(2, { classes: { VCPU: 8, MEMORY_MB: 8_192 } })).toBe('claim.no_room')
    expect([scene.free('VCPU'), scene.free('MEMORY_MB')]).toEqual([2, 4_096])
    expect(scene.warnings).toEqual(['use.below_claims VCPU 0 6', 'use.below_claims MEMORY_MB 0 4096'])
    scene.check()
    scene.report({ vcpusUsed: 6, memoryMbUsed: 4_096, instances: [aUuid(1)] })
    expect(scene.warnings).toEqual([])
    expect(scene.free('VCPU')).toBe(2)
    scene.check()
  })

  test('if two instances are listed and the use of one is reported, the other keeps its resources', () => {
    const scene = new Scene(shape)
    scene.claim(1, { classes: { VCPU: 3 } })
    scene.claim(2, { classes: { VCPU: 4 } })
    scene.report({ vcpusUsed: 3, instances: [aUuid(1), aUuid(2)] })
    expect(scene.free('VCPU')).toBe(1)
    scene.check()
  })

  test('reported use beyond the claims counts as used, because instances without claims can run on the host too', () => {
    const scene = new Scene(shape)
    scene.claim(1, { classes: { VCPU: 3 } })
    scene.report({ vcpusUsed: 7, instances: [aUuid(1), aUuid(0xff)] })
    expect(scene.free('VCPU')).toBe(1)
    expect(scene.warnings).toEqual([])
    scene.check()
  })

  test('the claim of an instance that leaves the list counts in addition to the reported use', () => {
    const scene = new Scene(shape)
    scene.claim(1, { classes: { VCPU: 3 } })
    scene.report({ vcpusUsed: 3, instances: [aUuid(1)] })
    scene.report({ vcpusUsed: 5, instances: [] })
    expect(scene.free('VCPU')).toBe(0)
    scene.check()
  })

  test('an instance that moves in place counts once, at its larger size, until the first report after the confirmation', () => {
    const scene = new Scene(shape)
    scene.claim(1, { classes: { VCPU: 5 } })
    scene.report({ vcpusUsed: 5, instances: [aUuid(1)] })
    expect(scene.open(1, 2, { VCPU: 8 })).toBeUndefined()
    expect(scene.free('VCPU')).toBe(0)
    expect(scene.confirm(2)).toBeUndefined()
    expect(scene.free('VCPU')).toBe(0)
    expect(scene.warnings).toEqual([])
    scene.check()
    scene.report({ vcpusUsed: 8, instances: [aUuid(1)] })
    expect([scene.free('VCPU'), ...scene.warnings]).toEqual([0])
    scene.check()
  })

  test('an instance that shrinks in place counts at its larger size until the host reports the smaller size', () => {
    const scene = new Scene(shape)
    scene.claim(1, { classes: { VCPU: 8 } })
    scene.report({ vcpusUsed: 8, instances: [aUuid(1)] })
    expect(scene.open(1, 2, { VCPU: 5 })).toBeUndefined()
    expect(scene.confirm(2)).toBeUndefined()
    expect(scene.free('VCPU')).toBe(0)
    scene.report({ vcpusUsed: 5, instances: [aUuid(1)] })
    expect([scene.free('VCPU'), ...scene.warnings]).toEqual([3])
    scene.check()
  })

  test('claimed GPUs, CPUs and devices stay held if the report shows no use', () => {
    const shown = { gpus: gpus(0, 0), numaCells: [cell(0)], pciPools: [pool(0, 1, 0), pool(1, 1, 0)] }
    const scene = new Scene(shown)
    scene.claim(1, { ...gpu(1), ...pins(0, [5, 6], { memoryMb: 100 }), pci: [{ request: 0, pool: 'v:p@1', count: 1 }] })
    scene.report({ instances: [aUuid(1)] })
    expect(scene.gpus).toEqual([1_000, 0])
    expect(scene.host.cells[0]?.isPinned(5)).toBe(true)
    expect([scene.freeCpus, scene.devices, scene.host.cells[0]?.memoryFree]).toEqual([[6], [1, 0], 8_092])
    expect(scene.warnings).toEqual([
      'use.below_claims MiB of cells 0 100',
      'use.below_claims dedicated CPUs 0 2',
      'use.below_claims GPU thousandths 0 1000',
      'use.below_claims PCI v:p 0 1',
    ])
    scene.check()
  })
})

describe('a host that does not list its instances', () => {
  const shape = { vcpus: 8, memoryMb: 8_192, instances: null }

  test('the claims of a host without a list count in full in addition to its report, with a warning', () => {
    const scene = new Scene(shape)
    scene.report(shape)
    scene.claim(1, { classes: { VCPU: 2 } })
    scene.report({ ...shape, vcpusUsed: 2 })
    expect(scene.free('VCPU')).toBe(4)
    expect(scene.warnings).toEqual(['use.no_instances instances null 1'])
    scene.check()
  })

  test('after a host stops listing instances, none of its claims is materialised', () => {
    const scene = new Scene({ vcpus: 8 })
    scene.claim(1, { classes: { VCPU: 2 } })
    scene.report({ vcpusUsed: 2, instances: [aUuid(1)] })
    expect(scene.free('VCPU')).toBe(6)
    scene.report({ vcpusUsed: 2, instances: null })
    expect(scene.fleet.ledger.claims.get('c1')?.state).toBe('CONFIRMED')
    expect(scene.free('VCPU')).toBe(4)
    scene.check()
    scene.report({ vcpusUsed: 2, instances: [aUuid(1)] })
    expect([scene.free('VCPU'), ...scene.warnings]).toEqual([6])
    scene.check()
  })

  test('after a host stops listing instances, its ended claims hold nothing', () => {
    const shape = { vcpus: 8, gpus: gpus(0, 0) }
    /**
     * A scene with two ended claims. The first claim ended while its instance was listed, the second after the host stopped listing
     * instances.
     */
    const sceneAt = (level: number): Scene => {
      const scene = new Scene(shape, level)
      for (const number of [1, 2]) expect(scene.claim(number, { classes: { VCPU: 2 }, ...gpu(number - 1) })).toBeUndefined()
      scene.report({ vcpusUsed: 4, gpus: gpus(1_000, 1_000), instances: [aUuid(1), aUuid(2)] })
      expect(scene.release(1)).toBeUndefined()
      scene.report({ instances: null })
      expect(scene.release(2)).toBeUndefined()
      return scene
    }
    const scene = sceneAt(ENDED_CLAIMS)
    expect([scene.free('VCPU'), scene.gpus]).toEqual([8, [1_000, 1_000]])
    expect(scene.host.claims.size).toBe(0)
    scene.check()
    // Below feature level ENDED_CLAIMS, ended claims reserve their resources until the next list of instances. The entry that raises the
    // level frees these resources.
    const older = sceneAt(ENDED_CLAIMS - 1)
    expect(older.free('VCPU')).toBe(4)
    older.check()
    expect(older.append({ type: 'feature', level: ENDED_CLAIMS })).toBeUndefined()
    expect([older.free('VCPU'), older.gpus]).toEqual([8, [1_000, 1_000]])
    older.check()
  })

  test('if an operator sets that the used amounts of a host come from claims, the reported use is ignored', () => {
    const scene = new Scene({ ...shape, gpus: gpus(1_000, 0), numaCells: [cell(0, { pinnedCpus: [0, 1] })] })
    scene.report({ vcpusUsed: 5, runningVms: 3, instances: null })
    scene.claim(1, { classes: { VCPU: 2 }, ...gpu(1), ...pins(0, [2, 3]) })
    const set = { type: 'usedFrom', host: 'h1', node: 'h1', reason: 'its agent lists nothing' } as const
    expect(scene.append({ ...set, usedFrom: 'CLAIMS' })).toBeUndefined()
    expect([scene.free('VCPU'), scene.gpus, scene.freeCpus, scene.fleet.hosts.columns.instances[0]]).toEqual([6, [1_000, 0], [6], 1])
    expect(scene.warnings).toEqual([])
    scene.check()
    // the source of used amounts stays the same after the next report
    scene.report({ vcpusUsed: 7, instances: null })
    expect(scene.free('VCPU')).toBe(6)
    scene.check()
    expect(scene.append({ ...set, usedFrom: 'REPORT' })).toBeUndefined()
    expect(scene.free('VCPU')).toBe(-1)
    scene.check()
  })

  test('if the used amounts of a host come from claims, each claim counts once, whether its instance is listed or not', () => {
    const scene = new Scene({ vcpus: 8 })
    scene.claim(1, { classes: { VCPU: 2 } })
    scene.claim(2, { classes: { VCPU: 3 } })
    scene.append({ type: 'usedFrom', host: 'h1', node: 'h1', reason: 'r', usedFrom: 'CLAIMS' })
    scene.report({ vcpusUsed: 7, runningVms: 1, instances: [aUuid(1)] })
    expect([scene.free('VCPU'), scene.fleet.hosts.columns.instances[0]]).toEqual([3, 2])
    scene.check()
    scene.release(1)
    scene.check()
  })

  test('setting that the used amounts of an unknown host come from claims is void', () => {
    const scene = new Scene(shape)
    expect(scene.append({ type: 'usedFrom', host: 'h9', node: 'h9', reason: 'r', usedFrom: 'CLAIMS' })).toBe('report.unknown_host')
  })
})
