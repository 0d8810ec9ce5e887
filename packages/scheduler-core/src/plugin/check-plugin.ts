import { z } from 'zod'
import { filters as ownFilters } from '../filters/index.ts'
import { statsFields } from '../fleet/stats-fields.ts'
import { isRegistered } from '../namespace/names.ts'
import { novaFilters } from '../nova/filters/index.ts'
import { novaWeighers } from '../nova/weighers/index.ts'
import { type Parsed, type Problem, quote } from '../problem.ts'
import { ownSchedulers } from '../profiles/profile.ts'
import { parseAs } from '../request/parse.ts'
import { weighers as ownWeighers } from '../weighers/index.ts'
import { PLUGIN_CONTRACT, type Plugin } from './plugin.ts'
import { gatherPlugins, type Plugins } from './plugins.ts'

const sentence = z.string().trim().min(1).max(1_024)
const aFunction = z.custom((value) => typeof value === 'function', 'must be a function')
const aRead = z
  .string()
  .refine(isRead, 'must be a field of reports, or a registered namespace with a field after a dot: memoryMb, storage.pools')

/** What a part says of itself, beside the functions that its contract names; more members are its own matter. */
const partOf = (noun: 'Filter' | 'Weigher') => ({
  name: z.string().regex(new RegExp(`^[A-Z][A-Za-z0-9]{0,100}${noun}$`), `must be letters and digits, a capital first and ${noun} last`),
  description: sentence,
  reads: z.union([z.array(aRead).max(64), aFunction], 'must be a list of fields of reports, or a function of the options'),
  parameters: z
    .custom((value) => jsonSchemaOf(value) !== undefined, 'must be the zod schema of an object that JSON Schema has words for')
    .optional(),
  readsHostOnly: z.literal(true).optional(),
  checkOptions: aFunction.optional(),
  prepare: aFunction,
})

/** A part that is called by a name in small letters. */
const named = {
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits and dashes'),
  description: sentence,
}

const pluginSchema = z.strictObject({
  contract: z.number(),
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits and dashes'),
  version: z.string().regex(/^\d{1,9}\.\d{1,9}\.\d{1,9}([-+][0-9A-Za-z.+-]{1,64})?$/, 'must be a version such as 1.2.3'),
  description: sentence,
  filters: z.array(z.looseObject(partOf('Filter'))).max(64),
  weighers: z
    .array(
      z.looseObject({
        ...partOf('Weigher'),
        unit: z.string().min(1).max(32),
        minval: z.number().optional(),
        multipliers: aFunction.optional(),
        cacheKey: aFunction.optional(),
      }),
    )
    .max(64),
  // left out by what was made before there were any
  schedulers: z
    .array(z.looseObject({ ...named, create: aFunction }))
    .max(64)
    .default([]),
  leaseProviders: z
    .array(z.looseObject({ ...named, open: aFunction }))
    .max(64)
    .default([]),
})

type Late = 'schedulers' | 'leaseProviders'

/** What a module exported, as a plug-in, or every problem at once. Its parts stay the objects that they are. */
export function checkPlugin(exported: unknown): Parsed<Plugin> {
  const early = notOfThisContract(exported)
  if (early !== undefined) return { ok: false, problems: [early] }
  const parsed = parseAs(pluginSchema, exported, 'plugin')
  // it is what the schema says, and was made by its author: a copy would lose what the schema does not know
  return parsed.ok
    ? { ok: true, value: { schedulers: [], leaseProviders: [], ...(exported as Omit<Plugin, Late> & Partial<Plugin>) } }
    : parsed
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
])

/** Plug-ins side by side, or where two plug-ins, or two parts of them or of the release, have one name. */
export function joinPlugins(list: readonly Plugin[]): Parsed<Plugins> {
  const problems: Problem[] = []
  const plugins = new Set<string>()
  const owners = new Map<string, string>([...ownNames].map((name) => [name, 'this release']))
  for (const { name, filters, weighers, schedulers, leaseProviders } of list) {
    if (plugins.has(name)) problems.push(clash([name], `two plug-ins are named ${quote(name)}`, 'have a name of its own each'))
    plugins.add(name)
    for (const part of [...filters, ...weighers, ...schedulers, ...leaseProviders]) {
      const owner = owners.get(part.name)
      if (owner !== undefined)
        problems.push(clash([name, part.name], `${part.name} of plug-in ${name} has the name of a part of ${owner}`, 'have another name'))
      owners.set(part.name, `plug-in ${name}`)
    }
  }
  return problems.length === 0 ? { ok: true, value: gatherPlugins(list) } : { ok: false, problems }
}

const clash = (path: readonly string[], what: string, rule: string): Problem => problem('plugin.clash', path, path.at(-1), what, rule)

function isRead(read: string): boolean {
  const [namespace = '', field] = read.split('.', 2)
  return field === undefined ? statsFields.some((known) => known === read) : isRegistered(namespace) && field !== ''
}

/** The parameters of a part for people and editors, as JSON Schema; undefined for what is no schema of an object, or has no words there. */
export function jsonSchemaOf(parameters: unknown): z.core.JSONSchema.BaseSchema | undefined {
  try {
    const schema = z.toJSONSchema(parameters as z.ZodType, { io: 'input' })
    return schema.type === 'object' ? schema : undefined
  } catch {
    return undefined
  }
}
