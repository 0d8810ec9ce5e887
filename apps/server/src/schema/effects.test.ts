import fs from 'node:fs'
import path from 'node:path'
import { type GraphQLInputField, getNamedType, isEnumType, isInputObjectType, isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { createSchema } from './index.ts'

/*
 * Checks that every argument and input field is read, because one that nothing reads would have no effect. The test searches its name in
 * the source: in the file that defines the input object, or in the code to which the object is passed as a whole. The same holds for the
 * values of enumerations: a resolver passes them on as they are, and the service obeys or refuses them.
 */

/** Input objects that the schema passes on as a whole or in part (`...rest`). The core or the services read their fields. */
const handedOn = new Set(
  `AggregateChangeInput AggregateUpdateInput AssignmentInput AssignmentRuleInput CpuInfoInput DestinationInput ExplainPlacementInput FilterSettingInput
   FlavorInput FleetOverlayInput FullStatsInput GangMemberInput GpuInput GpuRequestInput HostFilter HostNumaCellInput HostOrder AggregateOrder
   HypotheticalHostInput ImageMetaInput InstanceGroupInput InstanceSizeInput InventoryInput MemoryPagesInput MetricInput
   NamespaceReportInput NovaSettingsInput NumaCellInput NumaRequestInput PciPoolInput PciRequestInput PlacementSettingsInput ProfileVersionInput RatioChangeInput ReserveChangeInput
   ReporterInput RequestSpecInput ResourceAmountInput ResourceGroupInput ResourceNameInput SolverSettingsInput StatsDeltaInput
   StatsReportInput StringComparator SupportedInstanceInput TopologySpreadInput VerdictFilter WeigherSettingInput`.split(/\s+/),
)

const types = Object.values(createSchema().getTypeMap()).filter(({ name }) => !name.startsWith('__'))

const root = path.resolve(import.meta.dirname, '../../../..')

function texts(folder: string): ReadonlyMap<string, string> {
  const files = fs.readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
  return new Map(
    files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => [file, fs.readFileSync(path.join(root, folder, file), 'utf8')]),
  )
}

const sources = (folder: string): ReadonlyMap<string, string> => new Map([...texts(folder)].map(([file, text]) => [file, codeOf(text)]))

/** The code without comments, texts and the definitions of fields and arguments. If a field name remains, the code uses the field. */
const codeOf = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
    .replace(/\b\w+: t\./g, 't.')
    .replace(/\b\w+:\s*z\b/g, 'z')

const own = sources('apps/server/src/schema')
const others = [...sources('apps/server/src/services').values(), ...sources('packages/scheduler-core/src').values()].join('\n')
const isIn = (code: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(code)

const all = [...own.values()].join('\n')

/**
 * The code of the file that defines a field of an input object. If a shared function defines the field, the code of all files is returned.
 */
function codeAround(type: string, field: string): string {
  for (const [file, code] of own) {
    const text = fs.readFileSync(path.join(root, 'apps/server/src/schema', file), 'utf8')
    if (text.includes(`inputType('${type}'`)) return new RegExp(`\\b${field}: t\\.`).test(text) ? code : all
  }
  return all
}

const isKept = ({ deprecationReason }: Pick<GraphQLInputField, 'deprecationReason'>): boolean => deprecationReason == null

test('every input field is read somewhere, or is deprecated with a text that says what to do instead', () => {
  const unread = types.filter(isInputObjectType).flatMap((type) =>
    Object.values(type.getFields())
      .filter((field) => isKept(field) && !isIn(codeAround(type.name, field.name), field.name))
      .filter(({ name }) => !handedOn.has(type.name) || !isIn(others, name))
      .map(({ name }) => `${type.name}.${name}`),
  )
  expect(unread).toEqual([])
})

test('every argument is read somewhere, or is deprecated with a text that says what to do instead', () => {
  const unread = types
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields()).flatMap((field) =>
        field.args
          .filter((arg) => isKept(arg) && !isIn(all, arg.name) && !isIn(others, arg.name))
          .map((arg) => `${type.name}.${field.name}(${arg.name})`),
      ),
    )
  expect(unread).toEqual([])
})

test('no resolver turns one value of an enumeration into another, because the first would be accepted and not obeyed', () => {
  const turned = [...texts('apps/server/src/schema')].flatMap(([file, text]) =>
    [...text.matchAll(/[!=]== '[A-Z_]+' \? '[A-Z_]+' : '[A-Z_]+'/g)].map(([code]) => `${file}: ${code}`),
  )
  expect(turned).toEqual([])
})

test('every value of an enumeration that a call can give is named in a service or in the core', () => {
  const given = types.flatMap((type) => {
    const fields = isInputObjectType(type) ? Object.values(type.getFields()) : []
    const args = isObjectType(type) ? Object.values(type.getFields()).flatMap((field) => [...field.args]) : []
    return [...fields, ...args].filter(isKept).map((one) => getNamedType(one.type))
  })
  // the scopes of keys are named where the schema requires them
  const scopes = [...texts('apps/server/src/schema').values()].flatMap((text) => text.match(/scope: '[A-Z]+'/g) ?? [])
  const code = [...texts('apps/server/src/services').values(), ...texts('packages/scheduler-core/src').values(), ...scopes]
    .join('\n')
    .toLowerCase()
  const words = new Set([/[\w-]+/g, /\w+/g].flatMap((word) => code.match(word) ?? []))
  // the core writes names of values in lower case, and fields of reports in camel case
  const isNamed = (value: string): boolean =>
    [value.toLowerCase(), value.toLowerCase().replaceAll('_', '-'), value.toLowerCase().replaceAll('_', '')].some((name) => words.has(name))
  const unnamed = [...new Set(given.filter(isEnumType))].flatMap((type) =>
    type
      .getValues()
      .filter(({ name }) => !isNamed(name))
      .map(({ name }) => `${type.name}.${name}`),
  )
  expect(unnamed).toEqual([])
})
