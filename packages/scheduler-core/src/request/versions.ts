import type { Parsed } from '../text/problem.ts'
import { memoByObject } from '../values/memo.ts'
import type { RequestSpec } from './request-spec.ts'
import { type RequestSpecV1_0, requestSpecV1_0 } from './versions/v1-0.ts'
import { downgradeTo1_0, type RequestSpecV1_1, requestSpecV1_1, upgradeFrom1_0 } from './versions/v1-1.ts'
import { downgradeTo1_1, type RequestSpecV1_2, requestSpecV1_2, upgradeFrom1_1 } from './versions/v1-2.ts'
import { downgradeTo1_2, type RequestSpecV1_3, requestSpecV1_3, upgradeFrom1_2 } from './versions/v1-3.ts'

/** A request in any published version. Logs, tables and calls can contain requests of all versions. */
export type PublishedSpec = RequestSpecV1_0 | RequestSpecV1_1 | RequestSpecV1_2 | RequestSpecV1_3

/** The schemas of all published versions, oldest first. */
export const specSchemas = { '1.0': requestSpecV1_0, '1.1': requestSpecV1_1, '1.2': requestSpecV1_2, '1.3': requestSpecV1_3 } as const

export type SpecVersion = keyof typeof specSchemas
export const specVersions = Object.keys(specSchemas) as readonly SpecVersion[]
export const isSpecVersion = (version: unknown): version is SpecVersion => specVersions.some((published) => published === version)

/** The version of requests in memory. A request in a call without a version is also read as this version. */
export const CURRENT_SPEC_VERSION = '1.3'

/** Converts a request of any published version to the current version. Repeated conversions of an object return the same result object. */
export function currentSpec(document: PublishedSpec): RequestSpec {
  return converted.get(document) ?? upgrade(document)
}

function upgrade(document: PublishedSpec): RequestSpec {
  switch (document.version) {
    case '1.0':
      return from1_2(from1_1(from1_0(document)))
    case '1.1':
      return from1_2(from1_1(document))
    case '1.2':
      return from1_2(document)
    case '1.3':
      return document
  }
}

const from1_0 = memoByObject(upgradeFrom1_0)
const from1_1 = memoByObject(upgradeFrom1_1)
const from1_2 = memoByObject(upgradeFrom1_2)

/** Converts a request to the version `version`, or returns a problem for each field that this version cannot express. */
export function specIn(version: SpecVersion, spec: RequestSpec): Parsed<PublishedSpec> {
  if (version === '1.3') return { ok: true, value: spec }
  const to1_2 = downgradeTo1_2(spec, version)
  const older = version === '1.2' ? ({ ok: true, value: to1_2.spec } as const) : olderThan1_2(version, to1_2.spec)
  return to1_2.problems.length === 0 ? older : { ok: false, problems: [...to1_2.problems, ...(older.ok ? [] : older.problems)] }
}

function olderThan1_2(version: '1.0' | '1.1', spec: RequestSpecV1_2): Parsed<PublishedSpec> {
  const older = downgradeTo1_1(spec)
  if (version === '1.1') return older
  if (older.ok) return downgradeTo1_0(older.value)
  const { gang: _, topologySpread: __, ...rest } = spec
  const oldest = downgradeTo1_0({ ...rest, version: '1.1' })
  const problems = oldest.ok ? [] : oldest.problems
  return { ok: false, problems: [...older.problems, ...problems] }
}

/**
 * Converts a request to the oldest version that can express all of it. Requests are stored in this version. Therefore, older replicas can
 * read them, and the digest of a request does not depend on the version in which it was sent.
 */
export function publishedSpec(spec: RequestSpec): PublishedSpec {
  let oldest = published.get(spec)
  if (oldest === undefined) {
    oldest = inOldest(spec)
    keepPublished(spec, oldest)
  }
  return oldest
}

/** The forms of requests that `publishedSpec` returned. */
const published = new WeakMap<RequestSpec, PublishedSpec>()
/** The requests from which these forms were made, so that a form in memory is not converted back. */
const converted = new WeakMap<PublishedSpec, RequestSpec>()

function keepPublished(spec: RequestSpec, oldest: PublishedSpec): void {
  published.set(spec, oldest)
  if (oldest !== spec) converted.set(oldest, spec)
}

/** Lets two requests that differ only in their instances share the values of their published forms. */
export function sharePublished(known: RequestSpec, other: RequestSpec): void {
  const oldest = publishedSpec(known)
  keepPublished(other, oldest === known ? other : { ...oldest, instanceUuids: other.instanceUuids })
}

function inOldest(spec: RequestSpec): PublishedSpec {
  for (const version of specVersions) {
    const parsed = specIn(version, spec)
    if (parsed.ok) return parsed.value
  }
  return spec
}
