import { createHash } from 'node:crypto'
import { type Checkpoint, digestAll, digestPart, Fleet, type LogEntry, partsOf, restoreFleet } from '@gantt/scheduler-core'
import { EngineChangeError } from './error.ts'

/** A log in PostgreSQL or NATS to which no replica writes, with its checkpoints. */
export interface ReadableLog {
  /** The log's name in messages. */
  readonly name: string
  /** The first revision: 1 unless the log was trimmed; 0 if it has no entry. */
  readonly firstRevision: number
  /** The last revision; 0 if the log has no entry. */
  readonly lastRevision: number
  /** The stored entries from a revision on, in order. */
  entries(from: number): AsyncIterable<LogEntry>
  /** The checkpoints, oldest first. */
  readonly checkpoints: readonly LogCheckpoint[]
  checkpoint(revision: number): Promise<Checkpoint>
}

export interface LogCheckpoint {
  readonly revision: number
  /** The size in bytes of all entries up to the checkpoint, including trimmed ones. */
  readonly logBytes: number
}

/** The values that are compared to decide whether two logs are equal. */
export interface LogSum {
  readonly entries: number
  readonly revision: number
  /** The id of the last entry; empty if there is none. */
  readonly entry: string
  /** SHA-256 over every entry with its revision, id and time. */
  readonly log: string
  /** The digest of the state at the last revision, as `gantt replicas` shows it. */
  readonly state: string
  readonly claims: number
  readonly hosts: number
}

/**
 * Reads a whole log. The state is computed twice: from the first entry (of a trimmed log: from the first checkpoint), and from the newest
 * checkpoint. Throws EngineChangeError (`engine.differs`) if the two states differ, or if the log has a gap.
 */
export async function sumUp(log: ReadableLog): Promise<LogSum> {
  const hash = createHash('sha256')
  const oldest = log.checkpoints[0]
  const newest = log.checkpoints.at(-1)
  const fleet = log.firstRevision > 1 ? await restored(log, oldest?.revision) : new Fleet()
  let next = log.firstRevision
  let entry = ''
  for await (const one of log.entries(log.firstRevision)) {
    if (one.revision !== next++) throw differs(`${log.name} has revision ${one.revision} where ${next - 1} must be`)
    hash.update(textOf(one))
    entry = one.id
    if (one.revision > fleet.place.revision) fleet.apply(one)
  }
  const entries = next - log.firstRevision
  if (fleet.place.revision !== log.lastRevision) throw differs(`${log.name} ends at ${fleet.place.revision}, not at ${log.lastRevision}`)
  const state = digestOf(fleet)
  if (newest !== undefined && newest !== oldest) {
    const shorter = await restored(log, newest.revision)
    for await (const one of log.entries(newest.revision + 1)) shorter.apply(one)
    if (digestOf(shorter) !== state)
      throw differs(`${log.name}: its checkpoint at ${newest.revision} leads to a different state than its entries`)
  }
  const { place, ledger, hosts } = fleet
  return { entries, revision: place.revision, entry, log: hash.digest('hex'), state, claims: ledger.claims.size, hosts: hosts.count }
}

/** Throws EngineChangeError (`engine.differs`) unless both logs are equal. */
export function assertAlike(from: LogSum, to: LogSum): void {
  const unlike = (Object.keys(from) as (keyof LogSum)[]).filter((key) => from[key] !== to[key])
  if (unlike.length > 0)
    throw differs(`the copy is another log: ${unlike.map((key) => `${key} ${to[key]}, where the old one has ${from[key]}`).join('; ')}`)
}

export const differs = (what: string): EngineChangeError => new EngineChangeError('engine.differs', what)

async function restored(log: ReadableLog, revision: number | undefined): Promise<Fleet> {
  if (revision === undefined) throw differs(`${log.name} begins at revision ${log.firstRevision}, and has no checkpoint`)
  return restoreFleet(await log.checkpoint(revision))
}

const digestOf = (fleet: Fleet): string => digestAll(Array.from({ length: partsOf(fleet) }, (_, part) => digestPart(fleet, part)))

const textOf = ({ revision, id, at, format, writer, basis, changes }: LogEntry): string =>
  JSON.stringify([revision, id, at, format, writer, basis.revision, basis.id, basis.at, changes])
