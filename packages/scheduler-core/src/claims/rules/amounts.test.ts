import { describe, expect, test } from 'vitest'
import type { Grants } from '../../records/change.ts'
import { aUuid } from '../../testing/index.ts'
import { KEPT_DEVICES, STRICT_CLAIMS } from '../../values/levels.ts'
import { cell, gpu, gpus, pins, pool, Scene } from '../testing/scene.ts'

const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, i) => from + i)

describe('GPUs', () => {
  test('F2, B25: if two claims hold both GPUs and the host uses another GPU than the claim names, no GPU is free for a third claim', () => {
    const scene = new Scene({ gpus: gpus(0, 0) })
    expect(scene.claim(1, gpu(0))).toBeUndefined()
    expect(scene.claim(2, gpu(1))).toBeUndefined()
    scene.report({ gpus: gpus(1_000, 0), instances: [aUuid(2)] })
    expect(scene.gpus).toEqual([0, 0])
    for (const index of [0, 1]) expect(scene.claim(3, gpu(index, 1))).toBe('claim.no_room')
    expect(scene.warnings).toEqual([])
    scene.check()
    // the report lists the two instances and shows the two GPUs in use
    scene.report({ gpus: gpus(1_000, 1_000), instances: [aUuid(1), aUuid(2)] })
    expect(scene.gpus).toEqual([0, 0])
    scene.check()
  })

  test('below feature level STRICT_CLAIMS the GPU is allocated twice', () => {
    const scene = new Scene({ gpus: gpus(0, 0) }, STRICT_CLAIMS - 1)
    scene.claim(1, gpu(0))
    scene.claim(2, gpu(1))
    scene.report({ gpus: gpus(1_000, 0), instances: [aUuid(2)] })
    expect(scene.claim(3, gpu(1))).toBeUndefined()
    // the entry that raises the level recounts all claims
    expect(scene.append({ type: 'feature', level: STRICT_CLAIMS })).toBeUndefined()
    expect(scene.gpus).toEqual([-1_000, 0])
    scene.check()
  })

  test('a GPU share is held on another GPU if its own GPU is in use, and is freed with its claim', () => {
    const scene = new Scene({ gpus: gpus(0, 0) })
    scene.claim(1, gpu(0, 600))
    scene.claim(2, gpu(1, 600))
    scene.report({ gpus: gpus(600, 0), instances: [aUuid(2)] })
    // 600 thousandths of GPU 1 are reserved for the first claim, because the report shows GPU 0 in use
    expect(scene.gpus).toEqual([400, 400])
    expect(scene.claim(3, gpu(1, 401))).toBe('claim.no_room')
    expect(scene.claim(4, gpu(1, 400))).toBeUndefined()
    scene.check()
    scene.release(1)
    expect(scene.gpus).toEqual([400, 600])
    scene.check()
  })

  test('after GPUs are renumbered, claims of missing GPU numbers hold other GPUs', () => {
    const scene = new Scene({ gpus: gpus(0, 0, 0) })
    scene.claim(1, gpu(2))
    scene.report({ gpus: gpus(0, 0), instances: [] })
    expect(scene.gpus).toEqual([0, 1_000])
    scene.report({ gpus: gpus(1_000), instances: [] })
    // the host reports only one GPU, so it is reserved for both claims
    expect(scene.gpus).toEqual([-1_000])
    scene.check()
  })

  test('on a host with two GPU models, the claim holds a GPU of its own model if possible', () => {
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

  test('if an instance without a claim uses the GPU of a claim, the claim holds the other GPU', () => {
    const scene = new Scene({ gpus: gpus(0, 0) })
    scene.claim(1, gpu(1))
    scene.report({ gpus: gpus(0, 1_000), instances: [aUuid(0xff)] })
    expect(scene.gpus).toEqual([0, 0])
    scene.check()
  })
})

describe('dedicated CPUs', () => {
  const numaCells = (pinnedCpus: number[]) => [cell(0, { pinnedCpus })]

  test('F2 with CPUs: two claims of 4 CPUs hold 8 CPUs although the host pins one instance to the CPUs of the other claim', () => {
    const scene = new Scene({ numaCells: numaCells([]) })
    expect(scene.claim(1, pins(0, upTo(4)))).toBeUndefined()
    expect(scene.claim(2, pins(0, upTo(4, 4)))).toBeUndefined()
    scene.report({ numaCells: numaCells(upTo(4)), instances: [aUuid(2)] })
    expect(scene.freeCpus).toEqual([0])
    for (const cpu of upTo(8)) expect(scene.claim(3, pins(0, [cpu]))).toBe('claim.no_room')
    scene.check()
  })

  test('if reported and claimed pins overlap by one CPU, one more CPU is held', () => {
    const scene = new Scene({ numaCells: numaCells([]) })
    scene.claim(1, pins(0, [0, 1]))
    scene.report({ numaCells: numaCells([1]), instances: [aUuid(0xff)] })
    expect(scene.freeCpus).toEqual([5])
    scene.check()
  })

  test('if the host started the instance in another cell, the claim for that cell is held entirely in the remaining cell', () => {
    const two = (a: object, b: object) => [cell(0, { pages: [], ...a }), cell(1, { pages: [], ...b })]
    const scene = new Scene({ numaCells: two({}, {}) })
    scene.claim(1, pins(0, upTo(8), { memoryMb: 8_192 }))
    scene.claim(2, pins(1, upTo(8, 8), { memoryMb: 8_192 }))
    scene.report({ numaCells: two({ pinnedCpus: upTo(8), memoryUsageMb: 8_192 }, {}), instances: [aUuid(2)] })
    expect(scene.freeCpus).toEqual([0, 0])
    expect(scene.host.cells.map(({ memoryFree }) => memoryFree)).toEqual([0, 0])
    scene.check()
  })

  test('if a claimed CPU is no longer dedicated, another CPU is held', () => {
    const shape = (dedicatedCpuset: number[]) => [cell(0, { dedicatedCpuset })]
    const scene = new Scene({ numaCells: shape([0, 1, 2, 3]) })
    scene.claim(1, pins(0, [0, 1]))
    scene.report({ numaCells: shape([2, 3, 4, 5]), instances: [] })
    expect(scene.freeCpus).toEqual([2])
    scene.check()
  })

  test('CPUs of isolated guest threads and of the emulator are also held', () => {
    const scene = new Scene({ numaCells: numaCells([]) })
    scene.claim(1, pins(0, [0], { siblings: [1], emulator: 2 }))
    scene.report({ numaCells: numaCells([0, 1, 2]), instances: [aUuid(0xff)] })
    expect(scene.freeCpus).toEqual([2])
    scene.check()
  })
})

describe('memory and pages of cells', () => {
  const two = (a: object, b: object) => [cell(0, a), cell(1, b)]
  /** A host without huge pages. */
  const plain = { pages: [] }
  const memory = (id: number, memoryMb: number): Grants => ({ numa: [{ guest: 0, cell: id, cpus: 0, memoryMb }] })
  const pages = (id: number, count: number): Grants => ({
    numa: [{ guest: 0, cell: id, cpus: 0, memoryMb: 2 * count, pages: { sizeKib: 2_048, count } }],
  })
  const pagesFree = (scene: Scene) => scene.host.cells.map((state) => state.pages?.[0]?.free)
  const usesPages = (used: number) => ({ memoryUsageMb: 2 * used, pages: [{ sizeKib: 2_048, total: 100, used }] })

  test('F2 with pages: each of two claims holds all pages of a cell, even if the host uses the pages of the first claim for the second', () => {
    const scene = new Scene({ numaCells: two(usesPages(0), usesPages(0)) })
    expect(scene.claim(1, pages(0, 100))).toBeUndefined()
    expect(scene.claim(2, pages(1, 100))).toBeUndefined()
    scene.report({ numaCells: two(usesPages(100), usesPages(0)), instances: [aUuid(2)] })
    expect(pagesFree(scene)).toEqual([0, 0])
    for (const id of [0, 1]) expect(scene.claim(3, pages(id, 1))).toBe('claim.no_room')
    scene.check()
  })

  test('if other instances use pages of the claimed cell, the claim holds all its pages in another cell', () => {
    const scene = new Scene({ numaCells: two(usesPages(0), usesPages(0)) })
    scene.claim(1, pages(0, 60))
    scene.report({ numaCells: two(usesPages(50), usesPages(0)), instances: [aUuid(0xff)] })
    expect(pagesFree(scene)).toEqual([50, 40])
    scene.check()
  })

  test('if no cell has enough memory for the claim, the claim holds memory of both cells and nothing is allocated twice', () => {
    const scene = new Scene({ numaCells: two(plain, plain) })
    scene.claim(1, memory(0, 8_000))
    scene.report({ numaCells: two({ ...plain, memoryUsageMb: 5_000 }, { ...plain, memoryUsageMb: 5_000 }), instances: [aUuid(0xff)] })
    expect(scene.host.cells.map(({ memoryFree }) => memoryFree).reduce((sum, free) => sum + free, 0)).toBe(2 * 8_192 - 10_000 - 8_000)
    for (const id of [0, 1]) expect(scene.claim(2, memory(id, 1))).toBe('claim.no_room')
    scene.check()
  })

  test('if the host no longer reports the claimed cell, the claim holds memory of the other cell', () => {
    const scene = new Scene({ numaCells: two(plain, plain) })
    scene.claim(1, memory(1, 8_192))
    scene.report({ numaCells: [cell(0, plain)], instances: [] })
    expect(scene.host.cells.map(({ memoryFree }) => memoryFree)).toEqual([0])
    scene.check()
  })

  test('shared CPUs of both claims stay held if the host runs the second instance on the cell of the first claim', () => {
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

  test('F2 with devices: two claims hold both devices of a host although it uses the device of one claim for the other', () => {
    const scene = new Scene({ pciPools: [pool(0, 1, 0), pool(1, 1, 0)] })
    expect(scene.claim(1, take(0))).toBeUndefined()
    expect(scene.claim(2, take(1))).toBeUndefined()
    scene.report({ pciPools: [pool(0, 1, 1), pool(1, 1, 0)], instances: [aUuid(2)] })
    expect(scene.devices).toEqual([0, 0])
    for (const numaNode of [0, 1]) expect(scene.claim(3, take(numaNode))).toBe('claim.no_room')
    scene.check()
  })

  test('if the claimed device is in use, no device of another product is held for the claim', () => {
    const scene = new Scene({ pciPools: [pool(0, 1, 0), pool(0, 4, 0, 'q')] })
    scene.claim(1, take(0))
    scene.report({ pciPools: [pool(0, 1, 1), pool(0, 4, 0, 'q')], instances: [aUuid(0xff)] })
    expect(scene.devices).toEqual([-1, 4])
    scene.check()
  })

  test('if the pool of the claim is gone, a pool of the same product at another cell is held', () => {
    const scene = new Scene({ pciPools: [pool(0, 2, 0), pool(1, 2, 0)] })
    scene.claim(1, take(0, 2))
    scene.report({ pciPools: [pool(1, 2, 0)], instances: [] })
    expect(scene.devices).toEqual([0])
    scene.check()
  })

  test('if other instances use a part of the claimed pool, the claim holds the remaining devices and takes the rest from another pool', () => {
    const scene = new Scene({ pciPools: [pool(0, 4, 0), pool(1, 4, 0)] })
    scene.claim(1, take(0, 3))
    scene.report({ pciPools: [pool(0, 4, 2), pool(1, 4, 0)], instances: [aUuid(0xff)] })
    expect(scene.devices).toEqual([0, 3])
    scene.check()
  })

  describe('a pool changes its properties, so that the report has no pool with the name in the claim', () => {
    const devices = (total: number, used: number | null, more: object = {}) => ({
      vendorId: '15b3',
      productId: '1572',
      total,
      used,
      ...more,
    })
    const of = (pool: string, count: number): Grants => ({ pci: [{ request: 0, pool, count }] })
    const changed: Readonly<Record<string, { more: object; name: string }>> = {
      'the pool gets a network': { more: { tags: { physical_network: 'net1' } }, name: '15b3:1572?physical_network=net1' },
      'the product of the pool changes': { more: { productId: '154c' }, name: '15b3:154c' },
      'the vendor of the pool changes': { more: { vendorId: '8086' }, name: '8086:1572' },
      'the type of the pool is reported later': { more: { deviceType: 'type-PF' }, name: '15b3:1572:type-PF' },
      'the names of the pool change case, and it gets a cell': {
        more: { vendorId: '15B3', numaNode: 1, tags: { a: 'b' } },
        name: '15B3:1572@1?a=b',
      },
    }
    for (const [what, { more, name }] of Object.entries(changed))
      test(`${what}: the claim holds as many devices as before, whether or not its instance is listed and its use reported`, () => {
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

    test('below the feature level such devices are allocated twice, and the entry that raises the level recounts them', () => {
      const scene = new Scene({ pciPools: [devices(2, 0)] }, KEPT_DEVICES - 1)
      scene.claim(1, of('15b3:1572', 2))
      scene.report({ pciPools: [devices(2, 0, { tags: { physical_network: 'net1' } })], instances: [aUuid(1)] })
      expect(scene.devices).toEqual([2])
      expect(scene.append({ type: 'feature', level: KEPT_DEVICES })).toBeUndefined()
      expect(scene.devices).toEqual([0])
      expect(scene.warnings).toEqual(['use.below_claims PCI 15b3:1572 0 2'])
      scene.check()
    })

    test('use that is reported under another pool name belongs to the claim and causes no warning', () => {
      const scene = new Scene({ pciPools: [devices(4, 0)] })
      scene.claim(1, of('15b3:1572', 2))
      scene.report({ pciPools: [devices(4, 2, { productId: '154c' })], instances: [aUuid(1)] })
      expect(scene.warnings).toEqual([])
      expect(scene.devices).toEqual([2])
      // the second claim needs its own device in the pool, so one device in use is less than the claims reserve
      expect(scene.claim(2, of('15b3:154c', 1))).toBeUndefined()
      scene.report({ pciPools: [devices(4, 2, { productId: '154c' })], instances: [aUuid(1), aUuid(2)] })
      expect(scene.warnings).toEqual(['use.below_claims PCI 15b3:1572 1 2'])
      expect(scene.devices).toEqual([1])
      scene.check()
    })

    test('the claim holds devices of the most similar pool: first of the same product, then of the same vendor, then of any pool', () => {
      const scene = new Scene({ pciPools: [devices(4, 0)] })
      scene.claim(1, of('15b3:1572', 4))
      const other = [devices(2, 0, { vendorId: '8086' }), devices(2, 0, { productId: '154c' }), devices(1, 0, { tags: { a: 'b' } })]
      scene.report({ pciPools: other, instances: [] })
      expect(scene.devices).toEqual([1, 0, 0])
      scene.check()
    })

    test('if a part of the pool changes, the claim holds devices of both reported pools', () => {
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

  test('if a report omits the used amount of a pool, no device is held in another pool', () => {
    const scene = new Scene({ pciPools: [pool(0, 1, null), pool(1, 1, null)] })
    scene.claim(1, take(0))
    scene.report({ pciPools: [pool(0, 1, null), pool(1, 1, null)], instances: [aUuid(1)] })
    expect(scene.devices).toEqual([0, 1])
    scene.check()
  })
})
