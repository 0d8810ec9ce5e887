import { ByteReader, ByteWriter } from '../records/bytes.ts'
import type { DecisionRecord, Destination, FilterCount, InstanceRecord, RankedHost, SelectedDestination } from '../records/decision.ts'
import { type Intent, intents } from '../request/intent.ts'

/** A decision as it is stored: its record and its answer. */
export interface KeptDecision {
  readonly record: DecisionRecord
  readonly answer: readonly SelectedDestination[]
}

/**
 * The fields that are stored outside of the packed bytes, because many decisions have equal values or because decisions are searched by
 * these fields.
 */
export type StoredFields = Pick<DecisionRecord, 'id' | 'request' | 'profile' | 'seed' | 'attempt'>

/** The first byte of a packed decision. A new format gets the next number. Each release must read all earlier formats. */
const FORMAT = 1

/**
 * Names that are stored as one byte, which is their position in this list, counted from 1. The positions must not change: add new names
 * only at the end. Names that are not in the list are stored as text.
 */
const NAMES = [
  ...['VCPU', 'MEMORY_MB', 'DISK_GB', 'PCPU', 'VGPU', 'PGPU', 'PCI_DEVICE', 'NET_BW_EGR_KILOBIT_PER_SEC', 'NET_BW_IGR_KILOBIT_PER_SEC'],
  ...['ComputeFilter', 'AvailabilityZoneFilter', 'RamFilter', 'CoreFilter', 'DiskFilter', 'AggregateInstanceExtraSpecsFilter'],
  ...['ImagePropertiesFilter', 'DifferentHostFilter', 'SameHostFilter', 'TraitsFilter', 'ServerGroupAntiAffinityFilter'],
  ...['ServerGroupAffinityFilter', 'NUMATopologyFilter', 'GpuFilter', 'PciPassthroughFilter', 'ResourceClassFilter'],
  ...['ComputeCapabilitiesFilter', 'RetryFilter', 'NumInstancesFilter', 'IoOpsFilter', 'JsonFilter', 'MetricsFilter'],
  ...['AggregateCoreFilter', 'AggregateRamFilter', 'AggregateDiskFilter', 'AggregateMultiTenancyIsolation', 'AggregateTypeAffinityFilter'],
  ...['AggregateImagePropertiesIsolation', 'AggregateNumInstancesFilter', 'AggregateIoOpsFilter', 'IsolatedHostsFilter'],
  ...['SimpleCIDRAffinityFilter', 'ExactRamFilter', 'ExactCoreFilter', 'ExactDiskFilter', 'TrustedFilter', 'TypeAffinityFilter'],
] as const

const positions: ReadonlyMap<string, number> = new Map(NAMES.map((name, position) => [name, position]))

const NONE: Destination | RankedHost = { host: '', node: '', raw: [], total: 0 }

/**
 * Packs a decision into few bytes. Unpacking returns exactly the same decision, to the last bit of its numbers. Returns undefined for a
 * decision that this format cannot express. Such a decision must be stored unpacked.
 */
export function packDecision({ record, answer }: KeptDecision): Uint8Array | undefined {
  if (!isKnown(record, answer)) return undefined
  const out = new ByteWriter()
  out.byte(FORMAT)
  out.text(record.core)
  out.whole(record.alternatesPerInstance)
  const intent = record.intent === undefined ? 0 : 1 + intents.indexOf(record.intent)
  out.byte((record.allOrNothing ? 1 : 0) + (record.source === undefined ? 0 : 2) + 4 * intent)
  if (record.source !== undefined) out.text(record.source)
  out.whole(record.instances.length)
  for (const instance of record.instances) writeInstance(out, instance)
  out.whole(answer.length)
  for (const [i, selection] of answer.entries()) {
    const named = record.request.instanceUuids[i] ?? null
    out.byte(selection.instance === named ? 0 : selection.instance === null ? 1 : 2)
    if (selection.instance !== named && selection.instance !== null) out.text(selection.instance)
    const best = record.instances[i]?.best ?? []
    out.whole(selection.alternates.length)
    writeDestination(out, selection.selected, best)
    for (const alternate of selection.alternates) writeDestination(out, alternate, best)
  }
  return out.end()
}

/** Unpacks a decision. Throws RangeError for a format that this release does not know, and for damaged bytes. */
export function unpackDecision(bytes: Uint8Array, stored: StoredFields): KeptDecision {
  const from = new ByteReader(bytes)
  const format = from.byte()
  if (format !== FORMAT) throw new RangeError(`decision ${stored.id} is packed in format ${format}; this release reads format ${FORMAT}`)
  const core = from.text()
  const alternatesPerInstance = from.whole()
  const flags = from.byte()
  const intent: Intent | undefined = intents[(flags >> 2) - 1]
  const source = flags & 2 ? from.text() : undefined
  const instances = listOf(from, () => readInstance(from))
  const answer = listOf(from, (i): SelectedDestination => {
    const how = from.byte()
    const instance = how === 0 ? (stored.request.instanceUuids[i] ?? null) : how === 1 ? null : from.text()
    const best = instances[i]?.best ?? []
    const alternates = from.whole()
    const selected = readDestination(from, best)
    return { instance, selected, alternates: Array.from({ length: alternates }, () => readDestination(from, best)) }
  })
  if (!from.isAtEnd) throw new RangeError(`decision ${stored.id} is packed in more bytes than it needs`)
  const record: DecisionRecord = {
    id: stored.id,
    request: stored.request,
    profile: stored.profile,
    seed: stored.seed,
    attempt: stored.attempt,
    alternatesPerInstance,
    allOrNothing: (flags & 1) === 1,
    ...(intent !== undefined && { intent }),
    ...(source !== undefined && { source }),
    instances,
    core,
  }
  return { record, answer }
}

function writeInstance(out: ByteWriter, { candidates, tied, filters, best }: InstanceRecord): void {
  out.whole(candidates)
  out.whole(tied)
  out.whole(filters.length)
  let left = candidates
  for (const { filter, entered, passed, errors } of filters) {
    writeName(out, filter)
    out.near(entered, left)
    out.near(passed, entered)
    out.whole(errors === undefined ? 0 : errors + 1)
    left = passed
  }
  out.whole(best.length)
  let before = NONE as RankedHost
  for (const host of best) {
    writeHost(out, host, before)
    out.near(host.raw.length, before.raw.length)
    for (const [w, raw] of host.raw.entries()) out.near(raw, before.raw[w] ?? 0)
    out.near(host.total, before.total)
    before = host
  }
}

function readInstance(from: ByteReader): InstanceRecord {
  const candidates = from.whole()
  const tied = from.whole()
  let left = candidates
  const filters = listOf(from, (): FilterCount => {
    const filter = readName(from)
    const entered = from.near(left)
    const passed = from.near(entered)
    const errors = from.whole()
    left = passed
    return { filter, entered, passed, ...(errors > 0 && { errors: errors - 1 }) }
  })
  let before = NONE as RankedHost
  const best = listOf(from, (): RankedHost => {
    const name = readHost(from, before)
    const weighers = from.near(before.raw.length)
    const raw = Array.from({ length: weighers }, (_, w) => from.near(before.raw[w] ?? 0))
    before = { ...name, raw, total: from.near(before.total) }
    return before
  })
  return { candidates, filters, best, tied }
}

/**
 * Writes a destination. If the host is one of the recorded best hosts, its position among the best hosts is written, counted from 1.
 * Otherwise, 0 and the name of the host are written.
 */
function writeDestination(out: ByteWriter, { host, node, weight, limits }: Destination, best: readonly RankedHost[]): void {
  const position = best.findIndex((ranked) => ranked.host === host && ranked.node === node)
  out.whole(position + 1)
  if (position < 0) writeHost(out, { host, node }, NONE)
  out.near(weight, best[position]?.total ?? 0)
  const entries = Object.entries(limits)
  out.whole(entries.length)
  for (const [resourceClass, limit] of entries) {
    writeName(out, resourceClass)
    out.near(limit, 0)
  }
}

function readDestination(from: ByteReader, best: readonly RankedHost[]): Destination {
  const position = from.whole()
  const ranked = best[position - 1]
  if (position > 0 && ranked === undefined)
    throw new RangeError(`expected a destination among ${best.length} best hosts, found position ${position}`)
  const { host, node } = ranked ?? readHost(from, NONE)
  const weight = from.near(ranked?.total ?? 0)
  const limits = Object.fromEntries(listOf(from, () => [readName(from), from.near(0)] as const))
  return { host, node, weight, limits }
}

interface Named {
  readonly host: string
  readonly node: string
}

/**
 * Writes the name of a host. Names of hosts are often similar, so the common prefix and suffix with the previous name are stored as
 * lengths. The name of the node is omitted if it equals the host's name.
 */
function writeHost(out: ByteWriter, { host, node }: Named, before: Named): void {
  out.byte(node === host ? 1 : 0)
  writeAlike(out, host, before.host)
  if (node !== host) writeAlike(out, node, before.node)
}

function readHost(from: ByteReader, before: Named): Named {
  const isOne = from.byte() === 1
  const host = readAlike(from, before.host)
  return { host, node: isOne ? host : readAlike(from, before.node) }
}

function writeAlike(out: ByteWriter, text: string, before: string): void {
  const most = Math.min(text.length, before.length)
  let start = 0
  while (start < most && text[start] === before[start]) start++
  let end = 0
  while (end < most - start && text[text.length - 1 - end] === before[before.length - 1 - end]) end++
  out.whole(start)
  out.whole(end)
  out.text(text.slice(start, text.length - end))
}

function readAlike(from: ByteReader, before: string): string {
  const [start, end] = [from.whole(), from.whole()]
  if (start + end > before.length)
    throw new RangeError(`expected at most ${before.length} letters in common with the previous name, found ${start + end}`)
  return before.slice(0, start) + from.text() + before.slice(before.length - end)
}

function writeName(out: ByteWriter, name: string): void {
  const position = positions.get(name)
  out.whole(position === undefined ? 0 : position + 1)
  if (position === undefined) out.text(name)
}

function readName(from: ByteReader): string {
  const position = from.whole()
  if (position === 0) return from.text()
  const name = NAMES[position - 1]
  if (name === undefined) throw new RangeError(`expected a name with a number up to ${NAMES.length}, found number ${position}`)
  return name
}

function listOf<Item>(from: ByteReader, read: (i: number) => Item): Item[] {
  const items: Item[] = []
  for (let i = 0, length = from.whole(); i < length; i++) items.push(read(i))
  return items
}

const MEMBERS = {
  record: ['id', 'request', 'profile', 'seed', 'attempt', 'alternatesPerInstance', 'allOrNothing', 'intent', 'source', 'instances', 'core'],
  instance: ['candidates', 'tied', 'filters', 'best'],
  filter: ['filter', 'entered', 'passed', 'errors'],
  host: ['host', 'node', 'raw', 'total'],
  selection: ['instance', 'selected', 'alternates'],
  destination: ['host', 'node', 'weight', 'limits'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/**
 * True if the format can express everything in a decision. A record of a newer release can have unknown fields, and a stored record has
 * null in place of NaN. Every decision is checked when it is stored, so nothing is allocated.
 */
const isKnown = (record: DecisionRecord, answer: readonly SelectedDestination[]): boolean =>
  hasOnly(record, MEMBERS.record) &&
  isCount(record.alternatesPerInstance) &&
  (record.intent === undefined || intents.includes(record.intent)) &&
  record.instances.every(isKnownInstance) &&
  answer.every(isKnownSelection)

const isKnownInstance = (instance: InstanceRecord): boolean =>
  hasOnly(instance, MEMBERS.instance) &&
  isCount(instance.candidates) &&
  isCount(instance.tied) &&
  instance.filters.every(isKnownFilter) &&
  instance.best.every(isKnownHost)

const isKnownFilter = (one: FilterCount): boolean =>
  hasOnly(one, MEMBERS.filter) && isNumber(one.entered) && isNumber(one.passed) && isCount((one.errors ?? 0) + 1)

const isKnownHost = (one: RankedHost): boolean => hasOnly(one, MEMBERS.host) && one.raw.every(isNumber) && isNumber(one.total)

const isKnownSelection = (one: SelectedDestination): boolean =>
  hasOnly(one, MEMBERS.selection) && isKnownDestination(one.selected) && one.alternates.every(isKnownDestination)

function isKnownDestination(to: Destination): boolean {
  if (!hasOnly(to, MEMBERS.destination) || !isNumber(to.weight)) return false
  for (const resourceClass in to.limits) if (!isNumber(to.limits[resourceClass])) return false
  return true
}

function hasOnly(thing: object, members: readonly string[]): boolean {
  for (const member in thing) if (!members.includes(member)) return false
  return true
}

const isNumber = (value: unknown): boolean => typeof value === 'number'

const isCount = (count: number): boolean => Number.isSafeInteger(count) && count >= 0 && !Object.is(count, -0)
