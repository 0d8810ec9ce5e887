import { isJsonObject, type JsonObject } from '../json.ts'
import { memoByObject } from '../memo.ts'
import type { PluginNamespace } from '../plugin/namespace.ts'
import { quote } from '../problem.ts'
import { defineNamespace, type Namespace } from './contract.ts'

/**
 * A namespace of a plug-in as decisions read it. Its schema was asked before a document came into the log, and is no part of a decision: here
 * an object in the right version counts.
 */
export const asNamespace = memoByObject(
  ({ name, description, version, maxAgeSeconds }: PluginNamespace): Namespace<JsonObject> =>
    defineNamespace<JsonObject>(
      { name, description, maxAgeSeconds, things: () => [] },
      new Map([
        [
          version,
          (document) => {
            if (isJsonObject(document)) return { ok: true, value: document }
            const actual = quote(document)
            const message = `document is ${actual}; it must be an object`
            return { ok: false, problems: [{ code: 'stats.invalid', path: [], message, expected: 'an object', actual }] }
          },
        ],
      ]),
    ),
)
