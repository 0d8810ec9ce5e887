import type { z } from 'zod'

/**
 * What another service may report of hosts, beside the namespaces of the release (namespace/). A service that has the plug-in checks every
 * document before it comes into the log; there it stays as it was reported, and replicas without the plug-in hold it all the same.
 *
 * The law:
 * - `document` only says whether a document is one: what it makes of it (defaults, other forms) is not kept. The same document has the same
 *   answer, whenever and wherever it is asked. It is asked in a thread of its own, with a time limit, however the plug-in runs.
 * - A document that means something else has another `version`. What was reported in an earlier one is not read any more.
 * - Parts that read it name the namespace and a field of the document (`power.watts`). A host without a document, with one that is too old,
 *   or with one that leaves the field out, is refused before the part is asked.
 */
export interface PluginNamespace {
  /** A lower-case letter, and up to 62 letters, digits, dashes and underscores. */
  readonly name: string
  /** One sentence for people: what of hosts is reported, and by whom. */
  readonly description: string
  /** Of the documents: `1.0`. */
  readonly version: string
  /** The schema of a document, which is an object. */
  readonly document: z.ZodType
  /** How old a document may be where the options of a part do not say it (`maxAgeSeconds`): 1 to 31,536,000. */
  readonly maxAgeSeconds: number
  /** Units of its fields, for people. */
  readonly units?: Readonly<Record<string, string>>
}
