import type { HostStats, Profile, RequestSpec } from '@gantt/scheduler-core'

/** A host as a trace describes it. */
export interface TraceHost {
  readonly name: string
  readonly stats: HostStats
}

/** Where a request went, and what ends it. */
export interface Placement {
  /** The trace's name of the host. */
  readonly host: string
  readonly claim: { readonly id: string; readonly fence: number }
  /** Indices of the GPUs taken. */
  readonly gpus: readonly number[]
}

/** A profile's parts without its name: what a replay writes as a version of its own. */
export type ProfileParts = Omit<Profile, 'name' | 'number'>

export type Awaitable<Value> = Value | Promise<Value>

/** A host as a replica shows it. */
export interface HostView {
  /** The trace's name of the host. */
  readonly name: string
  /** What can still be given: units by resource class, thousandths by `GPU <index>`. */
  readonly free: ReadonlyMap<string, number>
}

/** What a service says at the end of a run. */
export interface Inspection {
  /** The hosts of the run as each replica shows them, all of them as new as the last answer. */
  readonly replicas: readonly (readonly HostView[])[]
  readonly effort: Effort
}

/** What the answers of a run took. */
export interface Effort {
  /** Proposals that count. */
  readonly counted: number
  /** Proposals that came to nothing and were decided again, by what was in the way. */
  readonly fruitless: Readonly<Record<string, number>>
  /** Calls that the replay made again because no answer came, or one that asks for it. */
  readonly repeated: number
}

/**
 * Carries a trace to something that places: a fleet in this process, or a running service. Both decide by the same core,
 * so the same calls get the same answers.
 *
 * The law: hosts are first seen in the order in which they are reported; `place` claims what it answers at once and
 * lastingly; calls of `place` and `release` may overlap, and nothing else may; nothing may be called after `close`.
 */
export interface Driver {
  reportHosts(hosts: readonly TraceHost[]): Awaitable<void>
  /** Writes a profile version of this run, and answers the name by which `place` takes it. */
  writeProfile(parts: ProfileParts): Awaitable<string>
  /** Undefined when no host has room. */
  place(request: RequestSpec, profile: string): Awaitable<Placement | undefined>
  release(placement: Placement): Awaitable<void>
  /** Absent where nobody but the replay itself could say anything. Nothing is on its way when it is called. */
  inspect?(): Promise<Inspection>
  /** Takes back whatever would outlive the run. */
  close(): Awaitable<void>
}
