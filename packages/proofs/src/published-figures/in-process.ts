import { type Change, type ClaimsProposed, decide, ENTRY_FORMAT, Fleet, openOverlay, type RequestSpec } from '@gantt/scheduler-core'
import type { Driver, Placement } from './driver.ts'

export interface InProcessOptions {
  /** The prefix of the seeds of all decisions. The same prefix gives the same run. */
  readonly seed: string
  /** The time of the log in milliseconds. It must not decrease. By default it is always 1000. */
  readonly clock?: () => number
}

const ACCOUNT = 'replay'
const PROFILE = 'replay'

/**
 * A driver with one log and one fleet in this process. As in a service, a request is decided without changing the fleet, and the decision
 * then changes the fleet as an entry of the log.
 */
export function createInProcessDriver({ seed, clock = () => 1_000 }: InProcessOptions): Driver {
  const fleet = new Fleet()
  let decisions = 0

  const append = (changes: readonly Change[]): void => {
    const revision = fleet.place.revision + 1
    const verdicts = fleet.apply({
      format: ENTRY_FORMAT,
      id: `e${revision}`,
      writer: 'replay',
      basis: fleet.place,
      changes,
      revision,
      at: clock(),
    })
    const refusal = verdicts.find((verdict) => verdict !== undefined)
    if (refusal !== undefined) throw new Error(`entry ${revision} of the replay is void: ${refusal}`)
  }

  return {
    reportHosts(hosts) {
      append(
        hosts.map(
          ({ name, stats }) => ({ type: 'report', host: name, node: name, incarnation: 'replay', sequence: 1, full: stats }) as const,
        ),
      )
    },

    writeProfile(parts) {
      append([{ type: 'profile', profile: { ...parts, name: PROFILE, number: 1 } }])
      return PROFILE
    },

    place(request, profileName) {
      const profile = fleet.profiles.find(profileName)
      if (profile === undefined) throw new Error(`there is no profile ${profileName}`)
      const number = ++decisions
      const change = propose(fleet, request, profile, seed, number)
      if (change === undefined) return undefined
      append([change])
      const [part] = change.parts
      const claim = part && fleet.ledger.claims.get(part.claim)
      if (part === undefined || claim === undefined) throw new Error(`decision ${number} created no claim`)
      return { host: part.host, claim, gpus: (part.grants.gpu ?? []).map(({ index }) => index) }
    },

    release({ claim }: Placement) {
      append([{ type: 'release', claim: claim.id, fence: claim.fence, reason: null }])
    },

    close() {},
  }
}

/** Decides a request and returns its proposal. Undefined if no host fits. */
function propose(
  fleet: Fleet,
  request: RequestSpec,
  profile: NonNullable<ReturnType<Fleet['profiles']['find']>>,
  seed: string,
  number: number,
): ClaimsProposed | undefined {
  const overlay = openOverlay(fleet)
  try {
    const { parts, answer, record } = decide(fleet, overlay, {
      id: `d${number}`,
      request,
      profile,
      seed: `${seed}/${number}`,
      attempt: 1,
      alternatesPerInstance: 0,
      allOrNothing: true,
      claimIds: [`c${number}`],
    })
    if (parts.length === 0) return undefined
    return {
      type: 'claims',
      account: ACCOUNT,
      key: `k${number}`,
      digest: '',
      intent: 'CREATE',
      mode: 'CONFIRM',
      ttlMs: 0,
      notAfter: null,
      group: null,
      parts,
      answer,
      decision: record,
    }
  } finally {
    overlay.discard()
  }
}
