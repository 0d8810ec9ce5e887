import type { HostStats, Profile, RequestSpec } from '@gantt/scheduler-core'

/** A host as a trace describes it. */
export interface TraceHost {
  readonly name: string
  readonly stats: HostStats
}

/** The host of a request, and the claim to end. */
export interface Placement {
  /** The trace's name of the host. */
  readonly host: string
  readonly claim: { readonly id: string; readonly fence: number }
  /** The indices of the taken GPUs. */
  readonly gpus: readonly number[]
}

/** The parts of a profile without its name: a replay writes them as a version of its own. */
export type ProfileParts = Omit<Profile, 'name' | 'number'>

export type Awaitable<Value> = Value | Promise<Value>

/** A host as a replica shows it. */
export interface HostView {
  /** The trace's name of the host. */
  readonly name: string
  /** The free amounts: units by resource class, thousandths by `GPU <index>`. */
  readonly free: ReadonlyMap<string, number>
}

/** The service's figures at the end of a run. */
export interface Inspection {
  /** The hosts of the run as each replica shows them, at or after the revision of the last answer. */
  readonly replicas: readonly (readonly HostView[])[]
  readonly effort: Effort
}

/** The durations and sizes of a run's answers. */
export interface Effort {
  /** The number of proposals that counted. */
  readonly counted: number
  /** The number of proposals that did not count and were decided again, by the reason. */
  readonly fruitless: Readonly<Record<string, number>>
  /** The number of calls that the replay repeated because there was no answer, or one that asks for a retry. */
  readonly repeated: number
}

/**
 * Where a trace is placed: a fleet in this process, or a running service. Both decide with the same code, so that the
 * same calls get the same answers. The rules: hosts are first seen in the order in which they are reported; `place`
 * makes confirmed claims for what it answers; calls of `place` and `release` may overlap, and no others; nothing may
 * be called after `close`.
 */
export interface Driver {
  reportHosts(hosts: readonly TraceHost[]): Awaitable<void>
  /** Writes a profile version for this run, and returns the name that `place` accepts. */
  writeProfile(parts: ProfileParts): Awaitable<string>
  /** Undefined if no host has room. */
  place(request: RequestSpec, profile: string): Awaitable<Placement | undefined>
  release(placement: Placement): Awaitable<void>
  /** Absent if only the replay itself could report anything. No request is in progress when it is called. */
  inspect?(): Promise<Inspection>
  /** Removes everything that would outlive the run. */
  close(): Awaitable<void>
}
