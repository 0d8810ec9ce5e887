import { memoByObject } from '../memo.ts'
import type { Parsed } from '../problem.ts'
import type { RequestSpec } from './request-spec.ts'
import { type RequestSpecV1_0, requestSpecV1_0 } from './versions/v1-0.ts'
import { downgradeTo1_0, type RequestSpecV1_1, requestSpecV1_1, upgradeFrom1_0 } from './versions/v1-1.ts'

/** A request in any published version, as logs, tables and callers have it. */
export type PublishedSpec = RequestSpecV1_0 | RequestSpecV1_1

/** Published versions, oldest first, with what each accepts. */
export const specSchemas = { '1.0': requestSpecV1_0, '1.1': requestSpecV1_1 } as const

export type SpecVersion = keyof typeof specSchemas
export const specVersions = Object.keys(specSchemas) as readonly SpecVersion[]

/** The version of requests in memory, and of callers that name none. */
export const CURRENT_SPEC_VERSION = '1.1'

/** A request of any published version in the current one; the same object for the same object. */
export const currentSpec = (document: PublishedSpec): RequestSpec => (document.version === '1.0' ? upgraded(document) : document)

const upgraded = memoByObject(upgradeFrom1_0)

/** A request in the words of a version, or every field that it has no words for. */
export function specIn(version: SpecVersion, spec: RequestSpec): Parsed<PublishedSpec> {
  return version === '1.1' ? { ok: true, value: spec } : downgradeTo1_0(spec)
}

/**
 * A request as it is written down: in the oldest version that says all of it, so that older replicas read what they can,
 * and so that the same request has the same digest whichever version it was asked in.
 */
export const publishedSpec = (spec: RequestSpec): PublishedSpec => inOldest(spec)

const inOldest = memoByObject((spec: RequestSpec): PublishedSpec => {
  for (const version of specVersions) {
    const said = specIn(version, spec)
    if (said.ok) return said.value
  }
  return spec
})
