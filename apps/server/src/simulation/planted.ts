import { at, type Checkpoint, Fleet, isLive, isProposal, type LogEntry, restoreFleet, type Void } from '@gantt/scheduler-core'
import type { Planted } from './world.ts'

type Apply = (entry: LogEntry) => readonly Void[]

/** A fleet that applies entries with a mistake around the real way. */
const applying = (mistake: (fleet: Fleet, entry: LogEntry, apply: Apply, timers: { now(): number }) => readonly Void[]): Planted => ({
  createFleet(checkpoint, timers) {
    const fleet = fleetOf(checkpoint)
    const apply: Apply = fleet.apply.bind(fleet)
    fleet.apply = (entry) => mistake(fleet, entry, apply, timers)
    return fleet
  },
})

const fleetOf = (checkpoint: Checkpoint | undefined): Fleet => (checkpoint === undefined ? new Fleet() : restoreFleet(checkpoint))

/** Mistakes that a core could have, put around the real one from outside; the simulation must find every one. */
export const mistakes: Readonly<Record<string, Planted>> = {
  'the judge always says yes': applying((fleet, entry, apply) =>
    apply(entry).map((verdict, i) => {
      const change = entry.changes[i]
      if (verdict === undefined || verdict.startsWith('entry.') || change === undefined || !isProposal(change)) return verdict
      fleet.ledger.open({ ...change, key: `${change.key} again` }, entry.revision, entry.revision, fleet.now)
      return undefined
    }),
  ),

  'the judge skips groups': applying((_fleet, entry, apply) =>
    apply({ ...entry, changes: entry.changes.map((change) => (isProposal(change) ? { ...change, group: null } : change)) }),
  ),

  'idempotency keys are forgotten on restart': {
    createFleet: (checkpoint) => fleetOf(checkpoint && { ...checkpoint, keys: [] }),
  },

  'a materialised claim is counted twice': applying((fleet, entry, apply) => {
    const verdicts = apply(entry)
    for (const claim of fleet.ledger.changed) {
      if (claim.state !== 'MATERIALISED' || !isLive(claim)) continue
      const { free } = fleet.hosts.classColumns('VCPU')
      free[claim.host] = at(free, claim.host) - (claim.grants.classes?.VCPU ?? 0)
    }
    return verdicts
  }),

  'expiry by the clock of the replica': applying((fleet, entry, apply, timers) => {
    // the log's time, but for whether a reservation is over
    const isOver = ({ expiresAt }: { readonly expiresAt: number | null }) =>
      expiresAt !== null && expiresAt <= entry.at + (timers.now() % 30_000)
    const early = entry.changes.map((change) => (change.type === 'expire' ? fleet.ledger.claims.get(change.claim) : undefined))
    const ends = early.map((claim) => claim?.expiresAt)
    for (const claim of early) if (claim?.state === 'RESERVED' && isOver(claim)) claim.expiresAt = 0
    const verdicts = apply(entry)
    for (const [i, claim] of early.entries()) if (claim !== undefined && claim.expiresAt === 0) claim.expiresAt = ends[i] ?? null
    return verdicts
  }),

  'a repeated entry is applied twice': applying((fleet, entry, apply) => {
    if (fleet.revisionOf(entry.id) === undefined) return apply(entry)
    const verdicts = apply({ ...entry, id: `${entry.id} again`, basis: fleet.place })
    fleet.place = { revision: entry.revision, id: entry.id, at: entry.at }
    return verdicts
  }),
}
