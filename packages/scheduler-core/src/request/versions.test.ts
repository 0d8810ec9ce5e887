import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aUuid } from '../testing/index.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { forInstances } from './for-instances.ts'
import { parseRequestSpec } from './parse.ts'
import { demandOf } from './request-spec.ts'
import { requestSpecV1_0 } from './versions/v1-0.ts'
import { requestSpecV1_1 } from './versions/v1-1.ts'
import { requestSpecV1_2 } from './versions/v1-2.ts'
import { requestSpecV1_3 } from './versions/v1-3.ts'
import { describeVersions } from './versions.suite.ts'
import { CURRENT_SPEC_VERSION, currentSpec, type PublishedSpec, publishedSpec, type SpecVersion, specIn, specSchemas } from './versions.ts'

const name = fc.constantFrom('h1', 'h2', 'a b', 'π😀')
const names = fc.array(name, { maxLength: 2 })
const uuid = fc.integer({ min: 1, max: 99 }).map(aUuid)
const amount = fc.integer({ min: 0, max: 4_096 })
const pairs = fc.dictionary(fc.constantFrom('a', 'hw:cpu_policy', 'constructor'), fc.constantFrom('x', ''))
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const some = <T>(shape: { [Key in keyof T]: fc.Arbitrary<T[Key]> }) => fc.record(shape, { requiredKeys: [] })

const cell = {
  cpus: fc.uniqueArray(fc.integer({ min: 0, max: 31 }), { minLength: 1, maxLength: 4 }),
  memoryMb: fc.integer({ min: 1, max: 9 }),
}
const policy = fc.constantFrom('shared', 'dedicated')
const numbered = <T extends object>(cells: fc.Arbitrary<T>) =>
  fc.array(cells, { minLength: 1, maxLength: 3 }).map((all) => all.map((one, id) => ({ ...one, id })))

const fields = {
  numInstances: fc.integer({ min: 1, max: 1_000 }),
  projectId: orNull(name),
  userId: orNull(name),
  image: orNull(some({ id: orNull(name), architecture: orNull(name), minRamMb: amount, minDiskGb: amount, properties: pairs })),
  availabilityZone: orNull(name),
  instanceGroup: orNull(
    fc.record({
      uuid,
      policy: fc.constantFrom('AFFINITY', 'ANTI_AFFINITY', 'SOFT_AFFINITY', 'SOFT_ANTI_AFFINITY'),
      maxServerPerHost: orNull(fc.integer({ min: 1, max: 9 })),
      hosts: names,
    }),
  ),
  gpus: orNull(some({ count: fc.integer({ min: 1, max: 8 }), shareMilli: fc.integer({ min: 1, max: 1_000 }), models: names })),
  requestedResources: fc.array(
    fc.record({
      amounts: fc.constant([{ resourceClass: 'CUSTOM_X', amount: 1 }]),
      requiredTraits: fc.constant(['SSD']),
      memberOf: fc.array(uuid),
    }),
    { maxLength: 2 },
  ),
  requestedDestination: orNull(some({ host: orNull(name), node: orNull(name), aggregates: fc.array(uuid, { maxLength: 2 }) })),
  forceHosts: names,
  forceNodes: names,
  ignoreHosts: names,
  schedulerHints: fc.dictionary(fc.constantFrom('different_host', 'query'), names),
  isBfv: fc.boolean(),
}
const flavor = fc
  .tuple(amount, amount, some({ name: orNull(name), rootGb: amount, swapMb: amount, extraSpecs: pairs }))
  .map(([vcpus, memoryMb, rest]) => ({ vcpus, memoryMb, ...rest }))

const oldest = fc
  .tuple(flavor, some({ ...fields, numaTopology: orNull(fc.record({ cells: numbered(fc.record({ ...cell, cpuPolicy: policy })) })) }))
  .map(([own, rest]) => ({ flavor: own, ...rest }))

const newCell = fc
  .tuple(
    fc.record({ ...cell, cpuPolicy: fc.oneof(policy, fc.constant('mixed')) }),
    some({
      cpuThreadPolicy: orNull(fc.constantFrom('prefer', 'isolate', 'require')),
      pageSize: orNull(fc.oneof(fc.constantFrom('small', 'large', 'any'), fc.constantFrom(4, 2_048, 1_048_576))),
    }),
  )
  .map(([own, rest]) => ({ ...own, ...rest, ...(own.cpuPolicy === 'mixed' && { dedicatedCpus: own.cpus.slice(0, 1) }) }))

const newer = fc
  .tuple(
    oldest,
    some({
      numaTopology: orNull(
        fc
          .tuple(numbered(newCell), orNull(fc.constantFrom('share', 'isolate')))
          .map(([cells, emulatorThreadsPolicy]) => ({ cells, emulatorThreadsPolicy })),
      ),
      pciRequests: fc.array(
        fc.record({
          requestId: orNull(uuid),
          alias: orNull(name),
          count: fc.integer({ min: 1, max: 8 }),
          specs: fc.array(pairs, { maxLength: 2 }),
        }),
        { maxLength: 2 },
      ),
      requestedDestination: orNull(
        some({ host: orNull(name), aggregates: fc.array(uuid, { maxLength: 2 }), forbiddenAggregates: fc.array(uuid, { maxLength: 1 }) }),
      ),
      forceVerify: fc.constantFrom('ALL', 'ALL', 'HARD', 'NONE'),
      nova: orNull(fc.record({ form: fc.constantFrom('RequestSpec', 'legacy'), document: fc.constant({ a: null, b: [1, { c: 'x' }] }) })),
    }),
  )
  .map(([old, rest]) => ({ ...old, ...rest }))

const spread = fc
  .record({ maxSkew: orNull(fc.integer({ min: 1, max: 9 })), maxPerDomain: orNull(fc.integer({ min: 1, max: 9 })) })
  .map((most) => (most.maxSkew === null ? { ...most, maxPerDomain: most.maxPerDomain ?? 1 } : most))

const withGang = fc
  .tuple(
    newer,
    fc.array(fc.record({ name: orNull(name), instances: fc.integer({ min: 1, max: 3 }), flavor }), { maxLength: 2 }),
    fc.array(spread, { maxLength: 2 }),
  )
  .map(([old, gang, spreads]) => ({
    ...old,
    ...(gang.length > 0 && { gang, numInstances: 7 }),
    ...(spreads.length > 0 &&
      old.instanceGroup != null && { topologySpread: spreads.map((one, i) => ({ ...one, topologyKey: i === 0 ? 'zone' : 'rack' })) }),
  }))

/** Generates requests of the newest version, with its fields: a NUMA policy of GPUs, groups to be apart from, volumes and ports. */
const newest = fc
  .tuple(
    withGang,
    orNull(fc.constantFrom('required', 'preferred')),
    some({ volumes: fc.array(uuid, { maxLength: 2 }), ports: fc.array(uuid, { maxLength: 2 }), nearVolumesAndPorts: fc.boolean() }),
    fc.array(fc.integer({ min: 100, max: 199 }).map(aUuid), { maxLength: 2 }),
  )
  .map(([old, numaPolicy, things, apartFrom]) => ({
    ...old,
    ...things,
    ...(old.gpus != null && old.numaTopology != null && { gpus: { ...old.gpus, numaPolicy } }),
    ...(old.instanceGroup != null && { instanceGroup: { ...old.instanceGroup, apartFrom } }),
  }))

const small = { flavor: { vcpus: 1, memoryMb: 1 } }
const withCell = (parts: object) => ({ ...small, numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 1, ...parts }] } })
const withPci = (parts: object) => ({ ...small, pciRequests: [{ count: 1, specs: [], ...parts }] })
const DEDICATED = 'numaTopology.cells.0.dedicatedCpus'

describeVersions({
  versions: [
    { version: '1.0', schema: requestSpecV1_0, frozen: '8328ad6f227d03a65a48404d1cd4264ec0091f31193508e5c2b68ff24c57528a' },
    { version: '1.1', schema: requestSpecV1_1, frozen: '2fcc428cafa4535e769b1a635c4aaa4d72be891ee3f2202df9ae36c86e25a5ef' },
    { version: '1.2', schema: requestSpecV1_2, frozen: '045d1619f56f9256dcb70cd6db02004284c71b40ee4b6341df6b21af72fbaa6a' },
    { version: '1.3', schema: requestSpecV1_3, frozen: '6eb840ad5413dc5961aca1bd249caca7402cd50a9ccb79b53ce6b1ee9197345b' },
  ],
  rules: [
    ['the fewest fields that can be sent', '1.0', small],
    ['the fewest fields that can be sent', '1.1', small],
    [
      'more UUIDs than instances',
      '1.0',
      { ...small, numInstances: 1, instanceUuids: [aUuid(1), aUuid(2)] },
      'numInstances: numInstances is 1; it must equal the number of instanceUuids, 2',
    ],
    [
      'an instance named twice',
      '1.0',
      { ...small, instanceUuids: [aUuid(1), aUuid(1)] },
      'instanceUuids: instanceUuids is a list of 2; it must not name an instance twice',
    ],
    [
      'two cells with the same id',
      '1.0',
      {
        ...small,
        numaTopology: {
          cells: [
            { id: 0, cpus: [0], memoryMb: 1 },
            { id: 0, cpus: [0], memoryMb: 1 },
          ],
        },
      },
      'numaTopology.cells: numaTopology.cells is a list of 2; it must not give two cells the same id',
    ],
    [
      'an amount of an invalid class',
      '1.0',
      { flavor: { ...small.flavor, extraSpecs: { 'resources:x': '1' } } },
      'flavor.extraSpecs.resources:x: flavor.extraSpecs.resources:x is "1"; it must be resources:CLASS with a whole number of 0 to 1099511627776',
    ],
    [
      'a trait that is neither required nor forbidden',
      '1.0',
      { flavor: { ...small.flavor, extraSpecs: { 'trait:SSD': 'yes' } } },
      'flavor.extraSpecs.trait:SSD: flavor.extraSpecs.trait:SSD is "yes"; it must be trait:NAME with the value required or forbidden',
    ],
    ['a field of a later version', '1.0', withPci({}), 'pciRequests: pciRequests is not a field of this version'],
    [
      'a policy of a later version',
      '1.0',
      withCell({ cpuPolicy: 'mixed' }),
      'numaTopology.cells.0.cpuPolicy: numaTopology.cells.0.cpuPolicy is "mixed"; it must be one of shared, dedicated',
    ],
    ['mixed CPUs', '1.1', withCell({ cpuPolicy: 'mixed', dedicatedCpus: [1] })],
    ['mixed CPUs, all dedicated', '1.1', withCell({ cpuPolicy: 'mixed', dedicatedCpus: [0, 1] })],
    [
      'mixed CPUs, none dedicated',
      '1.1',
      withCell({ cpuPolicy: 'mixed' }),
      `${DEDICATED}: ${DEDICATED} is missing; it must name a CPU: cpuPolicy is mixed`,
    ],
    [
      'dedicated CPUs of a shared cell',
      '1.1',
      withCell({ dedicatedCpus: [1] }),
      `${DEDICATED}: ${DEDICATED} is a list of 1; it must be empty: cpuPolicy is shared, not mixed`,
    ],
    [
      'dedicated CPUs of another cell',
      '1.1',
      withCell({ cpuPolicy: 'mixed', dedicatedCpus: [2] }),
      `${DEDICATED}: ${DEDICATED} is a list of 1; it must be CPUs of the cell`,
    ],
    [
      'a dedicated CPU listed twice',
      '1.1',
      withCell({ cpuPolicy: 'mixed', dedicatedCpus: [1, 1] }),
      `${DEDICATED}: ${DEDICATED} is a list of 2; it must not list a CPU twice`,
    ],
    ['pages of 2 MiB', '1.1', withCell({ pageSize: 2_048 })],
    [
      'pages of size 0',
      '1.1',
      withCell({ pageSize: 0 }),
      'numaTopology.cells.0.pageSize: numaTopology.cells.0.pageSize is 0; it must be 1 or more',
    ],
    [
      'pages of an unknown kind',
      '1.1',
      withCell({ pageSize: 'huge' }),
      'numaTopology.cells.0.pageSize: numaTopology.cells.0.pageSize is "huge"; it must be small, large, any or a page size in KiB, a whole number of 1 or more',
    ],
    ['no PCI device', '1.1', withPci({ count: 0 }), 'pciRequests.0.count: pciRequests.0.count is 0; it must be 1 or more'],
    [
      'an unknown NUMA policy',
      '1.1',
      withPci({ numaPolicy: 'near' }),
      'pciRequests.0.numaPolicy: pciRequests.0.numaPolicy is "near"; it must be one of legacy, required, preferred, socket',
    ],
    ['a document of Nova', '1.1', { ...small, nova: { form: 'RequestSpec', document: { nova_object: null } } }],
    [
      'a document of Nova as text',
      '1.1',
      { ...small, nova: { form: 'RequestSpec', document: '{}' } },
      'nova.document: nova.document is "{}"; it must be a JSON object',
    ],
    [
      'a document of Nova with a value that is not JSON',
      '1.1',
      { ...small, nova: { form: 'legacy', document: { at: new Date(0) } } },
      'nova.document: nova.document is an object; it must be a JSON object',
    ],
    [
      'a document of Nova that is too long',
      '1.1',
      { ...small, nova: { form: 'legacy', document: { long: 'x'.repeat(262_144) } } },
      'nova.document: nova.document is an object; it must be at most 262144 characters of JSON',
    ],
    [
      'a document of Nova in an unknown form',
      '1.1',
      { ...small, nova: { form: 'wire', document: {} } },
      'nova.form: nova.form is "wire"; it must be one of RequestSpec, legacy',
    ],
    ['GPUs near the cells', '1.3', { ...withCell({}), gpus: { numaPolicy: 'required' } }],
    [
      'GPUs near the cells of a guest that has none',
      '1.3',
      { ...small, gpus: { numaPolicy: 'preferred' } },
      'gpus.numaPolicy: gpus.numaPolicy is "preferred"; it must be null without numaTopology, because only CPUs in NUMA cells can be near to GPUs',
    ],
    [
      'GPUs near the cells of a member that has none',
      '1.3',
      { ...withCell({}), gang: [{ instances: 1, ...small, gpus: { numaPolicy: 'required' } }] },
      'gang.0.gpus.numaPolicy: gang.0.gpus.numaPolicy is "required"; it must be null without numaTopology, because only CPUs in NUMA cells can be near to GPUs',
    ],
    [
      'GPUs near the cells, in a version without that field',
      '1.2',
      { ...withCell({}), gpus: { numaPolicy: 'required' } },
      'gpus.numaPolicy: gpus.numaPolicy is not a field of this version',
    ],
    ['a group apart from another', '1.3', { ...small, instanceGroup: { uuid: aUuid(1), policy: 'AFFINITY', apartFrom: [aUuid(2)] } }],
    [
      'a group that is to be kept apart from itself',
      '1.3',
      { ...small, instanceGroup: { uuid: aUuid(1), policy: 'AFFINITY', apartFrom: [aUuid(1)] } },
      'instanceGroup.apartFrom: instanceGroup.apartFrom is a list of 1; it must name other groups; members of one group are kept apart by the policy ANTI_AFFINITY',
    ],
    ['a gang', '1.2', { ...small, gang: [{ instances: 3, ...small }] }],
    [
      'a gang that leaves no instance for the flavor',
      '1.2',
      { ...small, numInstances: 3, gang: [{ instances: 3, ...small }] },
      'gang: gang is a list of 1; it must leave an instance for flavor: its instances are 3 of 3',
    ],
    [
      'a gang of more instances than a request may have',
      '1.2',
      { ...small, gang: [{ instances: 1_000, ...small }] },
      'gang: gang is a list of 1; it must be of fewer than 1000 instances in total, not 1000',
    ],
    ['a gang in a version without that field', '1.1', { ...small, gang: [] }, 'gang: gang is not a field of this version'],
    [
      'a topology spread without a server group',
      '1.2',
      { ...small, topologySpread: [{ topologyKey: 'zone', maxSkew: 1 }] },
      'topologySpread: topologySpread is a list of 1; it must be empty without instanceGroup, whose members are spread',
    ],
    [
      'a topology spread without a limit',
      '1.2',
      { ...small, instanceGroup: { uuid: aUuid(1), policy: 'SOFT_AFFINITY' }, topologySpread: [{ topologyKey: 'zone' }] },
      'topologySpread.0: topologySpread.0 is an object; it must have maxSkew or maxPerDomain',
    ],
    [
      'two topology spreads with the same key',
      '1.2',
      {
        ...small,
        instanceGroup: { uuid: aUuid(1), policy: 'SOFT_AFFINITY' },
        topologySpread: [
          { topologyKey: 'zone', maxSkew: 1 },
          { topologyKey: 'zone', maxPerDomain: 1 },
        ],
      },
      'topologySpread: topologySpread is a list of 2; it must not name a topology key twice',
    ],
  ],
  oldest,
  newest,
  parse: parseRequestSpec,
  current: (document) => currentSpec(document as PublishedSpec),
  in: (version, document) => specIn(version as SpecVersion, document),
  published: publishedSpec,
  versionOf: (document) => (document as PublishedSpec).version,
})

test('the last version in the list of schemas is the current version', () => {
  expect(Object.keys(specSchemas).at(-1)).toBe(CURRENT_SPEC_VERSION)
})

test('the stored form of a request of 1.0 has the same digest as before version 1.1 was published', () => {
  const asked = { ...small, version: '1.0', numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 1 }] }, schedulerHints: { query: ['x'] } }
  const parsed = parseRequestSpec(asked)
  if (!parsed.ok) throw new Error('expected a valid request')
  expect(
    createHash('sha256')
      .update(canonicalJson(publishedSpec(parsed.value)))
      .digest('hex'),
  ).toBe('4856c831bf8d5a4f3ae18087b5bb5533b29e3133e8e8c8c377cc07ccfaaa625e')
})

test('two conversions of one request to the current version give the same object', () => {
  const document = requestSpecV1_0.parse(small)
  expect(currentSpec(document)).toBe(currentSpec(document))
})

test('a request for other instances equals the parsed document of these instances, with everything that is computed from it', () => {
  const instances = fc.uniqueArray(fc.integer({ min: 1, max: 99 }).map(aUuid), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(newest, instances, fc.boolean(), ({ numInstances: _, gang: __, ...rest }, uuids, isCounted) => {
      const parsed = (instanceUuids: readonly string[]) => {
        const result = parseRequestSpec({ ...rest, nova: null, instanceUuids, ...(isCounted && { numInstances: uuids.length }) })
        if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('; '))
        return result.value
      }
      const others = uuids.map((_uuid, i) => aUuid(1_000 + i))
      const request = forInstances(parsed(uuids), others)
      const expected = parsed(others)
      expect(request).toStrictEqual(expected)
      expect(Object.keys(request)).toEqual(Object.keys(expected))
      expect(publishedSpec(request)).toStrictEqual(publishedSpec(expected))
      expect(currentSpec(publishedSpec(request))).toStrictEqual(currentSpec(structuredClone(publishedSpec(expected))))
      expect(demandOf(request)).toStrictEqual(demandOf(expected))
    }),
    { numRuns: 300 },
  )
})
