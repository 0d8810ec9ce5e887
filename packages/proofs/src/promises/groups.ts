import { randomUUID } from 'node:crypto'
import type { Client } from '@gantt/client'
import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import { startService } from '../processes/service.ts'
import { claimsOf, confirm, membersOf, release, reportHosts, select } from './calls.ts'

export interface GroupsOptions {
  readonly rounds: number
}

const CALLERS = 16
const HOSTS = ['h0', 'h1', 'h2', 'h3', 'h4'] as const
/** The tested values of the maximum count of members on one host. Undefined means Nova's default, which is one. */
const MEMBER_LIMITS = [undefined, 2, 3] as const

/**
 * Two service processes, and sixteen callers that all place an instance of one anti-affinity group at the same moment. No host may get more
 * members than the rule allows, and no caller may be refused while a host fits. Two members that are live-migrated at once must not get the
 * same host (Nova's bug 1821755).
 */
export async function proveGroups(checks: Checks, { rounds }: GroupsOptions): Promise<void> {
  await withFolder(async (folder) => {
    const first = await startService({ GANTT_DATA_DIR: folder })
    try {
      const second = await startService({ GANTT_DATA_DIR: folder })
      try {
        const clients = [first.client, second.client] as const
        await reportHosts(
          first.client,
          HOSTS.map((name) => ({ name, vcpus: 10 * CALLERS })),
        )
        for (let round = 0; round < rounds; round++) {
          const most = MEMBER_LIMITS[round % MEMBER_LIMITS.length]
          await fillGroup(checks, clients, round, most)
          await moveMembers(checks, clients, round)
        }
      } finally {
        await second.stop()
      }
    } finally {
      await first.stop()
    }
  })
}

type Clients = readonly [Client, Client]
const clientOf = (clients: Clients, i: number): Client => clients[i % 2 === 0 ? 0 : 1]

async function fillGroup(checks: Checks, clients: Clients, round: number, most: number | undefined): Promise<void> {
  const instanceGroup = { uuid: randomUUID(), policy: 'ANTI_AFFINITY', ...(most === undefined ? {} : { maxServerPerHost: most }) }
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, (_, i) => select(clientOf(clients, i), { key: `fill-${round}-${i}`, instanceGroup })),
  )
  const claims = answers.flatMap(claimsOf)
  const on = (host: string): number => claims.filter((claim) => claim.host === host).length
  const maxMembers = HOSTS.length * (most ?? 1)
  const refused = answers.filter(({ __typename }) => __typename === 'NoValidHost').length
  const outcome = (): string =>
    `round ${round}: ${HOSTS.map((host) => on(host)).join(', ')} members of ${most ?? 1} a host, ${refused} refused`
  checks.check(
    'no host gets more members than its rule allows',
    HOSTS.every((host) => on(host) <= (most ?? 1)),
    outcome,
  )
  checks.check('every possible member of the group is placed', claims.length === Math.min(CALLERS, maxMembers), outcome)
  checks.check('every call is placed or refused', claims.length + refused === CALLERS, outcome)
  const shown = Object.values(await membersOf(clients[0], instanceGroup.uuid))
  checks.check(
    'the group shows no host with more members than its rule allows',
    shown.every((count) => count <= (most ?? 1)),
    () => `round ${round}: ${shown.join(', ')}`,
  )
  await release(clients[0], claims)
}

/** Moves two members at the same time, through different processes, to the same empty host. At most one of them may move to this host. */
async function moveMembers(checks: Checks, clients: Clients, round: number): Promise<void> {
  const instanceGroup = { uuid: randomUUID(), policy: 'ANTI_AFFINITY' }
  const [from, to] = [HOSTS.slice(0, 2), HOSTS[2]]
  const members = (
    await Promise.all(
      from.map((host, i) => select(clientOf(clients, i), { key: `member-${round}-${i}`, instanceGroup, forceHosts: [host] })),
    )
  ).flatMap(claimsOf)
  const moves = await Promise.all(
    members.map(({ id, fence }, i) =>
      select(clientOf(clients, i), { key: `move-${round}-${i}`, instanceGroup, moveOf: { id, fence }, forceHosts: [to] }),
    ),
  )
  const moved = moves.flatMap(claimsOf)
  const outcome = (): string => `round ${round}: ${moves.map((move) => JSON.stringify(move)).join(' / ')}`
  checks.check(
    'if two members move to one host at the same time, exactly one of them gets there',
    members.length === 2 && moved.length === 1,
    outcome,
  )
  checks.check(
    'the other gets the answer that no host is left',
    moves.filter(({ __typename }) => __typename === 'NoValidHost').length === 1,
    outcome,
  )
  const ended = await confirm(clients[round % 2 === 0 ? 0 : 1], moved)
  const shown = await membersOf(clients[round % 2 === 0 ? 0 : 1], instanceGroup.uuid)
  checks.check(
    'after the move each member has a host of its own',
    ended.every((type) => type === 'ClaimPayload') && Object.keys(shown).length === 2 && Object.values(shown).every((count) => count === 1),
    () => `round ${round}: ${JSON.stringify(shown)}`,
  )
  await release(clients[0], [...members, ...moved])
}
