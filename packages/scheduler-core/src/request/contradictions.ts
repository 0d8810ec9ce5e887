import type { Contradiction } from './contradiction.ts'
import { wrongTopology } from './guest-topology.ts'
import type { RequestSpec } from './request-spec.ts'

/** Finds guest topologies that do not match their flavors. A call with such a topology gets an error. Stored requests are not checked. */
export function contradictionsOf({ gang, ...request }: RequestSpec): Contradiction[] {
  const guests = [{ at: [] as string[], guest: request }, ...gang.map((guest, i) => ({ at: ['gang', String(i)], guest }))]
  return guests.flatMap(({ at, guest }) =>
    wrongTopology(guest).map(({ path, ...wrong }) => ({ path: [...at, 'numaTopology', ...path], ...wrong })),
  )
}

/**
 * Finds flavors that are smaller than the image requires. Nova's API refuses such flavors (`_validate_flavor_image_nostatus`) when an
 * instance is created, rebuilt or resized. Root disks of 0 GiB are not checked, because 0 GiB means that the disk is as large as the image.
 * Root disks on volumes are not checked, because the flavor does not have their size. Requests in Nova's form are not checked, because
 * Nova's API has checked them.
 */
export function tooSmallForImage({ image, isBfv, flavor, gang, nova }: RequestSpec): Contradiction[] {
  if (image === null || nova !== null) return []
  const { minRamMb, minDiskGb } = image
  const flavors = [flavor, ...gang.map((member) => member.flavor)]
  const memory = Math.min(...flavors.map(({ memoryMb }) => memoryMb))
  const disk = isBfv ? 0 : Math.min(...flavors.flatMap(({ rootGb }) => (rootGb === 0 ? [] : [rootGb])), Number.POSITIVE_INFINITY)
  const refuse = (field: string, found: number, what: string): Contradiction => ({
    path: ['image', field],
    found,
    rule: `be at most the ${what}, because the image requires at least this much: use a larger flavor, or another image`,
  })
  return [
    ...(minRamMb > memory ? [refuse('minRamMb', minRamMb, `memory of the flavor, ${memory} MiB`)] : []),
    ...(disk > 0 && minDiskGb > disk ? [refuse('minDiskGb', minDiskGb, `root disk of the flavor, ${disk} GiB`)] : []),
  ]
}
