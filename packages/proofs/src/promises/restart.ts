import { measurePauses, openDatabase } from '@gantt/server'
import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import { startService } from '../processes/service.ts'
import { reportHosts, select } from './calls.ts'

export interface RestartOptions {
  readonly hosts: number
  readonly claims: number
  say(line: string): void
}

/** One call has the reports of this many hosts. */
const AT_ONCE = 100
const CALLERS = 16

/**
 * Measures how long a service with a large fleet takes to restart, and how long a second replica takes to join. Checks that no claim is
 * lost.
 */
export async function proveRestart(checks: Checks, { hosts, claims, say }: RestartOptions): Promise<void> {
  await withFolder(async (folder) => {
    const perHost = Math.ceil(claims / hosts)
    let service = await startService({ GANTT_DATA_DIR: folder })
    try {
      const { client } = service
      for (let first = 0; first < hosts; first += AT_ONCE)
        await reportHosts(
          client,
          Array.from({ length: Math.min(AT_ONCE, hosts - first) }, (_, i) => ({ name: `h${first + i}`, vcpus: perHost })),
        )
      // Each request names its host, so that the service does not have to search for one. The time of a search is not measured here.
      let host = 0
      let placed = 0
      await Promise.all(
        Array.from({ length: CALLERS }, async () => {
          for (let i = host++; i * perHost < claims; i = host++) {
            const numInstances = Math.min(perHost, claims - i * perHost)
            const answer = await select(client, { key: `r-${i}`, numInstances, forceHosts: [`h${i}`] })
            placed += answer.destinations?.length ?? 0
          }
        }),
      )
      checks.check(`${claims} instances are placed on ${hosts} hosts`, placed === claims, () => `${placed} were placed`)
      await service.stop()
      const restart = await timed(() => startService({ GANTT_DATA_DIR: folder }))
      service = restart.result
      say(`restarted, including the database: ${restart.seconds} s`)
      const join = await timed(() => startService({ GANTT_DATA_DIR: folder }))
      say(`a second replica joined: ${join.seconds} s`)
      try {
        const again = await Promise.all(
          [service, join.result].map(({ client: one }) =>
            select(one, { key: 'r-0', numInstances: Math.min(perHost, claims), forceHosts: ['h0'] }),
          ),
        )
        checks.check(
          'both replicas know a call from before the restart',
          again.every(({ replayed }) => replayed === true),
          () => JSON.stringify(again).slice(0, 300),
        )
      } finally {
        await join.result.stop()
      }
    } finally {
      await service.stop()
    }
    const database = await openDatabase({ stateDir: folder })
    try {
      const pauses = await measurePauses(database.connection)
      say(`longest pause while a checkpoint is taken: ${pauses.captureYieldingMs} ms; ${pauses.captureAtOnceMs} ms without steps`)
      say(`longest pause while a checkpoint is restored: ${pauses.restoreYieldingMs} ms; ${pauses.restoreAtOnceMs} ms without steps`)
      say(`a round of the auditor: ${pauses.auditRoundMs} ms of processor time in total; 99 of 100 steps under ${pauses.auditStepMs} ms`)
      say(`a digest of a part: ${pauses.digestPartMs} ms (median); 99 of 100 under ${pauses.longDigestPartMs} ms`)
      checks.check('nothing was lost', pauses.hosts === hosts && pauses.claims === claims, () => JSON.stringify(pauses))
    } finally {
      await database.close()
    }
  })
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ readonly result: Result; readonly seconds: number }> {
  const started = performance.now()
  const result = await work()
  return { result, seconds: Math.round((performance.now() - started) / 10) / 100 }
}
