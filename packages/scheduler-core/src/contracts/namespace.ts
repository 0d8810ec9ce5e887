import type { z } from 'zod'

/**
 * A kind of documents that another service can report about hosts, in addition to the namespaces of the release (namespace/). A service
 * with the plug-in checks every document before it is written to the log. The log contains documents as they were reported, and replicas
 * without the plug-in store them too. The rules:
 * - The schema `document` only decides whether a document is valid. The parsed output is not stored. The same document must always have the same
 * result. The check always runs in a separate thread with a time limit.
 * - If the meaning of documents changes, `version` must change. Documents of earlier versions are then not read.
 * - Filters and weighers that read documents declare the namespace and a field of the document (`power.watts`). A host is refused before
 * the filter is called if its document is missing, is too old or lacks the field.
 */
export interface PluginNamespace {
  /** A lower-case letter, followed by up to 62 lower-case letters, digits, dashes and underscores. */
  readonly name: string
  /** One sentence for users: which service reports the documents, and what they contain. */
  readonly description: string
  /** The version of the documents, such as `1.0`. */
  readonly version: string
  /** The schema of a document. A document must be an object. */
  readonly document: z.ZodType
  /** The maximum age of a document in seconds, 1 to 31,536,000. The option `maxAgeSeconds` of a filter or weigher overrides it. */
  readonly maxAgeSeconds: number
  /** The units of the document's fields, by field, for display. */
  readonly units?: Readonly<Record<string, string>>
}
