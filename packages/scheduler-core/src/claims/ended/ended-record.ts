import type { HostTable } from '../../hosts/hosts.ts'
import { nameAt } from '../../hosts/names.ts'
import type { BoundKey } from '../../records/bound-key.ts'
import { ByteReader, ByteWriter } from '../../records/bytes.ts'
import { type Claim, claimStates } from '../../records/claim.ts'
import type { Destination, SelectedDestination } from '../../records/decision.ts'
import { byCodeUnit } from '../../values/canonical-json.ts'
import type { HostIndex } from '../../values/host-index.ts'

/**
 * An idempotency key whose claims have all ended, together with its claims. A call that is repeated after its claims have ended is answered
 * from this data.
 */
export interface EndedKey {
  /** The bound key. Its `forgottenAt` is not stored, because it is computed from `endedAt` and the fleet's retention time. */
  readonly bound: Omit<BoundKey, 'forgottenAt' | 'claims'>
  /** The store time at which the last claim of the key ended. For a key without claims, the store time at which the key was bound. */
  readonly endedAt: number
  readonly claims: readonly Claim[]
}

/** The fields by which a record is found. They are stored first and can therefore be read without the rest of the record. */
export interface EndedNames {
  readonly account: string
  readonly key: string
  readonly endedAt: number
  readonly claims: readonly string[]
}

type Hosts = Pick<HostTable, 'find' | 'get'>

/**
 * Encodes an ended key in few bytes. Decoding returns an equal value. A host is written as its index, which is the same on every replica
 * while the log is kept. UUIDs and digests are written as raw bytes. The layout is part of the checkpoint's format.
 */
export function writeEnded(hosts: Hosts, { bound, endedAt, claims }: EndedKey): Uint8Array {
  const out = new ByteWriter()
  writeText(out, bound.account)
  writeText(out, bound.key)
  out.whole(endedAt)
  out.whole(claims.length)
  for (const { id } of claims) writeText(out, id)
  writeText(out, bound.digest)
  writeNullable(out, bound.decision)
  out.whole(bound.revision)
  out.near(bound.boundAt, endedAt)
  out.whole(bound.answer === null ? 0 : bound.answer.length + 1)
  for (const { instance, selected, alternates } of bound.answer ?? []) {
    writeNullable(out, instance)
    out.whole(alternates.length)
    for (const destination of [selected, ...alternates]) writeDestination(out, hosts, destination, bound.revision)
  }
  for (const claim of claims) writeClaim(out, claim, bound, endedAt)
  return out.end()
}

/** Decodes an ended key. Throws RangeError for bytes that no release wrote. */
export function readEnded(hosts: Hosts, bytes: Uint8Array): EndedKey {
  const input = new ByteReader(bytes)
  const names = readFrom(input)
  const { account, key, endedAt } = names
  const digest = readText(input)
  const decision = readNullable(input)
  const revision = input.whole()
  const boundAt = input.near(endedAt)
  const count = input.whole()
  const answer = count === 0 ? null : Array.from({ length: count - 1 }, () => readSelection(input, hosts, revision))
  const bound = { account, key, digest, answer, decision, revision, boundAt }
  return { bound, endedAt, claims: names.claims.map((id) => readClaim(input, id, bound, endedAt)) }
}

export const readNames = (bytes: Uint8Array): EndedNames => readFrom(new ByteReader(bytes))

function readFrom(input: ByteReader): EndedNames {
  const account = readText(input)
  const key = readText(input)
  const endedAt = input.whole()
  return { account, key, endedAt, claims: Array.from({ length: input.whole() }, () => readText(input)) }
}

function writeClaim(out: ByteWriter, claim: Claim, bound: EndedKey['bound'], endedAt: number): void {
  writeNullable(out, claim.instance)
  writeNullable(out, claim.project)
  writeNullable(out, claim.instanceAccount)
  out.whole(claim.host)
  writeValue(out, claim.grants)
  writeNullable(out, claim.group)
  writeNullable(out, claim.decision === bound.decision ? null : claim.decision)
  out.whole(claim.fence)
  out.near(claim.createdAt, bound.boundAt)
  out.byte(claimStates.indexOf(claim.state))
  for (const time of [claim.expiresAt, claim.confirmedAt, claim.endedAt]) {
    out.byte(time === null ? 0 : 1)
    if (time !== null) out.near(time, endedAt)
  }
  writeNullable(out, claim.reason)
  out.near(claim.revision, bound.revision)
}

function readClaim(input: ByteReader, id: string, bound: EndedKey['bound'], endedAt: number): Claim {
  const instance = readNullable(input)
  const project = readNullable(input)
  const instanceAccount = readNullable(input)
  const host = input.whole() as HostIndex
  const grants = readValue(input) as Claim['grants']
  const group = readNullable(input)
  const decision = readNullable(input) ?? bound.decision ?? ''
  const fence = input.whole()
  const createdAt = input.near(bound.boundAt)
  const state = claimStates[input.byte()]
  if (state === undefined) throw new RangeError(`claim ${id} has an unknown state`)
  const time = (): number | null => (input.byte() === 0 ? null : input.near(endedAt))
  const [expiresAt, confirmedAt, ended] = [time(), time(), time()]
  const reason = readNullable(input)
  return {
    ...{ id, instance, account: bound.account, project, instanceAccount, key: bound.key, host, grants, group, decision, fence },
    ...{ createdAt, state, expiresAt, confirmedAt, endedAt: ended, reason, revision: input.near(bound.revision) },
    // an ended claim is never part of an open move
    ...{ untilCounted: null, heldUntil: null, source: null, target: null, extra: null, extraSince: null, unlistedAt: null },
  }
}

/**
 * Writes the host of a destination as an index if a present host has the destination's name, and also had it at the revision of the answer.
 * Otherwise writes the name. If the host is renamed afterwards, reading the index still gives the name at that revision.
 */
function writeDestination(out: ByteWriter, hosts: Hosts, { host, node, weight, limits }: Destination, revision: number): void {
  const found = hosts.find({ host, node })
  const then = found && nameAt(found, revision)
  const record = then?.host === host && then.node === node ? found : undefined
  out.whole(record === undefined ? 0 : record.index + 1)
  if (record === undefined) for (const name of [host, node]) writeText(out, name)
  out.near(weight, 0)
  writeValue(out, limits)
}

function readDestination(input: ByteReader, hosts: Hosts, revision: number): Destination {
  const index = input.whole()
  const name = index === 0 ? { host: readText(input), node: readText(input) } : nameAt(hosts.get((index - 1) as HostIndex), revision)
  return { host: name.host, node: name.node, weight: input.near(0), limits: readValue(input) as Destination['limits'] }
}

function readSelection(input: ByteReader, hosts: Hosts, revision: number): SelectedDestination {
  const instance = readNullable(input)
  const alternates = input.whole()
  const [selected, ...others] = Array.from({ length: alternates + 1 }, () => readDestination(input, hosts, revision))
  return { instance, selected: selected as Destination, alternates: others }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const DIGEST = /^[0-9a-f]{64}$/

/** Frequent texts, stored as one byte each. The positions must not change: add new texts only at the end. */
const NAMES = [
  ...['VCPU', 'MEMORY_MB', 'DISK_GB', 'PCPU', 'classes', 'numa', 'gpu', 'pci', 'pools', 'guest', 'cell', 'cpus', 'memoryMb'],
  ...['pinned', 'pages', 'sizeKib', 'count', 'index', 'milli', 'request', 'pool', 'moved', 'abandoned', 'tried elsewhere'],
] as const
const positions: ReadonlyMap<string, number> = new Map(NAMES.map((name, position) => [name, position]))

/** The first byte is 0 for a text, 1 for a UUID, 2 for a digest, and 3 or more for one of the frequent texts above. */
function writeText(out: ByteWriter, value: string): void {
  const position = positions.get(value)
  if (position !== undefined) out.byte(3 + position)
  else if (UUID.test(value)) writeHex(out, 1, value.replaceAll('-', ''))
  else if (DIGEST.test(value)) writeHex(out, 2, value)
  else {
    out.byte(0)
    out.text(value)
  }
}

function writeHex(out: ByteWriter, tag: number, hex: string): void {
  out.byte(tag)
  for (let i = 0; i < hex.length; i += 2) out.byte(Number.parseInt(hex.slice(i, i + 2), 16))
}

function readText(input: ByteReader): string {
  const tag = input.byte()
  if (tag === 0) return input.text()
  if (tag === 2) return readHex(input, 32)
  if (tag === 1) return readHex(input, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const name = NAMES[tag - 3]
  if (name === undefined) throw new RangeError(`${tag} is not the tag of a text`)
  return name
}

function readHex(input: ByteReader, bytes: number): string {
  let hex = ''
  for (let i = 0; i < bytes; i++) hex += input.byte().toString(16).padStart(2, '0')
  return hex
}

function writeNullable(out: ByteWriter, value: string | null): void {
  out.byte(value === null ? 0 : 1)
  if (value !== null) writeText(out, value)
}

const readNullable = (input: ByteReader): string | null => (input.byte() === 0 ? null : readText(input))

/**
 * Writes plain data of any shape, because each resource kind has its own form of grants. Members of objects are sorted by name, because
 * every replica must write the same bytes. Without sorting, the order of members could differ in a restored fleet.
 */
function writeValue(out: ByteWriter, value: unknown): void {
  if (typeof value === 'number') {
    out.byte(0)
    out.near(value, 0)
  } else if (typeof value === 'string') {
    out.byte(1)
    writeText(out, value)
  } else if (Array.isArray(value)) {
    out.byte(2)
    out.whole(value.length)
    for (const item of value) writeValue(out, item)
  } else if (value !== null && typeof value === 'object') {
    out.byte(3)
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => byCodeUnit(a, b))
    out.whole(members.length)
    for (const [name, member] of members) {
      writeText(out, name)
      writeValue(out, member)
    }
  } else out.byte(value === null ? 4 : value === true ? 5 : 6)
}

function readValue(input: ByteReader): unknown {
  const tag = input.byte()
  switch (tag) {
    case 0:
      return input.near(0)
    case 1:
      return readText(input)
    case 2:
      return Array.from({ length: input.whole() }, () => readValue(input))
    case 3:
      return Object.fromEntries(Array.from({ length: input.whole() }, () => [readText(input), readValue(input)]))
    case 4:
      return null
    case 5:
    case 6:
      return tag === 5
    default:
      throw new RangeError(`${tag} is not the tag of a value`)
  }
}
