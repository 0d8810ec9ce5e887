import type { ImageProperties } from '../text/image-properties.ts'
import { NovaError } from '../text/nova-error.ts'
import type { Shortfall } from './shortfall.ts'
import type { GuestTopology, HostTopology } from './topology.ts'

/** The settings of flavor and image in a request, with or without a guest topology. */
export interface HostCheck {
  readonly host: HostTopology | null
  readonly guest: GuestTopology | null
  readonly extraSpecs: Readonly<Record<string, string>> | null | undefined
  /** Null for a request without an image. */
  readonly imageProperties: ImageProperties | null
}

/** The result of the checks before cells are fitted: the host passes, the host is refused, or fitting decides. */
export type HostCheckResult = { readonly answer: 'pass' | 'fit' } | { readonly answer: 'refuse'; readonly why: Shortfall }

/**
 * The checks that Nova makes before it fits a guest. There must be an image. If threads are required, the host must have them, even for a
 * guest without a topology. If the guest has a topology, the host must have one too. Throws AttributeError and ObjectActionError as Nova
 * does.
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

/** Whether any core of a host has more than one thread. */
export function hasThreads(host: HostTopology): boolean {
  return host.cells.some((cell) => cell.siblings.some((threads) => threads.length > 1))
}
