import { Callers } from './callers.ts'
import { HOSTS, NAMES } from './fixtures.ts'
import { judgeEntry } from './invariants.ts'
import { isLive as isLiveInModel } from './model/claim.ts'
import type { Action, Plan } from './plan.ts'
import { startProcess } from './processes.ts'
import { sendReport } from './reports.ts'
import { type Outcome, type Planted, WorldState } from './world-state.ts'

const DRAIN_MS = 120_000

/** Runs one simulation from beginning to end. The same plan gives the same simulation. */
export async function runWorld(plan: Plan, planted: Planted = {}): Promise<Outcome> {
  const world = new World(plan, planted)
  await world.run()
  return world.outcome()
}

class World {
  readonly #state: WorldState
  readonly #callers: Callers

  constructor(plan: Plan, planted: Planted) {
    this.#state = new WorldState(plan, planted)
    this.#callers = new Callers(this.#state)
    this.#state.store.onAppended((entry) =>
      judgeEntry(this.#state, { ...JSON.parse(entry.body), id: entry.id, revision: entry.revision, at: entry.atMs }),
    )
  }

  outcome(): Outcome {
    return this.#state.outcome()
  }

  async run(): Promise<void> {
    for (let number = 0; number < this.#state.plan.replicas; number++) startProcess(this.#state, number)
    await this.#state.time.runUntil(1_000)
    for (const host of HOSTS) sendReport(this.#state, host, 0)
    for (const action of this.#state.plan.actions) {
      await this.#state.time.runUntil(1_000 + action.at)
      if (this.#state.violations.length > 0) break
      this.#do(action)
    }
    await this.#end()
  }

  /**
   * Ends the faults of network and server and lets time pass. After that, all calls must be answered, all replicas must have applied the
   * whole log, and no reservation may be overdue. Released claims and claims of abandoned keys must have ended.
   */
  async #end(): Promise<void> {
    const { faults } = this.#state.store
    Object.assign(faults, { cut: 0, deaf: 0, slow: 2, aborted: 0, isDown: false })
    faults.cutOff.clear()
    await this.#state.time.runUntil(this.#state.time.now + DRAIN_MS)
    this.#state.isOver = true
    if (this.#state.violations.length > 0) return
    for (const call of this.#state.pending) this.#state.fail(`L1: ${call} was never answered`)
    const head = this.#state.store.log.length
    for (const process of this.#state.processes) {
      if (process === undefined) continue
      const { replica } = process
      if (replica.halted !== undefined) this.#state.fail(`replica ${process.number} stopped: ${replica.halted.message}`)
      else if (replica.fleet.place.revision !== head)
        this.#state.fail(`I12: replica ${process.number} stands at ${replica.fleet.place.revision}, the log at ${head}`)
    }
    for (const { id, state, expiresAt } of this.#state.model.claims)
      if (state === 'RESERVED' && expiresAt !== null && expiresAt < this.#state.store.clock() - 10_000)
        this.#state.fail(`L3: claim ${id} is still RESERVED ${this.#state.store.clock() - expiresAt} ms after its end`)
    for (const id of this.#state.released)
      if (isLiveInModel(this.#state.model.claim(id))) this.#state.fail(`claim ${id} was released, and lives`)
    for (const key of this.#state.abandoned)
      for (const claim of this.#state.model.claims)
        if (claim.key === key && isLiveInModel(claim)) this.#state.fail(`key ${key} was abandoned, and claim ${claim.id} lives`)
  }

  #do(action: Action): void {
    const { what, a, b, c } = action
    const process = this.#state.processes[a % this.#state.plan.replicas]
    const { faults } = this.#state.store
    const later = (ms: number, callback: () => void): void => void this.#state.time.after(ms, () => this.#state.isOver || callback())
    switch (what) {
      case 'kill': {
        if (process === undefined) return
        process.kill()
        this.#state.processes[process.number] = undefined
        later(100 + b * 10, () => startProcess(this.#state, process.number))
        return
      }
      case 'serverCrash':
        this.#state.store.crash()
        faults.isDown = true
        later(10 + b * 5, () => {
          faults.isDown = false
        })
        return
      case 'cutOff': {
        if (process === undefined) return
        faults.cutOff.add(process.life)
        later(b * 20, () => faults.cutOff.delete(process.life))
        return
      }
      case 'stall':
        if (process === undefined) return
        process.stall(b * 4)
        faults.stalled.set(process.life, this.#state.time.now + b * 4)
        return
      case 'aborts':
        faults.aborted = 0.2
        later(c * 5, () => {
          faults.aborted = 0
        })
        return
      case 'cuts':
        faults.cut = 0.05 + (b % 10) / 40
        later(c * 10, () => {
          faults.cut = 0
        })
        return
      case 'slow':
        faults.slow = 20 + b
        later(c * 10, () => {
          faults.slow = 2
        })
        return
      case 'deaf':
        faults.deaf = 1
        later(c * 20, () => {
          faults.deaf = 0
        })
        return
      case 'jump':
        this.#state.store.jump((b - 500) * (c % 2 === 0 ? 20 : 7_200))
        return
      case 'report':
        sendReport(this.#state, NAMES[a % NAMES.length] as string, b)
        return
      default:
        if (process === undefined || process.replica.halted !== undefined) return
        // Paused processes receive a call when they continue.
        later(
          (faults.stalled.get(process.life) ?? 0) - this.#state.time.now,
          () => this.#state.processes[process.number] === process && this.#callers.callFor(process, action),
        )
    }
  }
}
