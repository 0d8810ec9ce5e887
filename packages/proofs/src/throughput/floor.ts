import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { startChild } from '../processes/ended-run.ts'

/** A plain GraphQL server of the same library, in a process of its own, without any of the service's code. */
export interface PlainServer {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

const PROGRAM = `
const { createSchema, createYoga } = require(process.argv[1])
const schema = createSchema({ typeDefs: 'type Query { live: Boolean } type Mutation { nothing: Boolean }' })
const server = require('node:http').createServer(createYoga({ schema, logging: false }))
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port + '/graphql'))
process.once('SIGTERM', () => process.exit(0))
`

const refuse = ([code]: readonly unknown[]): never => {
  throw new Error(`the plain server ended with code ${code} before it listened`)
}

export async function startPlainServer(): Promise<PlainServer> {
  const yoga = createRequire(import.meta.url).resolve('graphql-yoga')
  const child = startChild(() =>
    spawn(process.execPath, ['-e', PROGRAM, yoga], {
      env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const ended = once(child, 'exit')
  const [url] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended.then(refuse)])) as [string]
  return {
    url,
    pid: child.pid as number,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
