import {
  ADDED_IN_PLACE,
  ALLOCATION_RULES,
  ENDED_AS_HELD,
  Fleet,
  HELD_RESERVATIONS,
  isLive,
  type LogEntry,
  type Void,
} from '@gantt/scheduler-core'
import { forgetMovedUnits } from '@gantt/scheduler-core/testing'
import type { Planted } from '../world-state.ts'

/**
 * Mistakes that a core could have. Each is injected into the fleets of a simulation, which must detect it. All replicas have the mistake,
 * so they agree with each other, and only the model differs.
 */
export const mistakes: Readonly<Record<string, Planted>> = {
  'the judge accepts every change': {
    spoil(fleet) {
      wrapApply(fleet, (apply, entry) => {
        const classes = [...fleet.hosts.classes.values()]
        const giveMore = (by: number): void => {
          for (const { capacity, free } of classes)
            for (const { index } of fleet.hosts.records) {
              // A report in the same entry has replaced the increased capacity, so the increase is not subtracted.
              if (by < 0 && (capacity[index] as number) < PLENTY) continue
              capacity[index] = (capacity[index] as number) + by
              free[index] = (free[index] as number) + by
            }
        }
        giveMore(PLENTY)
        try {
          return apply(entry)
        } finally {
          giveMore(-PLENTY)
        }
      })
    },
  },

  'the judge skips groups': {
    spoil(fleet) {
      const { groups } = fleet
      const find = groups.find.bind(groups)
      wrapApply(fleet, (apply, entry) => {
        groups.find = (uuid) => {
          const group = find(uuid)
          return group && new Proxy(group, { get: (target, name) => (name === 'members' ? new Map() : Reflect.get(target, name)) })
        }
        try {
          return apply(entry)
        } finally {
          groups.find = find
        }
      })
    },
  },

  'reports bring forgotten hosts back': {
    spoil({ hosts }) {
      hosts.refusesName = () => undefined
    },
  },

  'claims stay live although their host is forgotten': {
    spoil(fleet) {
      const { ledger } = fleet
      const end = ledger.end.bind(ledger)
      wrapApply(fleet, (apply, entry) => {
        if (entry.changes.some(({ type }) => type === 'forget')) ledger.end = () => undefined
        try {
          return apply(entry)
        } finally {
          ledger.end = end
        }
      })
    },
  },

  'a replaced host gives its claims new fences': {
    spoil(fleet) {
      wrapApply(fleet, (apply, entry) => {
        const verdicts = apply(entry)
        for (const [i, change] of entry.changes.entries()) {
          if (change.type !== 'replace' || verdicts[i] !== undefined) continue
          const renamed = change.hosts.flatMap(({ to }) => fleet.hosts.find(to) ?? [])
          for (const claim of renamed.flatMap(({ claims }) => [...claims])) fleet.ledger.own(claim).fence += 1
        }
        return verdicts
      })
    },
  },

  'the time since when an instance is not listed is lost': {
    spoil(fleet) {
      wrapApply(fleet, (apply, entry) => {
        const verdicts = apply(entry)
        for (const claim of fleet.ledger.claimsInFull.values()) if (claim.unlistedAt !== null) fleet.ledger.own(claim).unlistedAt = null
        return verdicts
      })
    },
  },

  'an instance is claimed twice': {
    spoil({ ledger }) {
      ledger.rivalsOf = () => []
    },
  },

  'idempotency keys are lost on restart': {
    restore: (checkpoint) => ({ ...checkpoint, keys: [] }),
  },

  'a materialised claim is counted twice': {
    spoil({ ledger }) {
      const holdAll = ledger.holdAll.bind(ledger)
      ledger.holdAll = (record) => {
        const counted = [...record.claims].filter(({ state }) => state === 'MATERIALISED').map((claim) => ledger.own(claim))
        for (const claim of counted) claim.state = 'CONFIRMED'
        holdAll(record)
        for (const claim of counted) claim.state = 'MATERIALISED'
      }
    },
  },

  'a claim holds nothing if its host uses the GPU that the claim names': {
    spoil(fleet) {
      wrapApply(fleet, (apply, entry) => {
        const verdicts = apply(entry)
        forgetMovedUnits(fleet, ['GPU'])
        return verdicts
      })
    },
  },

  'a report frees what its own instances hold': {
    spoil(fleet) {
      wrapApply(fleet, (apply, entry) => {
        const verdicts = apply(entry)
        for (const { capacity, used, claimed, covered, free } of fleet.hosts.classes.values())
          for (const { index } of fleet.hosts.records) {
            const beyond = Math.max(0, (covered[index] as number) - (used[index] as number))
            covered[index] = (covered[index] as number) - beyond
            claimed[index] = (claimed[index] as number) - beyond
            free[index] = (capacity[index] as number) - (used[index] as number) - (claimed[index] as number)
          }
        return verdicts
      })
    },
  },

  'after several resizes on one host, the amount that the first one added is lost': {
    spoil({ hosts, ledger }) {
      const settleMove = ledger.settleMove.bind(ledger)
      ledger.settleMove = (...move) => beforeLevel(hosts, ADDED_IN_PLACE, () => settleMove(...move))
    },
  },

  'a reservation is materialised although its host listed the instance before': {
    spoil(fleet) {
      wrapApply(fleet, (apply, entry) => {
        const verdicts = apply(entry)
        const { hosts, ledger, place } = fleet
        if (entry.changes.some(({ type }) => type === 'report'))
          for (const claim of [...ledger.lapsing.values()])
            if (isLive(claim) && hosts.isStillListed(hosts.get(claim.host), claim.instance))
              ledger.move(claim, 'MATERIALISED', place.revision)
        return verdicts
      })
    },
  },

  'a claim that ends after a resize on its host frees the added amount at once': {
    spoil({ hosts, ledger }) {
      const end = ledger.end.bind(ledger)
      ledger.end = (...claim) => beforeLevel(hosts, ENDED_AS_HELD, () => end(...claim))
    },
  },

  'a reservation that a call ends is free at once, although its host can still count its instance': {
    spoil({ hosts, ledger }) {
      const end = ledger.end.bind(ledger)
      ledger.end = (...claim) => beforeLevel(hosts, HELD_RESERVATIONS, () => end(...claim))
    },
  },

  'reservations expire by the clock of the replica': {
    spoil(fleet, now) {
      const offset = fleet.now - now()
      wrapApply(fleet, (apply, entry) => {
        const own = now() + offset
        const ends = entry.changes.flatMap((change) => (change.type === 'expire' ? [fleet.ledger.claims.get(change.claim)] : []))
        const held = ends.flatMap((claim) =>
          claim?.state === 'RESERVED' ? [{ claim: fleet.ledger.own(claim), expiresAt: claim.expiresAt }] : [],
        )
        for (const { claim, expiresAt } of held) claim.expiresAt = (expiresAt as number) <= own ? 0 : Number.MAX_SAFE_INTEGER
        const verdicts = apply(entry)
        for (const { claim, expiresAt } of held) if (claim.expiresAt !== null) claim.expiresAt = expiresAt
        return verdicts
      })
    },
  },

  'a report overwrites what an operator set': {
    spoil(fleet) {
      wrapApply(fleet, (apply, entry) => {
        for (const change of entry.changes) {
          const known = change.type === 'report' ? fleet.hosts.find(change) : undefined
          if (known !== undefined) fleet.hosts.own(known.index).allocation = {}
        }
        return apply(entry)
      })
    },
  },

  'a report ignores the ratio of an aggregate': {
    spoil(fleet) {
      wrapApply(fleet, (apply, entry) =>
        entry.changes.some(({ type }) => type === 'report') ? beforeLevel(fleet.hosts, ALLOCATION_RULES, () => apply(entry)) : apply(entry),
      )
    },
  },

  'a repeated entry is applied twice': {
    spoil(fleet) {
      wrapApply(fleet, (apply, entry) => {
        if (fleet.revisionOf(entry.id) === undefined) return apply(entry)
        const verdicts = apply({ ...entry, id: `${entry.id} once more` })
        fleet.place = { ...fleet.place, id: entry.id }
        fleet.places.set(entry.revision, fleet.place)
        return verdicts
      })
    },
  },
}

const PLENTY = 2 ** 40

/** Calls a function while the fleet applies the rules of the feature levels below `level`. */
function beforeLevel<Result>(hosts: Fleet['hosts'], level: number, act: () => Result): Result {
  const { featureLevel } = hosts
  if (featureLevel >= level) hosts.featureLevel = level - 1
  try {
    return act()
  } finally {
    hosts.featureLevel = featureLevel
  }
}

function wrapApply(fleet: Fleet, around: (apply: (entry: LogEntry) => readonly Void[], entry: LogEntry) => readonly Void[]): void {
  const apply = (entry: LogEntry): readonly Void[] => Fleet.prototype.apply.call(fleet, entry)
  fleet.apply = (entry) => around(apply, entry)
}
