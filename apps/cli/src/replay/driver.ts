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

/**
 * Carries a trace to something that places: a fleet in this process, or a running service. Both decide by the same core,
 * so the same calls get the same answers.
 *
 * The law: hosts are first seen in the order in which they are reported; `place` claims what it answers at once and
 * lastingly; calls do not overlap; nothing may be called after `close`.
 */
export interface Driver {
  reportHosts(hosts: readonly TraceHost[]): Awaitable<void>
  /** Writes a profile version of this run, and answers the name by which `place` takes it. */
  writeProfile(parts: ProfileParts): Awaitable<string>
  /** Undefined when no host has room. */
  place(request: RequestSpec, profile: string): Awaitable<Placement | undefined>
  release(placement: Placement): Awaitable<void>
  /** Takes back whatever would outlive the run. */
  close(): Awaitable<void>
}
