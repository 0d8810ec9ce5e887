import type { ImageProperties } from '../text/image-properties.ts'
import { NovaError } from '../text/nova-error.ts'
import type { Shortfall } from './shortfall.ts'
import type { GuestTopology, HostTopology } from './topology.ts'

/** The data that `checkHost` compares: a host's topology, and the guest topology, flavor and image of a request. */
export interface HostCheck {
  readonly host: HostTopology | null
  readonly guest: GuestTopology | null
  readonly extraSpecs: Readonly<Record<string, string>> | null | undefined
  /** Null for a request without an image. */
  readonly imageProperties: ImageProperties | null
}

/** The result of `checkHost`: the host passes, the host is refused, or the guest must be fitted on the host's cells. */
export type HostCheckResult = { readonly answer: 'pass' | 'fit' } | { readonly answer: 'refuse'; readonly why: Shortfall }

/**
 * Checks a host as Nova does before it fits a guest on the host's cells. If the request requires CPU threads, the host must have them, even
 * if the guest has no topology. If the guest has a topology, the host must have one too. As in Nova, throws ObjectActionError if the extra
 * specs are unset, and AttributeError if the request has no image.
 */
export function checkHost({ host, guest, extraSpecs, imageProperties }: HostCheck): HostCheckResult {
  if (extraSpecs === undefined) throw new NovaError('ObjectActionError', 'the flavor has no extra specs set')
  if (imageProperties === null) throw new NovaError('AttributeError', 'the request has no image')
  if (extraSpecs === null) throw new NovaError('AttributeError', 'the extra specs of the flavor are null')
  const asked = (key: string, value: string) => extraSpecs[`hw:${key}`] === value || imageProperties[`hw_${key}`] === value
  const hasCells = host !== null && host.cells.length > 0
  if (hasCells && asked('cpu_policy', 'dedicated') && asked('cpu_thread_policy', 'require') && !hasThreads(host)) {
    return { answer: 'refuse', why: { code: 'numa.no_threads', need: 2, have: 1, unit: 'threads a core' } }
  }
  if (guest === null || guest.cells.length === 0) return { answer: 'pass' }
  return hasCells
    ? { answer: 'fit' }
    : { answer: 'refuse', why: { code: 'numa.not_reported', need: guest.cells.length, have: 0, unit: 'cells' } }
}

/** Returns true if any core of the host has more than one thread. */
export function hasThreads(host: HostTopology): boolean {
  return host.cells.some((cell) => cell.siblings.some((threads) => threads.length > 1))
}
