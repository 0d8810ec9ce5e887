import { expect, test } from 'vitest'
import { aRequest } from '../testing/index.ts'
import { contradictionsOf, tooSmallForImage } from './contradictions.ts'

/* Combinations of flavor and image that Nova's API refuses (nova/compute/api.py, _validate_flavor_image_nostatus). */

const flavor = { vcpus: 1, memoryMb: 512, rootGb: 4 }
const memory = (found: number, has: number) => `image.minRamMb ${found}: be at most the memory of the flavor, ${has} MiB`
const disk = (found: number, has: number) => `image.minDiskGb ${found}: be at most the root disk of the flavor, ${has} GiB`

test.each<[string, Parameters<typeof aRequest>[0], readonly string[]]>([
  ['no image', { flavor }, []],
  ['an image without requirements', { flavor, image: {} }, []],
  ['an image that requires as much as the flavor has', { flavor, image: { minRamMb: 512, minDiskGb: 4 } }, []],
  ['FlavorMemoryTooSmall', { flavor, image: { minRamMb: 513 } }, [memory(513, 512)]],
  ['FlavorDiskSmallerThanMinDisk', { flavor, image: { minDiskGb: 5 } }, [disk(5, 4)]],
  ['B8, F10: memory and root disk too small', { flavor, image: { minRamMb: 99_999, minDiskGb: 999 } }, [memory(99_999, 512), disk(999, 4)]],
  ['a root disk as large as the image', { flavor: { ...flavor, rootGb: 0 }, image: { minDiskGb: 999 } }, []],
  // Nova's API has checked the flavor of a request in Nova's form. Nova's API knows volumes that the request does not name.
  ['a document of Nova, which its API has checked', { flavor, image: { minDiskGb: 5 }, nova: { form: 'RequestSpec', document: {} } }, []],
  ['a root disk on a volume', { flavor, isBfv: true, image: { minDiskGb: 999, minRamMb: 513 } }, [memory(513, 512)]],
  [
    'a gang is compared by its smallest flavors',
    {
      numInstances: 3,
      flavor: { vcpus: 1, memoryMb: 1_024 },
      gang: [
        { instances: 1, flavor: { ...flavor, memoryMb: 2_048, rootGb: 0 } },
        { instances: 1, flavor },
      ],
      image: { minRamMb: 600, minDiskGb: 5 },
    },
    [memory(600, 512), disk(5, 4)],
  ],
])('flavors smaller than the image requires are found: %s', (_situation, asks, expected) => {
  const found = tooSmallForImage(aRequest(asks)).map(
    (one) => `${one.path.join('.')} ${one.found}: ${one.rule.split(', because the image')[0]}`,
  )
  expect(found).toEqual(expected)
})

test('the path of a wrong topology names the member of the gang', () => {
  const cells = [{ id: 0, cpus: [0, 1], memoryMb: 512 }]
  const gang = [{ instances: 1, flavor: { vcpus: 1, memoryMb: 512 }, numaTopology: { cells } }]
  expect(contradictionsOf(aRequest({ numInstances: 2, gang })).map(({ path }) => path.join('.'))).toEqual([
    'gang.0.numaTopology.cells.0.cpus',
  ])
})
