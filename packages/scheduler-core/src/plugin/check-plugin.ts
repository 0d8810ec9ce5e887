import { z } from 'zod'
import { filters as ownFilters } from '../filters/index.ts'
import { COMPUTE } from '../fleet/hosts.ts'
import { ownNamespaces, registeredNamespaces } from '../namespace/names.ts'
import { fieldsIn } from '../namespace/reading.ts'
import { novaFilters } from '../nova/filters/index.ts'
import { novaWeighers } from '../nova/weighers/index.ts'
import { type Parsed, type Problem, quote } from '../problem.ts'
import { ownSchedulers } from '../profiles/profile.ts'
import { parseAs } from '../request/parse.ts'
import { weighers as ownWeighers } from '../weighers/index.ts'
import { ofEachKind, partsIn } from './part-kinds.ts'
import { definePlugin, PLUGIN_CONTRACT, type Plugin, type PluginInput } from './plugin.ts'
import { gatherPlugins, type Plugins } from './plugins.ts'

const pluginSchema = z.strictObject({
  contract: z.number(),
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits and dashes'),
  version: z.string().regex(/^\d{1,9}\.\d{1,9}\.\d{1,9}([-+][0-9A-Za-z.+-]{1,64})?$/, 'must be a version such as 1.2.3'),
  description: z.string().trim().min(1).max(1_024),
  // what is not brought may be left out
  ...ofEachKind((_list, { shape }) => z.array(shape).max(64).default([])),
})

/** What a module exported, as a plug-in, or every problem at once. Its parts stay the objects that they are. */
export function checkPlugin(exported: unknown): Parsed<Plugin> {
  const early = notOfThisContract(exported)
  if (early !== undefined) return { ok: false, problems: [early] }
  const parsed = parseAs(pluginSchema, exported, 'plugin')
  // it is what the schema says, and was made by its author: a copy would lose what the schema does not know
  return parsed.ok ? { ok: true, value: definePlugin(exported as PluginInput) } : parsed
}

/** What says more than that a field is wrong: another contract, and what no plug-in can bring. */
function notOfThisContract(exported: unknown): Problem | undefined {
  if (exported === null || typeof exported !== 'object')
    return problem('plugin.invalid', [], exported, `the plug-in is ${quote(exported)}`, 'be what definePlugin answers')
  const { contract, resourceKinds } = exported as Readonly<Record<string, unknown>>
  if (contract !== PLUGIN_CONTRACT)
    return problem(
      'plugin.contract',
      ['contract'],
      contract,
      `contract is ${quote(contract)}`,
      `be ${PLUGIN_CONTRACT}, which this release has`,
    )
  if (resourceKinds === undefined) return undefined
  const rule =
    'be left out: all replicas must agree on what a claim holds, whatever each has loaded; report a resource class CUSTOM_* instead'
  return problem('plugin.resource_kind', ['resourceKinds'], resourceKinds, `resourceKinds is ${quote(resourceKinds)}`, rule)
}

function problem(code: Problem['code'], path: readonly string[], found: unknown, what: string, rule: string): Problem {
  return { code, path, message: `${what}; it must ${rule}`, expected: rule.replace(/^be /, ''), actual: quote(found) }
}

const ownNames: ReadonlySet<string> = new Set([
  ...[...ownFilters, ...ownWeighers, ...novaFilters, ...novaWeighers].map(({ name }) => name),
  ...ownSchedulers,
  // those of signs of life (GANTT_LIVENESS)
  ...['static', 'reports'],
  ...[COMPUTE, ...ownNamespaces],
])

/** Plug-ins side by side, or where two plug-ins, or two parts of them or of the release, have one name. */
export function joinPlugins(list: readonly Plugin[]): Parsed<Plugins> {
  const problems: Problem[] = []
  const plugins = new Set<string>()
  const owners = new Map<string, string>([...ownNames].map((name) => [name, 'this release']))
  for (const plugin of list) {
    const { name } = plugin
    if (plugins.has(name)) problems.push(clash([name], `two plug-ins are named ${quote(name)}`, 'have a name of its own each'))
    plugins.add(name)
    for (const { part } of partsIn(plugin)) {
      const owner = owners.get(part.name)
      if (owner !== undefined)
        problems.push(clash([name, part.name], `${part.name} of plug-in ${name} has the name of a part of ${owner}`, 'have another name'))
      owners.set(part.name, `plug-in ${name}`)
    }
  }
  problems.push(...unknownReads(list))
  return problems.length === 0 ? { ok: true, value: gatherPlugins(list) } : { ok: false, problems }
}

/** Namespaces that parts read and nothing brings: their hosts would be refused for ever. */
function unknownReads(list: readonly Plugin[]): Problem[] {
  const known: readonly string[] = [...registeredNamespaces, ...list.flatMap(({ namespaces }) => namespaces.map(({ name }) => name))]
  return list.flatMap(({ name, filters, weighers }) =>
    [...filters, ...weighers].flatMap((part) =>
      [...fieldsIn(typeof part.reads === 'function' ? [] : part.reads).keys()]
        .filter((namespace) => !known.includes(namespace))
        .map((namespace) =>
          problem(
            ...(['plugin.invalid', [name, part.name, 'reads'], namespace] as const),
            `${part.name} of plug-in ${name} reads the namespace ${quote(namespace)}`,
            `read one of ${known.join(', ')}`,
          ),
        ),
    ),
  )
}

const clash = (path: readonly string[], what: string, rule: string): Problem => problem('plugin.clash', path, path.at(-1), what, rule)
