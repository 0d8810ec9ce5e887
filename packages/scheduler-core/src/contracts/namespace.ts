import type { z } from 'zod'

/**
 * Data that another service may report about hosts, in addition to the namespaces of the release (namespace/). A service with the plug-in
 * checks every document before it is written to the log. The log contains the document as it was reported, and replicas without the plug-in
 * store it too. The rules:
 * - `document` only decides whether a document is valid. Its output (defaults, other forms) is not stored. The same document always has the
 * same result. The check runs in its own thread with a time limit, wherever the plug-in runs.
 * - If the meaning of documents changes, their `version` must change. Documents of an earlier version are no longer read.
 * - Filters and weighers that read documents declare the namespace and a field of the document (`power.watts`). A host without a document,
 * with one that is too old, or with one that lacks the field is refused before the filter is called.
 */
export interface PluginNamespace {
  /** A lower-case letter, followed by up to 62 letters, digits, dashes and underscores. */
  readonly name: string
  /** One sentence for users: what is reported about hosts, and by which service. */
  readonly description: string
  /** The version of the documents, such as `1.0`. */
  readonly version: string
  /** The schema of a document, which must be an object. */
  readonly document: z.ZodType
  /** The maximum age of a document if `maxAgeSeconds` in the options of a filter or weigher does not set it: 1 to 31,536,000. */
  readonly maxAgeSeconds: number
  /** Units of the document's fields, for display. */
  readonly units?: Readonly<Record<string, string>>
}
