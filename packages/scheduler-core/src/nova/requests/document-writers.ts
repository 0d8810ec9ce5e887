import { fieldsOf, isJson } from '../../report/versioned-object.ts'
import type { InstanceGroup, NumaCellRequest, PciRequest, RequestSpec } from '../../request/request-spec.ts'
import { PAGES } from '../hardware/topology.ts'
import { callerPath, callerPaths, devicesIn, type WrittenRequest } from '../import/caller-paths.ts'
import { isSame, listAt, type Path, valueAt, versioned, type Write, withValue, withValues } from './document-values.ts'

/**
 * Writes new values of a field into a document in Nova's form, and returns the new document. `before` is the request that the document
 * describes. Undefined if the document has no field for the new values.
 */
export type Writer = (nova: WrittenRequest, next: RequestSpec, before: RequestSpec) => unknown

const inPlace =
  (field: 'availabilityZone' | 'forceHosts' | 'forceNodes' | 'ignoreHosts'): Writer =>
  (nova, next) =>
    withValue(nova.document, callerPath(nova, [field]), next[field])

const FLAVOR = ['name', 'vcpus', 'memoryMb', 'rootGb', 'ephemeralGb', 'swapMb', 'extraSpecs'] as const

const flavor: Writer = (nova, next, before) =>
  withValues(
    nova.document,
    FLAVOR.filter((field) => !isSame(next.flavor[field], before.flavor[field])).map((field) => [
      callerPath(nova, ['flavor', field]),
      next.flavor[field],
    ]),
  )

/**
 * Removes properties of the image, and replaces those that are text in the document. Other changes of images are not written, because the
 * document has properties of other types too.
 */
const image: Writer = (nova, next, before) => {
  if (next.image === null || before.image === null) return undefined
  const { properties, ...others } = next.image
  const { properties: known, ...same } = before.image
  if (!isSame(others, same) || Object.keys(properties).some((name) => !Object.hasOwn(known, name))) return undefined
  const changed = Object.keys(known).filter((name) => properties[name] !== known[name])
  const writes = changed.flatMap((name) => callerPaths(nova, ['image', 'properties', name]).map((path): Write => [path, properties[name]]))
  const isText = writes.every(([path, value]) => value === undefined || typeof valueAt(nova.document, path) === 'string')
  return isText ? withValues(nova.document, writes) : undefined
}

const schedulerHints: Writer = (nova, next, before) => {
  const at = callerPath(nova, ['schedulerHints'])
  const given = fieldsOf(valueAt(nova.document, at))
  const hints = Object.entries(next.schedulerHints).map(([name, values]) => [
    name,
    Object.hasOwn(given, name) && isSame(values, before.schedulerHints[name]) ? given[name] : values,
  ])
  return withValue(nova.document, at, Object.fromEntries(hints))
}

/**
 * Writes the count of instances, and the uuid of a single instance. A RequestSpec has no list of uuids, because Nova sends the uuids of
 * several instances in another argument of the call.
 */
const instances: Writer = (nova, { numInstances, instanceUuids }) => {
  const listAt = ['request_spec', 'instance_uuids']
  const isListed = nova.form === 'legacy' && Array.isArray(valueAt(nova.document, listAt))
  const [only, ...others] = instanceUuids
  const isNamed = nova.form === 'RequestSpec' && typeof valueAt(nova.document, ['instance_uuid']) === 'string'
  return withValues(nova.document, [
    [callerPath(nova, ['numInstances']), numInstances],
    ...(isListed ? [[listAt, instanceUuids] as const] : []),
    ...(isNamed && only !== undefined && others.length === 0 ? [[['instance_uuid'], only] as const] : []),
  ])
}

const policyName = ({ policy }: InstanceGroup): string => policy.toLowerCase().replaceAll('_', '-')

const MOST = 'max_server_per_host'

const instanceGroup: Writer = (nova, { instanceGroup: group }) =>
  nova.form === 'legacy' ? legacyGroup(nova.document, group) : groupObject(nova.document, group)

function groupObject(document: unknown, group: InstanceGroup | null): unknown {
  const at = ['instance_group']
  if (group === null) return withValue(document, at, null)
  const now = fieldsOf(valueAt(document, at))
  const { [MOST]: _, ...rules } = fieldsOf(now._rules)
  const most = group.maxServerPerHost
  const _rules = most === null ? rules : { ...rules, [MOST]: String(most) }
  if (String(now.uuid).toLowerCase() !== group.uuid)
    return withValue(
      document,
      at,
      versioned('InstanceGroup', '1.11', {
        ...{ uuid: group.uuid, policy: policyName(group), policies: [policyName(group)] },
        ...{ members: [], hosts: group.hosts, _rules },
      }),
    )
  const writes: readonly Write[] = [
    // Nova's filters read the policy, and some of them the older list with one policy.
    ...(now.policy === undefined && now.policies !== undefined ? [] : [[[...at, 'policy'], policyName(group)] as const]),
    ...(now.policies === undefined ? [] : [[[...at, 'policies'], [policyName(group)]] as const]),
    ...(now._rules === undefined && most === null ? [] : [[[...at, '_rules'], _rules] as const]),
    ...(isSame(now.hosts ?? [], group.hosts) ? [] : [[[...at, 'hosts'], group.hosts] as const]),
  ]
  return withValues(document, writes)
}

/** The dictionaries have no field for the most members on one host. */
function legacyGroup(document: unknown, group: InstanceGroup | null): unknown {
  const of = (fields: Readonly<Record<string, unknown>>): unknown =>
    withValues(
      document,
      Object.entries(fields).map(([name, value]) => [['filter_properties', name], value]),
    )
  if (group === null)
    return of({ group_updated: false, group_policies: undefined, group_uuid: undefined, group_hosts: undefined, group_members: undefined })
  if (group.maxServerPerHost !== null) return undefined
  return of({ group_updated: true, group_policies: [policyName(group)], group_uuid: group.uuid, group_hosts: group.hosts })
}

const numaTopology: Writer = (nova, { numaTopology: guest }) => {
  const at = callerPath(nova, ['numaTopology'])
  const now = valueAt(nova.document, at)
  if (guest === null) return withValue(nova.document, at, null)
  if (!isJson(now)) return undefined
  const given = listAt(nova.document, [...at, 'cells'])
  const cells = guest.cells.map((cell) => withCell(given.find((one) => fieldsOf(one).id === cell.id) ?? given.at(-1), cell))
  const policy = fieldsOf(now).emulator_threads_policy ?? null
  return withValues(nova.document, [
    [[...at, 'cells'], cells],
    ...(policy === guest.emulatorThreadsPolicy ? [] : [[[...at, 'emulator_threads_policy'], guest.emulatorThreadsPolicy] as const]),
  ])
}

/** A cell of the guest. Before version 1.5, cells had no `pcpuset`, and `cpuset` had the CPUs of a dedicated cell. */
function withCell(given: unknown, { id, cpus, memoryMb, cpuPolicy, dedicatedCpus, cpuThreadPolicy, pageSize }: NumaCellRequest): unknown {
  const now = fieldsOf(given)
  const pinned = cpuPolicy === 'dedicated' ? cpus : dedicatedCpus
  const own = new Set(pinned)
  const isOld = now.pcpuset === undefined
  const writes: readonly Write[] = [
    [['id'], id],
    [['cpuset'], isOld ? cpus : cpus.filter((cpu) => !own.has(cpu))],
    ...(isOld ? [] : [[['pcpuset'], pinned] as const]),
    [['memory'], memoryMb],
    [['pagesize'], typeof pageSize === 'string' ? PAGES[pageSize] : pageSize],
    ...((now.cpu_policy ?? 'shared') === cpuPolicy ? [] : [[['cpu_policy'], cpuPolicy] as const]),
    ...((now.cpu_thread_policy ?? null) === cpuThreadPolicy ? [] : [[['cpu_thread_policy'], cpuThreadPolicy] as const]),
  ]
  return withValues(given, writes)
}

const pciRequests: Writer = (nova, next, before) => {
  const { at, list } = devicesIn(nova)
  const isTaken = (one: unknown): boolean => Number(fieldsOf(one).count) > 0
  const taken = list.filter(isTaken)
  const free = new Set(before.pciRequests.keys())
  const written: unknown[] = []
  for (const wish of next.pciRequests) {
    const position = [...free].find((i) => before.pciRequests[i] === wish) ?? [...free].find((i) => isAlike(before.pciRequests[i], wish))
    if (position === undefined) return undefined
    free.delete(position)
    const writes: readonly Write[] = [
      [['count'], wish.count],
      ...(before.pciRequests[position]?.numaPolicy === wish.numaPolicy ? [] : [[['numa_policy'], wish.numaPolicy] as const]),
    ]
    written.push(withValues(taken[position], writes))
  }
  return withValue(nova.document, at, [...written, ...list.filter((one) => !isTaken(one))])
}

const isAlike = (one: PciRequest | undefined, { alias, specs }: PciRequest): boolean =>
  one !== undefined && one.alias === alias && isSame(one.specs, specs)

/**
 * Writes the resource groups and the destination together, because some aggregates of the destination are resource groups here. The groups
 * of the request have the order of the import: those of the document, further aggregates of the destination, and the root provider.
 */
const restrictions: Writer = (nova, next, before) => {
  const { document } = nova
  const [wanted, known] = [next.requestedResources, before.requestedResources]
  if (nova.form === 'legacy' || wanted.length !== known.length) return undefined
  const writes: Write[] = []
  let position = 0
  const at = Array.isArray(valueAt(document, ['requested_resources'])) ? ['requested_resources'] : ['requested_resources', 'objects']
  for (const [i, group] of listAt(document, at).entries()) {
    const end = endOfGroup(known, position, listAt(group, ['aggregates']).length)
    const groups = wanted.slice(position, end)
    if (!isSame(groups, known.slice(position, end))) writes.push(...groupWrites([...at, String(i)], groups))
    position = end
  }
  const last = known.at(-1)
  const hasRoot = position < known.length && last !== undefined && last.requiredTraits.length + last.forbiddenTraits.length > 0
  const root = hasRoot ? wanted.at(-1) : undefined
  if (root !== undefined && !isSame(root, last))
    writes.push(
      [['request_level_params', 'root_required'], root.requiredTraits],
      [['request_level_params', 'root_forbidden'], root.forbiddenTraits],
    )
  const end = hasRoot ? known.length - 1 : known.length
  const listsOf = ({ requestedDestination, requestedResources }: RequestSpec) => [
    requestedDestination?.aggregates ?? [],
    ...requestedResources.slice(position, end).map(({ memberOf }) => memberOf),
  ]
  const lists = listsOf(next)
  const aggregates = isSame(lists, listsOf(before)) ? [] : [['aggregates', lists.filter(({ length }) => length > 0).map(String)] as const]
  return withDestination(withValues(document, writes), next, before, aggregates)
}

type ResourceGroups = RequestSpec['requestedResources']

/**
 * One group of the document can be several groups of the request, one for each list of aggregates. Returns the index after the last of
 * these. Groups that ask for nothing are included, because an earlier change can have removed their list.
 */
function endOfGroup(groups: ResourceGroups, start: number, lists: number): number {
  const asksAt = (i: number): boolean => {
    const { amounts = [], requiredTraits = [], forbiddenTraits = [], memberOf = [] } = groups[i] ?? {}
    return amounts.length + requiredTraits.length + forbiddenTraits.length + memberOf.length > 0
  }
  let found = 0
  let end = start
  do found += Math.min(1, groups[end++]?.memberOf.length ?? 0)
  while (found < lists && end < groups.length)
  while (end < groups.length && !asksAt(end)) end++
  return end
}

function groupWrites(at: Path, groups: ResourceGroups): readonly Write[] {
  const [first] = groups
  if (first === undefined) return []
  return [
    [[...at, 'resources'], Object.fromEntries(first.amounts.map(({ resourceClass, amount }) => [resourceClass, amount]))],
    [[...at, 'required_traits'], first.requiredTraits],
    [[...at, 'forbidden_traits'], first.forbiddenTraits],
    [[...at, 'aggregates'], groups.flatMap(({ memberOf }) => (memberOf.length > 0 ? [memberOf] : []))],
  ]
}

function withDestination(
  document: unknown,
  { requestedDestination: wanted }: RequestSpec,
  { requestedDestination: known }: RequestSpec,
  aggregates: readonly (readonly [string, unknown])[],
): unknown {
  const at = ['requested_destination']
  const now = valueAt(document, at)
  const fieldsNow = fieldsOf(now)
  const names = (['host', 'node'] as const).flatMap((name) => {
    const value = wanted?.[name] ?? null
    // a name is removed, because older feature levels read null as a condition that no host meets
    return (fieldsNow[name] ?? null) === value ? [] : [[name, value ?? undefined] as const]
  })
  const forbidden = wanted?.forbiddenAggregates ?? []
  const fields = [
    ...names,
    ...aggregates,
    ...(isSame(forbidden, known?.forbiddenAggregates ?? []) ? [] : [['forbidden_aggregates', forbidden] as const]),
  ]
  if (fields.length === 0) return document
  if (!isJson(now)) return withValue(document, at, versioned('Destination', '1.4', Object.fromEntries(fields)))
  return withValues(
    document,
    fields.map(([name, value]) => [[...at, name], value]),
  )
}

/** The writer of each field that a document in Nova's form can have. */
export const writers: Readonly<Partial<Record<keyof RequestSpec, Writer>>> = {
  numInstances: instances,
  instanceUuids: instances,
  flavor,
  image,
  availabilityZone: inPlace('availabilityZone'),
  instanceGroup,
  numaTopology,
  pciRequests,
  requestedResources: restrictions,
  requestedDestination: restrictions,
  forceHosts: inPlace('forceHosts'),
  forceNodes: inPlace('forceNodes'),
  ignoreHosts: inPlace('ignoreHosts'),
  schedulerHints,
}
