import { signal } from '@gantt/cli/for-proofs'
import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import { serverProcesses } from '../processes/server-processes.ts'
import { startService } from '../processes/service.ts'
import { claimsOf, reportHosts, select, usageOf } from './calls.ts'

export interface SurviveOptions {
  readonly rounds: number
  say(line: string): void
}

/** Kills the service and all processes of its database at once with kill -9. After a restart every acknowledged claim must exist. */
export async function proveSurvive(checks: Checks, { rounds, say }: SurviveOptions): Promise<void> {
  await withFolder(async (folder) => {
    const acknowledged: string[] = []
    const seconds: number[] = []
    let service = await startService({ GANTT_DATA_DIR: folder })
    try {
      for (let round = 0; round < rounds; round++) {
        const { client } = service
        const host = `h${round}`
        await reportHosts(client, [{ name: host, vcpus: 1_000 }])
        // The service is killed during these calls. A claim whose call was answered must exist afterwards. The claim of a call without an
        // answer may or may not exist.
        const calls = Array.from({ length: 50 }, (_, i) =>
          select(client, { key: `s-${round}-${i}`, forceHosts: [host] }).then(
            (answer) => acknowledged.push(...claimsOf(answer).map(({ id }) => id)),
            () => 'the service was killed before it answered',
          ),
        )
        await Promise.all(calls.slice(0, 25))
        const database = serverProcesses(folder)
        const killed = service.kill()
        signal(database, 'SIGKILL')
        await killed
        await Promise.all(calls)
        const killedAt = performance.now()
        service = await startService({ GANTT_DATA_DIR: folder })
        seconds.push((performance.now() - killedAt) / 1_000)
        const usages = await Promise.all(Array.from({ length: round + 1 }, (_, i) => usageOf(service.client, `h${i}`)))
        const live = new Set(usages.flatMap(({ liveClaims }) => liveClaims))
        const lost = acknowledged.filter((id) => !live.has(id))
        checks.check('the database was killed too', database.length > 1, () => `${database.length} processes`)
        checks.check(
          'every acknowledged claim exists after kill -9 of everything',
          lost.length === 0,
          () => `${lost.length} of ${acknowledged.length} are lost`,
        )
        const again = await select(service.client, { key: `s-${round}-0`, forceHosts: [host] })
        checks.check(
          'a call with the key of an earlier claim is still answered with that claim',
          acknowledged.includes(claimsOf(again)[0]?.id ?? ''),
          () => JSON.stringify(again),
        )
      }
      const [median = 0] = [...seconds].sort((a, b) => a - b).slice(Math.floor(seconds.length / 2))
      say(`ready again after kill -9 of everything, the database's recovery included: ${median.toFixed(2)} s (median of ${seconds.length})`)
    } finally {
      await service.stop()
    }
  })
}
