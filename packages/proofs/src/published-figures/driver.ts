import type { HostStats, Profile, RequestSpec } from '@gantt/scheduler-core'

/** A host as a trace describes it. */
export interface TraceHost {
  readonly name: string
  readonly stats: HostStats
}

/** The host that a request got, and the claim that must be released later. */
export interface Placement {
  /** The name of the host in the trace. */
  readonly host: string
  readonly claim: { readonly id: string; readonly fence: number }
  /** The indices of the claimed GPUs. */
  readonly gpus: readonly number[]
}

/** A profile without its name and number. A replay stores it as a new version of a profile. */
export type ProfileParts = Omit<Profile, 'name' | 'number'>

export type Awaitable<Value> = Value | Promise<Value>

/** A host in a replica's answer. */
export interface HostView {
  /** The name of the host in the trace. */
  readonly name: string
  /** The free amounts: in units by resource class, and in thousandths of a GPU by `GPU <index>`. */
  readonly free: ReadonlyMap<string, number>
}

/** The state of the service at the end of a run. */
export interface Inspection {
  /** The hosts of the run in the answer of each replica, at or after the revision of the last call. */
  readonly replicas: readonly (readonly HostView[])[]
  readonly effort: Effort
}

/** Counts of the proposals and retried calls of a run. */
export interface Effort {
  /** How many proposals took effect. */
  readonly counted: number
  /**
   * How many proposals conflicted with an earlier entry of the log (void) or were refused by the store, by reason code. Their requests were
   * decided again.
   */
  readonly fruitless: Readonly<Record<string, number>>
  /** How many calls the replay retried, because there was no answer, or because the answer asks for a retry. */
  readonly repeated: number
}

/**
 * Something that places the requests of a trace: a fleet in this process, or a running service. Both decide with the same code, so the same
 * calls get the same answers. Hosts join the fleet in the order in which they are reported. `place` makes confirmed claims. Calls of
 * `place` and `release` can overlap with each other. All other calls must be made one at a time. Nothing may be called after `close`.
 */
export interface Driver {
  reportHosts(hosts: readonly TraceHost[]): Awaitable<void>
  /** Writes a profile version for this run, and returns the name that `place` accepts. */
  writeProfile(parts: ProfileParts): Awaitable<string>
  /** Places an instance. Undefined if no host fits. */
  place(request: RequestSpec, profile: string): Awaitable<Placement | undefined>
  release(placement: Placement): Awaitable<void>
  /**
   * Reads the final state of the replicas. Absent if the driver decides in this process, because then there are no replicas. Must not be
   * called while another call is in progress.
   */
  inspect?(): Promise<Inspection>
  /** Removes what the run created, so that it does not remain on the service. */
  close(): Awaitable<void>
}
