import { type Checkpoint, type Fleet, type FleetReader, restoreFleet } from '@gantt/scheduler-core'
import { createClaims, createGroups, createHosts, createLeaving, createStats, noDocuments, openOn, Replica } from '@gantt/server/for-proofs'
import { uuidOf } from './fixtures.ts'
import { createProcessTimers } from './virtual-time.ts'
import type { WorldState } from './world-state.ts'

/** Starts a process. While the store is unavailable, the start is repeated. */
export function startProcess(world: WorldState, number: number): void {
  const time = createProcessTimers(world.time, { base: world.random.below(1_000_000), rate: 0.98 + world.random.below(40) / 1_000 })
  const life = world.lives++
  const driver = world.store.driver(life)
  let kill = (): void => {}
  const killed = new Promise<'killed'>((resolve) => {
    kill = () => {
      time.kill()
      world.store.disconnect(life)
      resolve('killed')
    }
  })
  const { restore, spoil } = world.planted
  const tryToStart = async (): Promise<Replica> => {
    const store = await openOn(driver, time.timers)
    const loadFleet = async (reader: FleetReader): Promise<Fleet | undefined> => {
      const spoiled = async (restore: (checkpoint: Checkpoint) => Checkpoint): Promise<Fleet | undefined> => {
        const checkpoint = await store.loadCheckpoint(Number.MAX_SAFE_INTEGER)
        return checkpoint && restoreFleet(restore(checkpoint), reader)
      }
      const fleet = await (restore === undefined ? store.loadFleet(reader) : spoiled(restore))
      if (fleet !== undefined) world.see('start from a checkpoint')
      return fleet
    }
    return Replica.start({
      store: { ...store, loadFleet },
      name: `r${number}.${life}`,
      timers: time.timers,
      warn: () => {},
      recordUnlogged: async () => {},
      newId: () => uuidOf(0x1_0000 + world.ids++),
      newSeed: () => `s${world.ids++}`,
    })
  }
  const begin = (): void => {
    tryToStart().then(
      (replica) => {
        world.compare(replica.fleet, `replica ${number} at its start`)
        spoil?.(replica.fleet, time.timers.now)
        replica.onApplied(({ entry, verdicts }) => {
          const expected = world.verdicts.get(entry.revision) ?? []
          if (verdicts.some((verdict, i) => verdict !== expected[i]))
            world.fail(
              `replica ${number} judges entry ${entry.revision} ${verdicts.map(String).join(', ')}; the model ${expected.map(String).join(', ')}`,
            )
          world.compare(replica.fleet, `replica ${number}`)
        })
        world.processes[number] = {
          number,
          life,
          replica,
          claims: createClaims(replica),
          groups: createGroups(replica),
          hosts: createHosts(replica),
          stats: createStats(replica, noDocuments),
          leaving: createLeaving(replica),
          killed,
          kill,
          stall: time.stall,
        }
      },
      // The start failed because the store was unavailable. It is repeated, as by a process supervisor.
      () => void time.timers.after(500, begin),
    )
  }
  begin()
}
