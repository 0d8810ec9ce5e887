import { type Checkpoint, createRandom, type Fleet, type Random, type RequestSpec } from '@gantt/scheduler-core'
import {
  type Claims,
  type Groups,
  type Hosts,
  type Leaving,
  type PlacementCall,
  type Replica,
  type Stats,
  UnavailableError,
} from '@gantt/server/for-proofs'
import { digestOfFleet, digestOfModel } from './digest.ts'
import { createFakePostgres, type FakePostgres } from './fake-postgres.ts'
import { findingsOfFleet, findingsOfModel } from './findings.ts'
import { ReferenceModel } from './model/reference-model.ts'
import type { Plan } from './plan.ts'
import { createVirtualTime, type VirtualTime } from './virtual-time.ts'

/** Faulty code that a test injects to check that the simulation detects the fault. */
export interface Planted {
  /** Changes the fleet of a replica when it starts. */
  spoil?(fleet: Fleet, now: () => number): void
  /** Changes the state from which a replica starts. */
  restore?(checkpoint: Checkpoint): Checkpoint
}

export interface Outcome {
  /** The violations in the order in which they were found. Empty if there are none. */
  readonly violations: readonly string[]
  readonly entries: number
  readonly placed: number
  readonly refused: number
  readonly unknown: number
  readonly voids: number
  /** How many changes took effect, how many were void by reason, and how many other events occurred. */
  readonly seen: Readonly<Record<string, number>>
}

export interface Process {
  readonly number: number
  /** The index of this process among all processes of the simulation, in the order in which they were started. */
  readonly life: number
  readonly replica: Replica
  readonly claims: Claims
  readonly groups: Groups
  readonly hosts: Hosts
  readonly stats: Stats
  readonly leaving: Leaving
  /** Resolves when the process is killed. Everything that waits for the process then ends. */
  readonly killed: Promise<'killed'>
  stall(ms: number): void
  kill(): void
}

export interface KnownClaim {
  readonly id: string
  readonly fence: number
  readonly host: string
  readonly instance: string | null
  readonly request: RequestSpec
}

/** The state of a simulation: its processes, the log and its model, what callers know, and the violations. */
export class WorldState {
  readonly plan: Plan
  readonly planted: Planted
  readonly random: Random
  readonly time: VirtualTime = createVirtualTime()
  readonly store: FakePostgres
  readonly model = new ReferenceModel()
  readonly digests = new Map<number, string>()
  readonly findings = new Map<number, string>()
  readonly verdicts = new Map<number, readonly (string | undefined)[]>()
  readonly violations: string[] = []
  readonly processes: (Process | undefined)[]
  readonly calls: PlacementCall[] = []
  readonly answers = new Map<string, string>()
  readonly known: KnownClaim[] = []
  readonly released = new Set<string>()
  readonly abandoned = new Set<string>()
  readonly sequences = new Map<string, number>()
  readonly pending = new Set<string>()
  readonly seen: Record<string, number> = {}
  ids = 0
  lives = 0
  isOver = false
  readonly counts = { placed: 0, refused: 0, unknown: 0, voids: 0 }

  constructor(plan: Plan, planted: Planted) {
    this.plan = plan
    this.planted = planted
    this.random = createRandom(`world ${plan.seed}`)
    this.store = createFakePostgres(this.time, this.random)
    this.store.faults.blind = plan.blind
    this.processes = new Array(plan.replicas).fill(undefined)
    this.digests.set(0, digestOfModel(this.model))
    this.findings.set(0, findingsOfModel(this.model))
  }

  outcome(): Outcome {
    return { violations: this.violations, entries: this.store.log.length, ...this.counts, seen: this.seen }
  }

  fail(what: string): void {
    if (this.violations.length < 10) this.violations.push(`${Math.round(this.time.now)} ms: ${what}`)
  }

  see(what: string): void {
    this.seen[what] = (this.seen[what] ?? 0) + 1
  }

  compare(fleet: Fleet, who: string): void {
    const digest = digestOfFleet(fleet)
    const expected = this.digests.get(fleet.place.revision)
    if (digest !== expected)
      this.fail(`I12, I13: ${who} differs from the model at revision ${fleet.place.revision}: ${difference(digest, expected ?? '')}`)
    const findings = findingsOfFleet(fleet)
    const known = this.findings.get(fleet.place.revision)
    if (findings !== known)
      this.fail(
        `I18: the auditor of ${who} finds at revision ${fleet.place.revision} what the model does not: ${difference(findings, known ?? '')}`,
      )
  }

  /** Registers a call and its result. Every call must be answered unless its process is killed. */
  ask<T>(process: Process, name: string, call: Promise<T>, answered: (answer: T) => void): void {
    const label = `${name} (${this.ids++})`
    this.pending.add(label)
    void Promise.race([call, process.killed]).then(
      (answer) => {
        this.pending.delete(label)
        if (answer === 'killed') this.counts.unknown++
        else answered(answer as T)
      },
      (error: unknown) => {
        this.pending.delete(label)
        // It is unknown whether the call took effect.
        if (error instanceof UnavailableError) this.counts.unknown++
        else this.fail(`${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      },
    )
  }
}

/** The texts around the first difference, for people. */
function difference(is: string, expected: string): string {
  let index = 0
  while (index < is.length && is[index] === expected[index]) index++
  const from = Math.max(0, index - 60)
  return `it has ...${is.slice(from, index + 100)}...; the model ...${expected.slice(from, index + 100)}...`
}
