import { readFile } from 'node:fs/promises'
import { checkPlugin, type PartKind, type PartList, type Plugin, parseAs, partKinds, partLists } from '@gantt/scheduler-core'
import { PLUGIN_CONTRACT, z } from '@gantt/scheduler-core/plugin'
import { schemaOf } from '../isolate.ts'
import { PluginError, problemsOf } from '../plugin-error.ts'

/** An extender as the operator describes it: its parts and its URL. */
export interface ExtenderSetting {
  readonly plugin: Plugin
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The timeout of one answer in milliseconds; undefined: the timeout of every plug-in. */
  readonly timeoutMs: number | undefined
}

/** The kinds of parts that an extender can provide: filters and weighers, because only these are called with a list of hosts. */
type AskedList = { [List in PartList]: (typeof partKinds)[List] extends { readonly asked: 'HOSTS' } ? List : never }[PartList]
const askedLists = partLists.filter((list): list is AskedList => (partKinds[list] as PartKind).asked === 'HOSTS')

/** The file may describe at most this many extenders. A larger count is assumed to be a mistake. */
const MAX_EXTENDERS = 32

const url = z.string().max(2_048).refine(isAllowed, 'must be an address with http or https, without user, password and fragment')
const header = z
  .string()
  .max(4_096)
  .regex(/^[\x20-\x7e]*$/, 'must be printable characters')
const part = z.looseObject({ parameters: z.record(z.string(), z.json()).optional() })

/** An object with a value for each kind of part that an extender can provide. */
const listsOf = <Value>(make: (list: AskedList) => Value): { readonly [List in AskedList]: Value } =>
  Object.fromEntries(askedLists.map((list) => [list, make(list)])) as { readonly [List in AskedList]: Value }

const extenderSchema = z.strictObject({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  url,
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'must be a name of a header'), header).default({}),
  timeoutMs: z.number().int().min(10).max(10_000).optional(),
  ...listsOf(() => z.array(part).default([])),
})

const fileSchema = z.strictObject({ extenders: z.array(extenderSchema).max(MAX_EXTENDERS) })

/** Reads the extenders in a file with the form of docs/extenders.md. Throws PluginError with all problems. */
export async function readExtenders(file: string): Promise<readonly ExtenderSetting[]> {
  let document: unknown
  try {
    document = JSON.parse(await readFile(file, 'utf8'))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new PluginError('plugin.not_loaded', `the extenders of GANTT_EXTENDERS could not be read from ${file}: ${why}`, { cause })
  }
  const parsed = parseAs(fileSchema, document, 'plugin')
  if (!parsed.ok) throw problemsOf(`the extenders of ${file}`, parsed.problems)
  return parsed.value.extenders.map(({ url: to, headers, timeoutMs, name, version, description, ...lists }) => {
    const by = `${name}@${version}`
    const parts = listsOf((list) => lists[list].map((described) => toPart(by, described)))
    const checked = checkPlugin({ ...{ contract: PLUGIN_CONTRACT, name, version, description }, ...parts })
    if (!checked.ok) throw problemsOf(`extender ${name}`, checked.problems)
    return { plugin: checked.value, url: to, headers, timeoutMs }
  })
}

/** A part with a proxy for its function, which is called over HTTP. */
const toPart = (by: string, { parameters, ...described }: z.output<typeof part>) => ({
  ...described,
  readsHostOnly: true,
  outside: { by },
  ...(parameters !== undefined && { parameters: schemaOf(parameters) }),
  prepare() {
    throw new Error('it answers over HTTP')
  },
})

function isAllowed(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hash } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '' && hash === ''
}
