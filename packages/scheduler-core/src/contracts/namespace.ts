import type { z } from 'zod'

/**
 * What another service may report about hosts, in addition to the namespaces of the release (namespace/). A service that has the plug-in
 * checks every document before it comes into the log. In the log the document stays as it was reported, and replicas without the plug-in
 * hold it all the same. The rules:
 * - `document` only says whether a document is valid: what the schema makes of it (defaults, other forms) is not kept. The same document
 * has the same answer, whenever and wherever it is checked. The check runs in a thread of its own, with a time limit, however the plug-in
 * runs.
 * - A document with another meaning has another `version`. Documents in an earlier version are no longer read.
 * - Filters and weighers that read it name the namespace and a field of the document (`power.watts`). A host without a document, with one
 * that is too old, or with one that leaves the field out is refused before the filter is called.
 */
export interface PluginNamespace {
  /** A lower-case letter, followed by up to 62 letters, digits, dashes and underscores. */
  readonly name: string
  /** One sentence for people: what is reported about hosts, and by which service. */
  readonly description: string
  /** The version of the documents, such as `1.0`. */
  readonly version: string
  /** The schema of a document, which must be an object. */
  readonly document: z.ZodType
  /** How old a document may be where `maxAgeSeconds` in the options of a filter or weigher does not set it: 1 to 31,536,000. */
  readonly maxAgeSeconds: number
  /** Units of its fields, for people. */
  readonly units?: Readonly<Record<string, string>>
}
