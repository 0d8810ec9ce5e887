import { quote } from '../../../text/problem.ts'
import { booleanOf } from '../../text/boolean-text.ts'
import type { ImageProperties } from '../../text/image-properties.ts'
import { NovaError } from '../../text/nova-error.ts'
import { bytesOf, isIntLike, pythonInt } from '../../text/numbers.ts'
import { PAGES } from '../topology.ts'
import { type FlavorSize, imageNumber, wish } from './flavor-wishes.ts'

/** The number of NUMA nodes that flavor or image require, or null. Throws InvalidNUMANodesNumber or ImageNUMATopologyForbidden. */
export function nodeCount(flavor: FlavorSize, image: ImageProperties): number | null {
  const ofFlavor = flavor.extraSpecs['hw:numa_nodes']
  const ofImage = imageNumber(image, 'hw_numa_nodes')
  if (ofFlavor && ofImage)
    throw new NovaError('ImageNUMATopologyForbidden', 'hw_numa_nodes of the image cannot be combined with hw:numa_nodes of the flavor')
  const text = ofFlavor || (ofImage === null ? null : String(ofImage))
  if (text === null) return null
  if (!isIntLike(text) || Number(text) < 1)
    throw new NovaError('InvalidNUMANodesNumber', `NUMA nodes are ${quote(text)}; there must be one or more`)
  return pythonInt(text)
}

/** The requested page size: in KiB, a kind of `PAGES`, or null. Throws MemoryPageSizeInvalid or MemoryPageSizeForbidden. */
export function pageSize(flavor: FlavorSize, image: ImageProperties): number | null {
  const asked = wish(flavor, image, 'mem_page_size')
  if (!asked.flavor) {
    if (asked.image)
      throw new NovaError('MemoryPageSizeForbidden', `the image asks for pages of ${quote(asked.image)}, which the flavor does not allow`)
    return null
  }
  const size = readPageSize(asked.flavor)
  if (!asked.image) return size
  if (size === PAGES.any || size === PAGES.large) return readPageSize(asked.image)
  throw new NovaError(
    'MemoryPageSizeForbidden',
    `the image asks for pages of ${quote(asked.image)}, but the flavor for ${quote(asked.flavor)}`,
  )
}

/**
 * Checks the setting for locked memory. Locked memory needs a page size. If both flavor and image have the setting, their values must be
 * equal. Throws LockMemoryForbidden or FlavorImageLockedMemoryConflict.
 */
export function checkLockedMemory(flavor: FlavorSize, image: ImageProperties): void {
  const pages = wish(flavor, image, 'mem_page_size')
  const text = flavor.extraSpecs['hw:locked_memory']
  const ofImage = image.hw_locked_memory
  if (text !== undefined && ofImage !== undefined && booleanOf(text) !== ofImage) {
    throw new NovaError('FlavorImageLockedMemoryConflict', 'flavor and image differ on locked memory')
  }
  const locked = text === undefined ? ofImage === true : booleanOf(text)
  if (locked && !pages.flavor && !pages.image) throw new NovaError('LockMemoryForbidden', 'locked memory needs hw:mem_page_size')
}

/** Returns true if the flavor requests persistent memory. */
export function wantsPersistentMemory(flavor: FlavorSize): boolean {
  return (flavor.extraSpecs['hw:pmem'] ?? '').split(',').some((label) => label.trim() !== '')
}

function readPageSize(text: string): number {
  if (text === 'any' || text === 'large' || text === 'small') return PAGES[text]
  if (/^\p{Nd}+$/u.test(text)) return pythonInt(text)
  try {
    return bytesOf(text) / 1024
  } catch (error) {
    if (error instanceof NovaError) throw new NovaError('MemoryPageSizeInvalid', error.message)
    throw error
  }
}
