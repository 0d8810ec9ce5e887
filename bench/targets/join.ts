import { type Change, checkpointOf, ENTRY_FORMAT, type Entry, Fleet } from '@gantt/scheduler-core'
import { someInstances } from '@gantt/scheduler-core/testing'
import { openDatabase } from '../../apps/server/src/db/open-database.ts'
import { openPostgresSynchronizer } from '../../apps/server/src/sync/postgres/postgres.ts'
import type { Synchronizer } from '../../apps/server/src/sync/synchronizer.ts'
import { withFolder } from '../../packages/proofs/src/processes/folder.ts'
import { startService } from '../../packages/proofs/src/processes/service.ts'
import { findStart } from '../../packages/proofs/src/recovery-time/words.ts'
import { program } from './checkout.ts'
import { goals } from './goals.ts'
import { LivingFleet } from './living-fleet.ts'
import type { TargetQuestion } from './target.ts'

/** An entry has at most this many changes. */
const IN_ENTRY = 500
const ANSWER_MS = 120_000

interface Join {
  readonly seconds: number
  readonly checkpointSeconds: number
  readonly entriesSeconds: number
}

/**
 * P11: a replica of a large fleet starts as a process, reads the checkpoint from PostgreSQL and serves. A replica of an empty fleet, with a
 * PostgreSQL of its own, takes turns with it. Seconds are of the clock, because a replica also waits for its database.
 */
export const joinTarget: TargetQuestion = {
  name: 'p11',
  goals: [goals.join],
  rounds: 5,
  run: ({ hosts = 100_000, rounds }) =>
    withStore(fillStore(hosts), (full) =>
      withStore(
        async () => {},
        async (empty) => {
          const joins: { full: Join[]; empty: Join[] } = { full: [], empty: [] }
          for (let round = -1; round < rounds; round++) {
            const [one, other] = [await joinOnce(full), await joinOnce(empty)]
            // the first round warms up the caches of the file system
            if (round < 0) continue
            joins.full.push(one)
            joins.empty.push(other)
          }
          const secondsOf = (name: keyof Join): number[] => joins.full.map((one) => one[name])
          return [
            {
              goal: goals.join,
              size: `${hosts} hosts, a claim on every second one`,
              values: secondsOf('seconds'),
              baseline: { what: 'a replica of an empty fleet', unit: 's', values: joins.empty.map(({ seconds }) => seconds) },
              parts: [
                { what: 'of this, the checkpoint loaded and restored', unit: 's', values: secondsOf('checkpointSeconds') },
                { what: 'of this, later entries read and applied', unit: 's', values: secondsOf('entriesSeconds') },
              ],
            },
          ]
        },
      ),
    ),
}

/** Creates a store, fills it, and keeps its PostgreSQL running meanwhile, so that replicas join it. */
const withStore = <T>(fill: (store: Synchronizer) => Promise<void>, use: (folder: string) => Promise<T>): Promise<T> =>
  withFolder(async (folder) => {
    const database = await openDatabase({ stateDir: folder })
    try {
      const store = await openPostgresSynchronizer(database.connection)
      await fill(store).finally(() => store.close())
      return await use(folder)
    } finally {
      await database.close()
    }
  })

/** Writes a log with the hosts of a living fleet and a claim on every second host, and its checkpoint. */
const fillStore =
  (hosts: number) =>
  async (store: Synchronizer): Promise<void> => {
    const fleet = new Fleet()
    const append = async (changes: readonly Change[]): Promise<void> => {
      const entry: Entry = { format: ENTRY_FORMAT, id: `e${fleet.place.revision}`, writer: 'bench', basis: fleet.place, changes }
      const place = await store.append(entry)
      if (place === undefined) throw new Error(`expected that the store accepts ${entry.id}, found that the log has another end`)
      const refused = fleet.apply({ ...entry, revision: place.revision, at: place.at }).find((verdict) => verdict !== undefined)
      if (refused !== undefined) throw new Error(`expected that every change of ${entry.id} is valid, found ${refused}`)
    }
    const appendAll = async (changes: readonly Change[]): Promise<void> => {
      for (let from = 0; from < changes.length; from += IN_ENTRY) await append(changes.slice(from, from + IN_ENTRY))
    }
    for (const { changes } of new LivingFleet(hosts).entries) await appendAll(changes)
    await appendAll(
      fleet.hosts.records
        .filter((_, i) => i % 2 === 0)
        .map(({ host }) =>
          someInstances({ key: host, hosts: [host], instances: [null], grants: { classes: { DISK_GB: 1 } }, mode: 'CONFIRM' }),
        ),
    )
    if (!(await store.saveCheckpoint(checkpointOf(fleet))))
      throw new Error('expected that the store saves the checkpoint, found that it did not')
  }

async function joinOnce(folder: string): Promise<Join> {
  const begunAt = performance.now()
  const service = await startService({ GANTT_DATA_DIR: folder }, ANSWER_MS, program())
  const seconds = (performance.now() - begunAt) / 1_000
  try {
    const start = findStart(service.words)
    if (start === undefined) throw new Error(`expected a line about the loaded fleet, found: ${service.words.join('\n')}`)
    const { checkpointSeconds, entriesSeconds } = start
    return { seconds, checkpointSeconds, entriesSeconds }
  } finally {
    await service.stop()
  }
}
