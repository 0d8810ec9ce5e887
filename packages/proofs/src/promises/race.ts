import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import { startService } from '../processes/service.ts'
import { claimsOf, reportHosts, select, usageOf } from './calls.ts'

const CLIENTS = 8
/** All callers race for a host with one CPU. The next candidate host has room for this many instances. */
const NEXT_ROOM = 3

export interface RaceOptions {
  readonly rounds: number
}

/**
 * Two service processes on one PostgreSQL, and eight clients that race for the last unit of a small host. Nothing may be allocated twice. A
 * caller that loses the race must get the next candidate host or a justified refusal.
 */
export async function proveRace(checks: Checks, { rounds }: RaceOptions): Promise<void> {
  await withFolder(async (folder) => {
    const first = await startService({ GANTT_DATA_DIR: folder })
    try {
      const second = await startService({ GANTT_DATA_DIR: folder })
      try {
        const clients = [first.client, second.client] as const
        for (let round = 0; round < rounds; round++) {
          const small = `small-${round}`
          const next = `next-${round}`
          // The profile is first-fit and the small host is reported first. Therefore every request tries the small host first.
          await reportHosts(clients[round % 2 === 0 ? 0 : 1], [
            { name: small, vcpus: 1 },
            { name: next, vcpus: NEXT_ROOM },
          ])
          const answers = await Promise.all(
            Array.from({ length: CLIENTS }, (_, i) =>
              select(clients[i % 2 === 0 ? 0 : 1], { key: `race-${round}-${i}`, forceHosts: [small, next], profile: 'first-fit' }),
            ),
          )
          const claims = answers.flatMap(claimsOf)
          const on = (host: string): number => claims.filter((claim) => claim.host === host).length
          const refused = answers.filter(({ __typename }) => __typename === 'NoValidHost').length
          const outcome = (): string => `round ${round}: ${on(small)} on ${small}, ${on(next)} on ${next}, ${refused} refused of ${CLIENTS}`
          const usage = await Promise.all(clients.flatMap((client) => [usageOf(client, small), usageOf(client, next)]))
          checks.check(
            'no host is over-committed',
            usage.every(({ vcpusTotal, vcpusClaimed }) => vcpusClaimed <= vcpusTotal),
            outcome,
          )
          checks.check('the last unit is allocated once', on(small) === 1, outcome)
          checks.check('a late caller gets the next candidate while it has free capacity', on(next) === NEXT_ROOM, outcome)
          checks.check('the others get a justified NoValidHost', refused === CLIENTS - 1 - NEXT_ROOM, outcome)
          checks.check('no claim is returned twice', new Set(claims.map(({ id }) => id)).size === claims.length, outcome)
        }
      } finally {
        await second.stop()
      }
    } finally {
      await first.stop()
    }
  })
}
