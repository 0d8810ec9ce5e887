import { describe, expect, test } from 'vitest'
import type { Grants } from '../fleet/change.ts'
import { ENDED_CLAIMS, KEPT_DEVICES, STRICT_CLAIMS } from '../fleet/levels.ts'
import { aUuid } from '../testing/index.ts'
import { cell, gpu, gpus, pins, pool, Scene } from './testing/scene.ts'

const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, i) => from + i)

describe('GPUs', () => {
  test('F2, B25: the host uses the other GPU than the claim names: nothing is free for a third', () => {
    const scene = new Scene({ gpus: gpus(0, 0) })
    expect(scene.claim(1, gpu(0))).toBeUndefined()
    expect(scene.claim(2, gpu(1))).toBeUndefined()
    scene.report({ gpus: gpus(1_000, 0), instances: [aUuid(2)] })
    expect(scene.gpus).toEqual([0, 0])
    for (const index of [0, 1]) expect(scene.claim(3, gpu(index, 1))).toBe('claim.no_room')
    expect(scene.warnings).toEqual([])
    scene.check()
    // the other one is built on the GPU that is left
    scene.report({ gpus: gpus(1_000, 1_000), instances: [aUuid(1), aUuid(2)] })
    expect(scene.gpus).toEqual([0, 0])
    scene.check()
  })

  test('the same below the level of the rule gives the GPU away: the rule is what the level brings', () => {
    const scene = new Scene({ gpus: gpus(0, 0) }, STRICT_CLAIMS - 1)
    scene.claim(1, gpu(0))
    scene.claim(2, gpu(1))
    scene.report({ gpus: gpus(1_000, 0), instances: [aUuid(2)] })
    expect(scene.claim(3, gpu(1))).toBeUndefined()
    // the entry that raises the level counts all claims anew
    expect(scene.append({ type: 'feature', level: STRICT_CLAIMS })).toBeUndefined()
    expect(scene.gpus).toEqual([-1_000, 0])
    scene.check()
  })

  test('a share whose GPU is busy keeps a whole place on another, and goes back with its claim', () => {
    const scene = new Scene({ gpus: gpus(0, 0) })
    scene.claim(1, gpu(0, 600))
    scene.claim(2, gpu(1, 600))
    scene.report({ gpus: gpus(600, 0), instances: [aUuid(2)] })
    // 600 of GPU 1 are kept for the first
    expect(scene.gpus).toEqual([400, 400])
    expect(scene.claim(3, gpu(1, 401))).toBe('claim.no_room')
    expect(scene.claim(4, gpu(1, 400))).toBeUndefined()
    scene.check()
    scene.release(1)
    expect(scene.gpus).toEqual([400, 600])
    scene.check()
  })

  test('GPUs are numbered anew after a change of cards: claims of numbers that are gone keep theirs', () => {
    const scene = new Scene({ gpus: gpus(0, 0, 0) })
    scene.claim(1, gpu(2))
    scene.report({ gpus: gpus(0, 0), instances: [] })
    expect(scene.gpus).toEqual([0, 1_000])
    scene.report({ gpus: gpus(1_000), instances: [] })
    // there is no other: it is the host that has too few
    expect(scene.gpus).toEqual([-1_000])
    scene.check()
  })

  test('two models: the claim keeps one of its own model first', () => {
    const cards = (a: number, b: number, c: number) => [
      { index: 0, model: 'A', usedMilli: a },
      { index: 1, model: 'B', usedMilli: b },
      { index: 2, model: 'A', usedMilli: c },
    ]
    const scene = new Scene({ gpus: cards(0, 0, 0) })
    scene.claim(1, gpu(0))
    scene.report({ gpus: cards(1_000, 0, 0), instances: [] })
    expect(scene.gpus).toEqual([0, 1_000, 0])
    scene.check()
  })

  test('an instance that nobody claimed takes the GPU of a claim, which then has the other', () => {
    const scene = new Scene({ gpus: gpus(0, 0) })
    scene.claim(1, gpu(1))
    scene.report({ gpus: gpus(0, 1_000), instances: [aUuid(0xff)] })
    expect(scene.gpus).toEqual([0, 0])
    scene.check()
  })
})

describe('CPUs of their own', () => {
  const numaCells = (pinnedCpus: number[]) => [cell(0, { pinnedCpus })]

  test('F2 with CPUs: 8 pinned CPUs, two claims of 4, the host pins one where the other was to be', () => {
    const scene = new Scene({ numaCells: numaCells([]) })
    expect(scene.claim(1, pins(0, upTo(4)))).toBeUndefined()
    expect(scene.claim(2, pins(0, upTo(4, 4)))).toBeUndefined()
    scene.report({ numaCells: numaCells(upTo(4)), instances: [aUuid(2)] })
    expect(scene.freeCpus).toEqual([0])
    for (const cpu of upTo(8)) expect(scene.claim(3, pins(0, [cpu]))).toBe('claim.no_room')
    scene.check()
  })

  test('pins that overlap by one CPU: one more is kept', () => {
    const scene = new Scene({ numaCells: numaCells([]) })
    scene.claim(1, pins(0, [0, 1]))
    scene.report({ numaCells: numaCells([1]), instances: [aUuid(0xff)] })
    expect(scene.freeCpus).toEqual([5])
    scene.check()
  })

  test('the host built the instance in the other cell: the claim that was to be there goes where it came from, as a whole', () => {
    const two = (a: object, b: object) => [cell(0, { pages: [], ...a }), cell(1, { pages: [], ...b })]
    const scene = new Scene({ numaCells: two({}, {}) })
    scene.claim(1, pins(0, upTo(8), { memoryMb: 8_192 }))
    scene.claim(2, pins(1, upTo(8, 8), { memoryMb: 8_192 }))
    scene.report({ numaCells: two({ pinnedCpus: upTo(8), memoryUsageMb: 8_192 }, {}), instances: [aUuid(2)] })
    expect(scene.freeCpus).toEqual([0, 0])
    expect(scene.host.cells.map(({ memoryFree }) => memoryFree)).toEqual([0, 0])
    scene.check()
  })

  test('a CPU that the host no longer gives to one alone is kept as another', () => {
    const shape = (dedicatedCpuset: number[]) => [cell(0, { dedicatedCpuset })]
    const scene = new Scene({ numaCells: shape([0, 1, 2, 3]) })
    scene.claim(1, pins(0, [0, 1]))
    scene.report({ numaCells: shape([2, 3, 4, 5]), instances: [] })
    expect(scene.freeCpus).toEqual([2])
    scene.check()
  })

  test('threads kept free next to the guest and the CPU of its emulator count too', () => {
    const scene = new Scene({ numaCells: numaCells([]) })
    scene.claim(1, pins(0, [0], { siblings: [1], emulator: 2 }))
    scene.report({ numaCells: numaCells([0, 1, 2]), instances: [aUuid(0xff)] })
    expect(scene.freeCpus).toEqual([2])
    scene.check()
  })
})

describe('memory and pages of cells', () => {
  const two = (a: object, b: object) => [cell(0, a), cell(1, b)]
  /** No pages are set aside, so that all memory is plain. */
  const plain = { pages: [] }
  const memory = (id: number, memoryMb: number): Grants => ({ numa: [{ guest: 0, cell: id, cpus: 0, memoryMb }] })
  const pages = (id: number, count: number): Grants => ({
    numa: [{ guest: 0, cell: id, cpus: 0, memoryMb: 2 * count, pages: { sizeKib: 2_048, count } }],
  })
  const pagesFree = (scene: Scene) => scene.host.cells.map((state) => state.pages?.[0]?.free)
  const usesPages = (used: number) => ({ memoryUsageMb: 2 * used, pages: [{ sizeKib: 2_048, total: 100, used }] })

  test('F2 with pages: two claims of all pages of a cell, the host takes those of the first for the second', () => {
    const scene = new Scene({ numaCells: two(usesPages(0), usesPages(0)) })
    expect(scene.claim(1, pages(0, 100))).toBeUndefined()
    expect(scene.claim(2, pages(1, 100))).toBeUndefined()
    scene.report({ numaCells: two(usesPages(100), usesPages(0)), instances: [aUuid(2)] })
    expect(pagesFree(scene)).toEqual([0, 0])
    for (const id of [0, 1]) expect(scene.claim(3, pages(id, 1))).toBe('claim.no_room')
    scene.check()
  })

  test('some pages of the cell are in use otherwise: the claim moves as a whole, not page by page', () => {
    const scene = new Scene({ numaCells: two(usesPages(0), usesPages(0)) })
    scene.claim(1, pages(0, 60))
    scene.report({ numaCells: two(usesPages(50), usesPages(0)), instances: [aUuid(0xff)] })
    expect(pagesFree(scene)).toEqual([50, 40])
    scene.check()
  })

  test('no cell has all of it: what is left of each is kept, and nothing is given away', () => {
    const scene = new Scene({ numaCells: two(plain, plain) })
    scene.claim(1, memory(0, 8_000))
    scene.report({ numaCells: two({ ...plain, memoryUsageMb: 5_000 }, { ...plain, memoryUsageMb: 5_000 }), instances: [aUuid(0xff)] })
    expect(scene.host.cells.map(({ memoryFree }) => memoryFree).reduce((sum, free) => sum + free, 0)).toBe(2 * 8_192 - 10_000 - 8_000)
    for (const id of [0, 1]) expect(scene.claim(2, memory(id, 1))).toBe('claim.no_room')
    scene.check()
  })

  test('a cell goes: the claim on it has its memory in the other', () => {
    const scene = new Scene({ numaCells: two(plain, plain) })
    scene.claim(1, memory(1, 8_192))
    scene.report({ numaCells: [cell(0, plain)], instances: [] })
    expect(scene.host.cells.map(({ memoryFree }) => memoryFree)).toEqual([0])
    scene.check()
  })

  test('shared CPUs: 16 of two cells at ratio 1, the host runs the second claim on the cell of the first', () => {
    const shared = (id: number): Grants => ({ numa: [{ guest: 0, cell: id, cpus: 8, memoryMb: 0 }] })
    const scene = new Scene({ numaCells: two({}, {}) })
    scene.claim(1, shared(0))
    scene.claim(2, shared(1))
    scene.report({ numaCells: two({ cpuUsage: 8 }, {}), instances: [aUuid(2)] })
    expect(scene.host.cells.map(({ cpuFree }) => cpuFree)).toEqual([0, 0])
    scene.check()
  })
})

describe('PCI devices', () => {
  const take = (numaNode: number, count = 1, productId = 'p'): Grants => ({
    pci: [{ request: 0, pool: `v:${productId}@${numaNode}`, count }],
  })

  test('F2 with devices: one at each cell, the host gives the other one', () => {
    const scene = new Scene({ pciPools: [pool(0, 1, 0), pool(1, 1, 0)] })
    expect(scene.claim(1, take(0))).toBeUndefined()
    expect(scene.claim(2, take(1))).toBeUndefined()
    scene.report({ pciPools: [pool(0, 1, 1), pool(1, 1, 0)], instances: [aUuid(2)] })
    expect(scene.devices).toEqual([0, 0])
    for (const numaNode of [0, 1]) expect(scene.claim(3, take(numaNode))).toBe('claim.no_room')
    scene.check()
  })

  test('devices of another product are no substitute', () => {
    const scene = new Scene({ pciPools: [pool(0, 1, 0), pool(0, 4, 0, 'q')] })
    scene.claim(1, take(0))
    scene.report({ pciPools: [pool(0, 1, 1), pool(0, 4, 0, 'q')], instances: [aUuid(0xff)] })
    expect(scene.devices).toEqual([-1, 4])
    scene.check()
  })

  test('the pool of the claim is gone from the report, one of the same product at another cell is there', () => {
    const scene = new Scene({ pciPools: [pool(0, 2, 0), pool(1, 2, 0)] })
    scene.claim(1, take(0, 2))
    scene.report({ pciPools: [pool(1, 2, 0)], instances: [] })
    expect(scene.devices).toEqual([0])
    scene.check()
  })

  test('devices are counted one by one: what is left of the pool stays there', () => {
    const scene = new Scene({ pciPools: [pool(0, 4, 0), pool(1, 4, 0)] })
    scene.claim(1, take(0, 3))
    scene.report({ pciPools: [pool(0, 4, 2), pool(1, 4, 0)], instances: [aUuid(0xff)] })
    expect(scene.devices).toEqual([0, 3])
    scene.check()
  })

  describe('the pool changes its properties, so that the report has none of the name of the claim', () => {
    const devices = (total: number, used: number | null, more: object = {}) => ({
      vendorId: '15b3',
      productId: '1572',
      total,
      used,
      ...more,
    })
    const of = (pool: string, count: number): Grants => ({ pci: [{ request: 0, pool, count }] })
    const changed: Readonly<Record<string, { more: object; name: string }>> = {
      'a network is set on it': { more: { tags: { physical_network: 'net1' } }, name: '15b3:1572?physical_network=net1' },
      'it gets another product': { more: { productId: '154c' }, name: '15b3:154c' },
      'it gets another vendor': { more: { vendorId: '8086' }, name: '8086:1572' },
      'its type is said later': { more: { deviceType: 'type-PF' }, name: '15b3:1572:type-PF' },
      'its names are in other letters, at a cell': { more: { vendorId: '15B3', numaNode: 1, tags: { a: 'b' } }, name: '15B3:1572@1?a=b' },
    }
    for (const [what, { more, name }] of Object.entries(changed))
      test(`${what}: the claim holds as many devices as before, not listed, listed, and listed with its use`, () => {
        const scene = new Scene({ pciPools: [devices(2, 0)] })
        expect(scene.claim(1, of('15b3:1572', 2))).toBeUndefined()
        for (const [used, instances] of [
          [0, []],
          [0, [aUuid(1)]],
          [2, [aUuid(1)]],
          [0, null],
        ] as const) {
          scene.report({ pciPools: [devices(2, used, more)], instances: instances === null ? null : [...instances] })
          expect(scene.devices).toEqual([used > 0 && instances === null ? -2 : 0])
          expect(scene.claim(3, of(name, 1))).toBe('claim.no_room')
          scene.check()
        }
        scene.report({ pciPools: [devices(2, 0, more)], instances: [] })
        expect(scene.release(1)).toBeUndefined()
        expect(scene.devices).toEqual([2])
        scene.check()
      })

    test('below the level of the rule the devices are given away; the entry that raises the level counts them anew', () => {
      const scene = new Scene({ pciPools: [devices(2, 0)] }, KEPT_DEVICES - 1)
      scene.claim(1, of('15b3:1572', 2))
      scene.report({ pciPools: [devices(2, 0, { tags: { physical_network: 'net1' } })], instances: [aUuid(1)] })
      expect(scene.devices).toEqual([2])
      expect(scene.append({ type: 'feature', level: KEPT_DEVICES })).toBeUndefined()
      expect(scene.devices).toEqual([0])
      expect(scene.warnings).toEqual(['use.below_claims PCI 15b3:1572 0 2'])
      scene.check()
    })

    test('use that the report counts under another name is that of the claim: no contradiction', () => {
      const scene = new Scene({ pciPools: [devices(4, 0)] })
      scene.claim(1, of('15b3:1572', 2))
      scene.report({ pciPools: [devices(4, 2, { productId: '154c' })], instances: [aUuid(1)] })
      expect(scene.warnings).toEqual([])
      expect(scene.devices).toEqual([2])
      // a claim made since then has its own devices there
      expect(scene.claim(2, of('15b3:154c', 1))).toBeUndefined()
      scene.report({ pciPools: [devices(4, 2, { productId: '154c' })], instances: [aUuid(1), aUuid(2)] })
      expect(scene.warnings).toEqual(['use.below_claims PCI 15b3:1572 1 2'])
      expect(scene.devices).toEqual([1])
      scene.check()
    })

    test('the likest pool first: of the product, then of the vendor, then any', () => {
      const scene = new Scene({ pciPools: [devices(4, 0)] })
      scene.claim(1, of('15b3:1572', 4))
      const other = [devices(2, 0, { vendorId: '8086' }), devices(2, 0, { productId: '154c' }), devices(1, 0, { tags: { a: 'b' } })]
      scene.report({ pciPools: other, instances: [] })
      expect(scene.devices).toEqual([1, 0, 0])
      scene.check()
    })

    test('a part of the pool changes: the claim holds of both what the report has', () => {
      for (const more of [{ tags: { a: 'b' } }, { productId: '154c' }]) {
        const scene = new Scene({ pciPools: [devices(4, 0)] })
        scene.claim(1, of('15b3:1572', 4))
        scene.report({ pciPools: [devices(2, 0), devices(2, 0, more)], instances: [] })
        expect(scene.devices).toEqual([0, 0])
        scene.check()
        scene.report({ pciPools: [devices(2, 1), devices(2, 1, more)], instances: [aUuid(1)] })
        expect(scene.devices).toEqual([0, 0])
        scene.check()
      }
    })
  })

  test('a report that leaves the count to claims shows nobody on another device', () => {
    const scene = new Scene({ pciPools: [pool(0, 1, null), pool(1, 1, null)] })
    scene.claim(1, take(0))
    scene.report({ pciPools: [pool(0, 1, null), pool(1, 1, null)], instances: [aUuid(1)] })
    expect(scene.devices).toEqual([0, 1])
    scene.check()
  })
})

describe('what the report counts of its own instances', () => {
  const shape = { vcpus: 8, memoryMb: 8_192, localGb: 10 }
  const six = { classes: { VCPU: 6, MEMORY_MB: 4_096 } }

  test('F10, Z18a: a report lists the instance and counts nothing: its room stays, and the contradiction is reported', () => {
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

  test('two are listed and one is counted: the other keeps its room', () => {
    const scene = new Scene(shape)
    scene.claim(1, { classes: { VCPU: 3 } })
    scene.claim(2, { classes: { VCPU: 4 } })
    scene.report({ vcpusUsed: 3, instances: [aUuid(1), aUuid(2)] })
    expect(scene.free('VCPU')).toBe(1)
    scene.check()
  })

  test('use beyond the claims counts as it is: instances without claims run there too', () => {
    const scene = new Scene(shape)
    scene.claim(1, { classes: { VCPU: 3 } })
    scene.report({ vcpusUsed: 7, instances: [aUuid(1), aUuid(0xff)] })
    expect(scene.free('VCPU')).toBe(1)
    expect(scene.warnings).toEqual([])
    scene.check()
  })

  test('an instance that goes is dropped from the list, and its claim counts next to what is reported', () => {
    const scene = new Scene(shape)
    scene.claim(1, { classes: { VCPU: 3 } })
    scene.report({ vcpusUsed: 3, instances: [aUuid(1)] })
    scene.report({ vcpusUsed: 5, instances: [] })
    expect(scene.free('VCPU')).toBe(0)
    scene.check()
  })

  test('a move in place counts once, at its larger size, while it is open and until the next report', () => {
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

  test('a shrink in place counts its larger size until the host reports the smaller', () => {
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

  test('GPUs, CPUs and devices: those that the claims name are kept where the report shows none', () => {
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

  test('its claims count in full next to what it reports, and that is said', () => {
    const scene = new Scene(shape)
    scene.report(shape)
    scene.claim(1, { classes: { VCPU: 2 } })
    scene.report({ ...shape, vcpusUsed: 2 })
    expect(scene.free('VCPU')).toBe(4)
    expect(scene.warnings).toEqual(['use.no_instances instances null 1'])
    scene.check()
  })

  test('one that stops listing shows nobody any more', () => {
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

  test('one that stops listing keeps no room for claims that end', () => {
    const shape = { vcpus: 8, gpus: gpus(0, 0) }
    /** One claim ends while its instance is listed, one after the host has stopped listing. */
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
    // before, their room was kept until a list came; the entry that raises the level lets it go
    const older = sceneAt(ENDED_CLAIMS - 1)
    expect(older.free('VCPU')).toBe(4)
    older.check()
    expect(older.append({ type: 'feature', level: ENDED_CLAIMS })).toBeUndefined()
    expect([older.free('VCPU'), older.gpus]).toEqual([8, [1_000, 1_000]])
    older.check()
  })

  test('an operator says that its used amounts come from claims: what it reports as used is not looked at', () => {
    const scene = new Scene({ ...shape, gpus: gpus(1_000, 0), numaCells: [cell(0, { pinnedCpus: [0, 1] })] })
    scene.report({ vcpusUsed: 5, runningVms: 3, instances: null })
    scene.claim(1, { classes: { VCPU: 2 }, ...gpu(1), ...pins(0, [2, 3]) })
    const set = { type: 'usedFrom', host: 'h1', node: 'h1', reason: 'its agent lists nothing' } as const
    expect(scene.append({ ...set, usedFrom: 'CLAIMS' })).toBeUndefined()
    expect([scene.free('VCPU'), scene.gpus, scene.freeCpus, scene.fleet.hosts.columns.instances[0]]).toEqual([6, [1_000, 0], [6], 1])
    expect(scene.warnings).toEqual([])
    scene.check()
    // and stays so with the next report
    scene.report({ vcpusUsed: 7, instances: null })
    expect(scene.free('VCPU')).toBe(6)
    scene.check()
    expect(scene.append({ ...set, usedFrom: 'REPORT' })).toBeUndefined()
    expect(scene.free('VCPU')).toBe(-1)
    scene.check()
  })

  test('the setting counts each claim of a host once, listed or not', () => {
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

  test('a host that is not there cannot be set', () => {
    const scene = new Scene(shape)
    expect(scene.append({ type: 'usedFrom', host: 'h9', node: 'h9', reason: 'r', usedFrom: 'CLAIMS' })).toBe('report.unknown_host')
  })
})
