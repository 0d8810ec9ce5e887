import { createClient } from '@gantt/client'
import { runService } from '@gantt/server'
import { ADMIN_KEY, type Service } from '../../processes/service.ts'
import { createServiceWords } from '../../processes/service-words.ts'
import type { StartRelease } from '../cluster.ts'

/**
 * Starts a service in this process. This takes a tenth of the time that a separate process takes. The service always shuts down in an
 * orderly way.
 */
export const startHere: StartRelease = ({ settings = {} }, callMs) =>
  new Promise((resolve, reject) => {
    const { words, defects, hear } = createServiceWords()
    let end = (): void => undefined
    let isGone = false
    const { exitCode } = process
    const running = runService({
      environment: { PORT: '0', HOST: '127.0.0.1', GANTT_ADMIN_KEY: ADMIN_KEY, ...settings },
      say: (text) => text.split('\n').forEach(hear),
      use: ({ url }) =>
        new Promise<void>((ended) => {
          end = ended
          resolve(serviceAt(url))
        }),
    }).then(() => {
      isGone = true
      // A service that fails to start sets the exit code of the process, so the former exit code is restored.
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
      defects,
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
