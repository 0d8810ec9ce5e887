import {
  currentSpec,
  type HostStats,
  type Parsed,
  type PublishedSpec,
  type PublishedStats,
  publishedStats,
  specIn,
  specVersions,
  statsIn,
  statsVersions,
} from '@gantt/scheduler-core'
import { InputFault, under } from '../calls/outcome.ts'

/**
 * A request in the requested version. If no version is requested, the request has the version in which it is stored. Throws InputFault if
 * the version is unknown or cannot express the request.
 */
export function specDocument(document: PublishedSpec, version: string | null): PublishedSpec {
  return version === null ? document : said(specIn(oneOf(specVersions, version), currentSpec(document)))
}

/**
 * A host's report in the requested version. If no version is requested, the report has the oldest version that can express all of the
 * report. Throws InputFault if the version is unknown or cannot express the report.
 */
export function statsDocument(stats: HostStats, version: string | null): PublishedStats {
  return version === null ? publishedStats(stats) : said(statsIn(oneOf(statsVersions, version), stats))
}

function oneOf<Version extends string>(versions: readonly Version[], version: string): Version {
  const known = versions.find((one) => one === version)
  if (known === undefined) throw InputFault.at(['version'], version, `one of ${versions.join(', ')}`)
  return known
}

function said<Document>(parsed: Parsed<Document>): Document {
  if (!parsed.ok) throw new InputFault(under(['version'], parsed.problems))
  return parsed.value
}
