import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createClient } from '@gantt/client'
import { runService } from '@gantt/server'
import { expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../../../testing/extent.ts'
import type { StartRelease } from '../nemesis/cluster.ts'
import { createChecks } from '../prove/checks.ts'
import { ADMIN_KEY, type Service } from '../prove/service.ts'
import { NotBuiltError, olderRelease } from './releases.ts'
import { runUpgrade } from './run.ts'

/** Services of this process: they start in a tenth of the time, and end as in order. */
const startHere: StartRelease = ({ settings = {} }, callMs) =>
  new Promise((resolve, reject) => {
    const words: string[] = []
    let end = (): void => undefined
    let isGone = false
    const { exitCode } = process
    const running = runService({
      environment: { PORT: '0', HOST: '127.0.0.1', GANTT_ADMIN_KEY: ADMIN_KEY, ...settings },
      say: (line) => words.push(line),
      use: ({ url }) =>
        new Promise<void>((ended) => {
          end = ended
          resolve(serviceAt(url))
        }),
    }).then(() => {
      isGone = true
      // one that could not start says so by the code of its process
      process.exitCode = exitCode
      reject(new Error(words.join('\n')))
    })
    const stop = (): Promise<void> => {
      end()
      return running
    }
    const noSignals = (): never => {
      throw new Error('a service of this process takes no signals')
    }
    const serviceAt = (url: string): Service => ({
      url,
      client: createClient({ url, key: ADMIN_KEY, deadlineMs: callMs }),
      words,
      pid: process.pid,
      stop,
      kill: noSignals,
      pause: noSignals,
      resume: () => undefined,
      signal: noSignals,
      get isGone() {
        return isGone
      },
    })
  })

test.skipIf(!isLongForm)(
  `three replicas go to the newer release and back under load, and nothing is lost; behind the raised level there is no way back${longFormNote}`,
  async () => {
    const said: string[] = []
    const say = (line: string): void => void said.push(line)
    const figures = await runUpgrade(
      createChecks(say),
      { engine: 'postgres', seconds: 1, clients: 4, seed: 'short', startRelease: startHere },
      say,
    )
    expect(said.filter((line) => line.includes('FAILED'))).toEqual([])
    expect(figures).toMatchObject({ unanswered: 0, faults: { 'a replica: back to the older release': 3 } })
    expect(figures.verified).toBeGreaterThan(10)
  },
)

test('a checkout that is not built is named, with what makes it ready', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantt-upgrade-'))
  try {
    expect(() => olderRelease(folder)).toThrow(NotBuiltError)
    expect(() => olderRelease(folder)).toThrow(/apps.cli.dist.main\.js is not there: build that checkout first/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
