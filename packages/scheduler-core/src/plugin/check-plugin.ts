import { z } from 'zod'
import { builtIn } from '../contracts/built-in.ts'
import { ofEachKind, partsIn } from '../contracts/part-kinds.ts'
import { definePlugin, PLUGIN_CONTRACT, type Plugin, type PluginInput } from '../contracts/plugin.ts'
import { gatherPlugins, type Plugins } from '../contracts/plugins.ts'
import { nameableFilters } from '../filters/index.ts'
import { COMPUTE } from '../hosts/hosts.ts'
import { fieldsIn } from '../pipeline/namespaces/reading.ts'
import { ownNamespaces, registeredNamespaces } from '../records/namespace-names.ts'
import { ownSchedulers } from '../records/profile.ts'
import { parseAs } from '../request/parse.ts'
import { type Parsed, type Problem, quote } from '../text/problem.ts'
import { nameableWeighers } from '../weighers/index.ts'

const pluginSchema = z.strictObject({
  contract: z.number(),
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits and dashes, and must not begin with a dash'),
  version: z.string().regex(/^\d{1,9}\.\d{1,9}\.\d{1,9}([-+][0-9A-Za-z.+-]{1,64})?$/, 'must be a version such as 1.2.3'),
  description: z.string().trim().min(1).max(1_024),
  // a plug-in can leave out lists that it does not need
  ...ofEachKind((_list, { shape }) => z.array(shape).max(64).default([])),
})

/** Checks the export of a plug-in module. Returns the plug-in, or all of its problems at once. */
export function checkPlugin(exported: unknown): Parsed<Plugin> {
  const early = notOfThisContract(exported)
  if (early !== undefined) return { ok: false, problems: [early] }
  const parsed = parseAs(pluginSchema, exported, 'plugin')
  // the exported objects are used, because copies by the schema would lack members that the schema does not list
  return parsed.ok ? { ok: true, value: definePlugin(exported as PluginInput) } : parsed
}

/**
 * Finds problems for which the schema would give an unclear message: the export is not an object, is made for another contract version, or
 * defines resource kinds.
 */
function notOfThisContract(exported: unknown): Problem | undefined {
  if (exported === null || typeof exported !== 'object')
    return problem('plugin.invalid', [], exported, `the plug-in is ${quote(exported)}`, 'be a value that definePlugin returned')
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

/** The names that plug-ins may not use: those of the release's filters, weighers, schedulers, lease providers and namespaces. */
function ownNames(): ReadonlySet<string> {
  const { filters, weighers } = builtIn().rules
  return new Set([
    ...[...nameableFilters(), ...nameableWeighers(), ...filters, ...weighers].map(({ name }) => name),
    ...ownSchedulers,
    // names of lease providers, to which GANTT_LIVENESS refers
    ...['static', 'reports'],
    ...[COMPUTE, ...ownNamespaces],
  ])
}

/**
 * Combines plug-ins. Returns problems if two plug-ins have the same name. Also returns problems if a filter, weigher, scheduler or
 * namespace of a plug-in has a name that another plug-in or the release uses for one of its own.
 */
export function joinPlugins(list: readonly Plugin[]): Parsed<Plugins> {
  const problems: Problem[] = []
  const plugins = new Set<string>()
  const owners = new Map<string, string>([...ownNames()].map((name) => [name, 'this release']))
  for (const plugin of list) {
    const { name } = plugin
    if (plugins.has(name)) problems.push(clash([name], `a second plug-in is named ${quote(name)}`, 'have another name'))
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

/**
 * Finds filters and weighers that read a namespace that neither the release nor a plug-in defines. Such filters and weighers would refuse
 * all hosts.
 */
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
