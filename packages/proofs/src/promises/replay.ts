import { openDatabase, verifyStoredDecisions } from '@gantt/server'
import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import { startService } from '../processes/service.ts'
import { claimsOf, release, reportHosts, select } from './calls.ts'

export interface ReplayOptions {
  readonly requests: number
}

const CALLERS = 16
const HOSTS = 12
const HOST_VCPUS = 8
/** A long deadline for a busy machine, because this proof does not measure speed. */
const DEADLINE = 'PT60S'
const CALL_DEADLINE_MS = 90_000
/** If no conflict occurred during the requested number of requests, at most this many further requests are sent. */
const MAX_REQUESTS_UNTIL_CONFLICT = 5_000
const PROFILES = ['default', 'first-fit', 'random', 'best-fit'] as const

/**
 * Runs two processes and many callers on a nearly full fleet. Some proposals then conflict with earlier ones and are void, and their
 * requests are decided again or refused. Then replays every stored decision from the log. The replay must have the same hosts and scores,
 * bit for bit. The run continues until a conflict occurs, because it would test too little without one.
 */
export async function proveReplay(checks: Checks, { requests }: ReplayOptions): Promise<void> {
  await withFolder(async (folder) => {
    const database = await openDatabase({ stateDir: folder })
    try {
      const environment = { DATABASE_URL: database.url }
      const first = await startService(environment, CALL_DEADLINE_MS)
      const second = await startService(environment, CALL_DEADLINE_MS)
      const counts = { placed: 0, refused: 0, other: 0 }
      let asked = 0
      try {
        const clients = [first.client, second.client] as const
        await reportHosts(
          first.client,
          Array.from({ length: HOSTS }, (_, i) => ({ name: `h${i}`, vcpus: HOST_VCPUS })),
        )
        let next = 0
        let isMet = false
        const isContinued = (i: number): boolean => i < requests || (!isMet && i < requests + MAX_REQUESTS_UNTIL_CONFLICT)
        const caller = async (n: number): Promise<void> => {
          const held: { id: string; fence: number }[] = []
          for (let i = next++; isContinued(i); i = next++) {
            asked++
            const client = clients[(n + i) % 2 === 0 ? 0 : 1]
            const answer = await select(client, {
              key: `r-${i}`,
              vcpus: 1 + (i % 3),
              numInstances: 1 + (i % 2),
              profile: PROFILES[i % PROFILES.length] as string,
              deadline: DEADLINE,
            })
            isMet ||= (answer.decision?.attempt ?? 0) > 1
            held.push(...claimsOf(answer))
            if (answer.__typename === 'SelectDestinationsPayload') counts.placed++
            else if (answer.__typename === 'NoValidHost') counts.refused++
            else counts.other++
            // Released resources are requested again at once, so that the fleet stays nearly full.
            if (held.length > 3) await release(clients[(n + i) % 2 === 0 ? 1 : 0], held.splice(0, 2))
          }
        }
        await Promise.all(Array.from({ length: CALLERS }, (_, n) => caller(n)))
      } finally {
        await Promise.all([first.stop(), second.stop()])
      }
      const { checked, conflicts, differences } = await verifyStoredDecisions(database.connection)
      checks.check('every call was placed or refused', counts.placed + counts.refused === asked, () => JSON.stringify(counts))
      checks.check('every answered decision is stored', checked >= asked, () => `${checked} decisions for ${asked} calls`)
      checks.check('conflicts were met', conflicts > 0, () => `${conflicts} proposals were decided more than once`)
      for (let i = 0; i < checked - differences.length; i++) checks.check('a decision replays to the same hosts and scores', true)
      for (const difference of differences) checks.check('a decision replays to the same hosts and scores', false, () => difference)
    } finally {
      await database.close()
    }
  })
}
