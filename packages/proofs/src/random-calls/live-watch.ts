import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { startChild } from '../processes/ended-run.ts'

/** The interval between two requests, milliseconds. */
const EVERY_MS = 100

/**
 * A program that sends requests to `/live`, each over a new connection. For each request it prints the time in milliseconds since 1970, the
 * duration until the answer, and the status of the answer.
 */
const PROGRAM = `
const http = require('node:http')
const url = process.argv[1]
const ask = () => {
  const at = Date.now(), begun = performance.now()
  const report = (state) => process.stdout.write(JSON.stringify({ at, ms: performance.now() - begun, state }) + '\\n')
  http.get(url, { agent: false, timeout: 60000 }, (response) => response.resume().on('end', () => report(response.statusCode))).on('error', (error) => report(error.message))
}
setInterval(ask, ${EVERY_MS})
`

export interface LiveAnswer {
  /** The time of the request, milliseconds since 1970. */
  readonly at: number
  readonly ms: number
  /** The HTTP status, or an error message. */
  readonly state: number | string
}

/** A separate process that requests `/live` of a service at short intervals. */
export interface LiveWatch {
  /** Returns the answers since the last call of this function. */
  take(): readonly LiveAnswer[]
  stop(): Promise<void>
}

export function watchLive(url: string): LiveWatch {
  const child: ChildProcess = startChild(() =>
    spawn(process.execPath, ['-e', PROGRAM, new URL('/live', url).href], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  const answers: LiveAnswer[] = []
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', (line) => {
      // All lines come from the program above.
      answers.push(JSON.parse(line) as LiveAnswer)
    })
  return {
    take: () => answers.splice(0),
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
