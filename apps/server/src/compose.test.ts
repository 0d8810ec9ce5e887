import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { freePorts } from './free-ports.ts'
import { createNatsChild } from './nats-server/child.ts'
import { findNatsServer } from './nats-server/find.ts'
import { noNatsServer } from './testing/nats-servers.ts'

// compose.yaml and the Dockerfile cannot be run without Docker. Instead, these tests check that every name in them exists.

const root = new URL('../../../', import.meta.url)
const read = (file: string): string => fs.readFileSync(new URL(file, root), 'utf8')

type Tree = { [name: string]: Tree | string | readonly string[] }

interface Level {
  readonly indent: number
  readonly inner: Tree
  readonly items: string[]
}

/** Parses the subset of YAML that compose.yaml uses: maps and lists by indent, and texts. Throws for any other form. */
function readYaml(text: string): Tree {
  const tree: Tree = {}
  const top: Level = { indent: -1, inner: tree, items: [] }
  const open = [top]
  for (const line of text.split('\n')) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, blanks = '', item, name, value] = /^( *)(?:- "([^"]*)"|([\w-]+):(?: (\S.*))?)$/.exec(line) ?? []
    if (item === undefined && name === undefined) throw new Error(`the YAML parser of this test does not support the line: ${line}`)
    while ((open.at(-1)?.indent ?? -1) >= blanks.length) open.pop()
    const { inner, items } = open.at(-1) ?? top
    if (name === undefined) {
      items.push(item ?? '')
    } else if (value === undefined) {
      const next: Level = { indent: blanks.length, inner: {}, items: [] }
      open.push(next)
      inner[name] = text.includes(`${line}\n${blanks}  - `) ? next.items : next.inner
    } else {
      inner[name] = value === '{}' ? {} : value
    }
  }
  return tree
}

interface Service {
  readonly image?: string
  readonly build?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly deploy?: { readonly replicas: string }
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly depends_on?: readonly string[]
  readonly restart: string
}

const { services, volumes } = readYaml(read('compose.yaml')) as unknown as {
  services: Readonly<Record<string, Service>>
  volumes: Readonly<Record<string, unknown>>
}
const { replica, postgres } = services as { replica: Service; postgres: Service }
const dockerfile = read('Dockerfile')
/** Replaces each required variable, such as `${NAME:?message}`, by a value, as Docker Compose does. */
const filled = (text: string): string => text.replace(/\$\{(\w+):\?[^}]+\}/g, (_all, name) => `${name.toLowerCase()}-of-the-test`)

test('compose.yaml uses only volumes and services that it defines, and restarts services that end', () => {
  expect(Object.keys(services)).toEqual(['nats-1', 'nats-2', 'nats-3', 'postgres', 'replica'])
  for (const { restart } of Object.values(services)) expect(restart).toBe('unless-stopped')
  const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes.map((each) => each.split(':')[0]))
  expect(mounted).toEqual(Object.keys(volumes))
  expect([...(replica.depends_on ?? [])].sort()).toEqual(Object.keys(services).filter((name) => name !== 'replica'))
})

test('replicas get settings that the service knows, with the addresses of the servers in compose.yaml', () => {
  const fromImage = Object.fromEntries([...(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, ...pair]) => pair))
  const given = Object.fromEntries(Object.entries(replica.environment ?? {}).map(([name, value]) => [name, filled(value)]))
  const known = read('apps/server/src/config.ts')
  for (const name of Object.keys({ ...fromImage, ...given })) expect(known).toContain(`text('${name}')`)
  const config = readConfig({ ...fromImage, ...given })
  expect(config.nats?.servers).toEqual(['nats-1:4222', 'nats-2:4222', 'nats-3:4222'])
  const { username, password, hostname, port, pathname } = new URL(config.databaseUrl ?? '')
  const { POSTGRES_USER, POSTGRES_PASSWORD = '', POSTGRES_DB } = postgres.environment ?? {}
  expect([username, password, hostname, port, pathname]).toEqual([
    ...[POSTGRES_USER, filled(POSTGRES_PASSWORD), 'postgres', '5432'],
    `/${POSTGRES_DB}`,
  ])
  const [, from, to, inside] = /^127\.0\.0\.1:(\d+)-(\d+):(\d+)$/.exec(replica.ports?.[0] ?? '') ?? []
  expect([Number(to) - Number(from) + 1, Number(inside)]).toEqual([Number(replica.deploy?.replicas), config.port])
  expect(dockerfile).toContain(`EXPOSE ${config.port}\n`)
})

test('the image is built by scripts of this repository, starts the command of the release, and has a health check that calls /ready', () => {
  const scripts = JSON.parse(read('package.json')).scripts
  const used = [...dockerfile.matchAll(/npm run (\S+)/g)].map(([, script = '']) => script)
  expect(used).toEqual(['release'])
  for (const script of used) expect(scripts).toHaveProperty(script)
  // The second stage must copy the folder that the first stage unpacked, and link the command in the copied folder.
  const [, unpacked] = /-C (\S+)$/m.exec(dockerfile) ?? []
  const [, from, installed] = /^COPY --from=release (\S+) (\S+)$/m.exec(dockerfile) ?? []
  const [, command, link = ''] = /^RUN ln -s (\S+) (\S+)$/m.exec(dockerfile) ?? []
  expect([from, command]).toEqual([unpacked, `${installed}/bin/gantt`])
  expect(JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '[]')).toEqual([path.posix.basename(link), 'serve'])
  const [, asked = ''] = /^ {2}CMD \[.*\$\{process\.env\.PORT\}(\/\w+)/m.exec(dockerfile) ?? []
  expect(asked).toBe('/ready')
  expect(fileURLToPath(new URL(replica.build ?? '', root))).toBe(fileURLToPath(root))
})

test.skipIf(noNatsServer !== undefined)(
  `a nats-server accepts the options of compose.yaml, each with its own name${noNatsServer === undefined ? '' : ` [skipped: ${noNatsServer}]`}`,
  async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-compose-'))
    const names = ['nats-1', 'nats-2', 'nats-3']
    const routes = names.map((name) => `nats://${name}:6222`).join(',')
    for (const name of names) {
      const { command = [] } = services[name] as Service
      expect(command.slice(0, 2)).toEqual(['--name', name])
      expect(command.slice(-2)).toEqual(['--routes', routes])
    }
    const [port = 0, route = 0] = await freePorts(2)
    const here = (services['nats-1']?.command ?? []).map((word) => {
      if (word === '/data') return folder
      return word.replace('0.0.0.0:6222', `127.0.0.1:${route}`).replace(routes, `nats://127.0.0.1:${route}`)
    })
    const log = path.join(folder, 'log')
    const program = findNatsServer() ?? 'nats-server'
    const server = createNatsChild({ command: [program, ...here, '--addr', '127.0.0.1', '--port', String(port)], log })
    try {
      server.start()
      await expect.poll(() => fs.readFileSync(log, 'utf8')).toContain('Server is ready')
      expect(fs.readFileSync(log, 'utf8')).toMatch(/Starting JetStream[\s\S]*Starting JetStream cluster|JetStream cluster/)
    } finally {
      await server.close()
      fs.rmSync(folder, { recursive: true, force: true })
    }
  },
)
