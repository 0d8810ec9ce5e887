import type { PluginNamespace } from '../contracts/namespace.ts'
import { defineNamespace, type Namespace } from '../records/namespace-document.ts'
import { quote } from '../text/problem.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { memoByObject } from '../values/memo.ts'

/**
 * The namespace of a plug-in, for decisions. Any object with the right version is accepted here, because the schema of the plug-in already
 * checked each document before it was written to the log.
 */
export const asNamespace = memoByObject(
  ({ name, description, version, maxAgeSeconds }: PluginNamespace): Namespace<JsonObject> =>
    defineNamespace<JsonObject>(
      { name, description, maxAgeSeconds, things: () => [], says: () => undefined },
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
