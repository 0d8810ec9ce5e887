import path from 'node:path'
import { openDatabase } from '@gantt/server'
import type { Checks } from '../checks.ts'
import { startCuttingProxy } from '../processes/cutting-proxy.ts'
import { withFolder } from '../processes/folder.ts'
import { type Service, startService } from '../processes/service.ts'
import { type Answer, claimsOf, reportHosts, select, usageOf } from './calls.ts'

export interface IdempotencyOptions {
  readonly rounds: number
}

const ROOM = 4_096

/**
 * Sends the same key twice: to one process, to two at once, before and after kill -9 with a restart, and after the answer to a commit was
 * lost. There must be one claim and one answer.
 */
export async function proveIdempotency(checks: Checks, { rounds }: IdempotencyOptions): Promise<void> {
  await withFolder(async (folder) => {
    const database = await openDatabase({ stateDir: folder })
    const { host, user, password } = database.connection
    const proxy = await startCuttingProxy(String(host), path.join(folder, 'proxy'))
    const direct = { DATABASE_URL: database.url }
    const cut = { DATABASE_URL: `postgresql://${user}:${String(password)}@localhost:5432/gantt?host=${encodeURIComponent(proxy.host)}` }
    const running = new Set<Service>()
    const start = async (environment: Record<string, string>): Promise<Service> => {
      const service = await startService(environment)
      running.add(service)
      return service
    }
    try {
      let [first, second] = [await start(direct), await start(direct)]
      await reportHosts(first.client, [
        { name: 'h1', vcpus: ROOM },
        { name: 'h2', vcpus: ROOM },
      ])
      const same = (name: string, answers: readonly Answer[]): void => {
        const claims = answers.map((answer) => JSON.stringify(claimsOf(answer)))
        const what = (): string => answers.map((answer) => JSON.stringify(answer)).join(' / ')
        checks.check(`${name}: every call gets the same claim`, claims[0] !== '[]' && new Set(claims).size === 1, what)
        checks.check(
          `${name}: at most one of the answers is the first`,
          answers.filter(({ replayed }) => replayed === false).length <= 1,
          what,
        )
      }
      const keys: string[] = []
      const answers = new Map<string, Answer>()
      const key = (name: string): string => {
        keys.push(name)
        return name
      }

      for (let round = 0; round < rounds; round++) {
        const twice = key(`twice-${round}`)
        const once = await select(first.client, { key: twice })
        same('twice to one process', [once, await select(first.client, { key: twice })])
        answers.set(twice, once)
        const both = key(`both-${round}`)
        const [a, b] = await Promise.all([select(first.client, { key: both }), select(second.client, { key: both })])
        same('to two processes at once', [a, b])
        answers.set(both, a)
      }

      await Promise.all([first.kill(), second.kill()])
      running.clear()
      ;[first, second] = [await start(cut), await start(direct)]
      for (const [name, before] of answers)
        same('across kill -9 and restart', [{ ...before, replayed: true }, await select(second.client, { key: name })])

      for (let round = 0; round < rounds; round++) {
        const name = key(`cut-${round}`)
        proxy.cutNextAppend(round % 2 === 0 ? 'after' : 'before')
        const answer = await select(first.client, { key: name })
        same('after a lost answer to a commit', [answer, await select(second.client, { key: name })])
      }
      checks.check('every commit that was to be cut was cut', proxy.cuts === rounds, () => `${proxy.cuts} of ${rounds} were cut`)

      const held = (await Promise.all(['h1', 'h2'].map((host) => usageOf(second.client, host)))).reduce(
        (sum, { vcpusClaimed }) => sum + vcpusClaimed,
        0,
      )
      checks.check('there is exactly one claim for each key', held === keys.length, () => `${held} claims for ${keys.length} keys`)
      const other = await select(first.client, { key: keys[0] as string, vcpus: 2 })
      checks.check('the same key with another request is refused', other.__typename === 'IdempotencyConflict', () => JSON.stringify(other))
    } finally {
      await Promise.all([...running].map((service) => service.stop()))
      await proxy.close()
      await database.close()
    }
  })
}
