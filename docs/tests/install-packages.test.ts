import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../testing/extent.ts'
import { checkout } from '../testing/follow-page.ts'

// Packs every package, installs the tarballs in an empty folder, and uses them there from JavaScript and from TypeScript. Their
// dependencies come from npm's cache or from the registry; on a machine that has neither, all tests are skipped but that of the client,
// which has no dependencies.

const NO_REGISTRY = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT/

let folder: string
let tarballs: string[]

const npmInstall = (into: string, files: readonly string[]) => {
  mkdirSync(into)
  writeFileSync(path.join(into, 'package.json'), '{ "private": true, "type": "module" }\n')
  return spawnSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=0', ...files], {
    cwd: into,
    encoding: 'utf8',
  })
}

const tarballOf = (name: string): string => {
  const found = tarballs.find((file) => path.basename(file).startsWith(`gantt-${name}-`))
  if (found === undefined) throw new Error(`npm run pack made no tarball of ${name}: ${tarballs.join(', ')}`)
  return found
}

const node = (cwd: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
  expect(status, stderr + stdout).toBe(0)
  return stdout
}

const filesBelow = (below: string): string[] =>
  readdirSync(below, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))

const resolutions = {
  NodeNext: { module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2023'], types: ['node'] },
  Bundler: { module: 'ESNext', moduleResolution: 'Bundler', lib: ['ES2023', 'DOM'], types: [] },
}

/** Strict, and every declaration of the packages is checked as well. */
function checkTypes(cwd: string, resolution: keyof typeof resolutions): void {
  const compilerOptions = { ...resolutions[resolution], strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true }
  writeFileSync(path.join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  node(cwd, path.join(checkout, 'node_modules/typescript7/bin/tsc'), '-p', '.')
}

/** The types of Node are not part of the packages; here those of the checkout are used. */
function withTypesOfNode(cwd: string): void {
  mkdirSync(path.join(cwd, 'node_modules/@types'), { recursive: true })
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(path.join(checkout, 'node_modules', name), path.join(cwd, 'node_modules', name))
}

const CLIENT_JS = `
import { createServer } from 'node:http'
import { createGantt, graphql } from '@gantt/client'

const service = createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ data: { viewer: { name: request.headers.authorization } } }))
}).listen(0, '127.0.0.1', async () => {
  const gantt = createGantt({ url: 'http://127.0.0.1:' + service.address().port + '/graphql', key: 'a-key' })
  const answer = await gantt.query(graphql('query { viewer { name } }'), {})
  process.stdout.write(answer.viewer.name)
  service.close()
})
`

const CLIENT_TS = `
import { createGantt, graphql, type PlaceResult, type ResultOf } from '@gantt/client'

const gantt = createGantt({ url: 'http://127.0.0.1:4400/graphql', key: 'a-key' })
const health = graphql('query { health { mode cleanRounds } }')
export const rounds = async (): Promise<number> => (await gantt.query(health, {})).health.cleanRounds
export type Mode = ResultOf<typeof health>['health']['mode']
// @ts-expect-error there is no such field
export const wrong = (answer: ResultOf<typeof health>): unknown => answer.health.colour
export const placed: Promise<PlaceResult<number>> = gantt.place(
  { spec: { gantt: { flavor: { vcpus: 2, memoryMb: 4_096 } } } },
  async ({ host }) => host.name.length,
)
`

const OTHERS_JS = `
import { createSource } from '@gantt/agent'
import { parseRequestSpec } from '@gantt/scheduler-core'
import { parseCpuList } from '@gantt/scheduler-core/nova'
import { PLUGIN_CONTRACT } from '@gantt/scheduler-core/plugin'
import { parseQuery } from '@gantt/scheduler-core/query'
import { aFleet } from '@gantt/scheduler-core/testing'

const said = [parseRequestSpec({ gantt: 1 }).ok, [...parseCpuList('0-3')].length, PLUGIN_CONTRACT, typeof parseQuery, typeof aFleet, typeof createSource]
process.stdout.write(said.join(' '))
`

const OTHERS_TS = `
import { type AgentOptions, createSource } from '@gantt/agent'
import { type Parsed, parseRequestSpec, type RequestSpec } from '@gantt/scheduler-core'
import { importNovaConf } from '@gantt/scheduler-core/nova'
import { defineFilter, definePlugin } from '@gantt/scheduler-core/plugin'
import { parseQuery } from '@gantt/scheduler-core/query'
import { aFleet } from '@gantt/scheduler-core/testing'

export const parsed: Parsed<RequestSpec> = parseRequestSpec({ flavor: { vcpus: 1 } })
export const vcpus = (request: RequestSpec): number => request.flavor.vcpus
// @ts-expect-error there is no such field
export const wrong = (request: RequestSpec): unknown => request.flavor.colour
export const idle = defineFilter({
  name: 'IdleFilter',
  description: 'No instance runs on the host.',
  reads: ['runningVms'],
  readsHostOnly: true,
  prepare: (_request, { hosts }) => ({
    passes: (host) => hosts.columns.instances[host] === 0,
    reason: () => ({ code: 'filter.refused', subject: 'instances', need: '0', have: 'more' }),
    facts: () => [],
  }),
})
export const more: readonly unknown[] = [definePlugin, parseQuery, aFleet, importNovaConf, createSource]
export type Options = AgentOptions
`

describe.skipIf(!isLongForm)(`packages that npm installs${longFormNote}`, () => {
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'gantt-packages-'))
    const made = node(checkout, 'tools/run.mjs', 'pack', path.join(folder, 'tarballs'))
    tarballs = made.trim().split('\n')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('a tarball has the built files, declarations and the licence, but no sources, tests, entry points for proofs, or source maps', () => {
    expect(tarballs.map((file) => path.basename(file).replace(/-\d.*$/, ''))).toEqual([
      'gantt-client',
      'gantt-scheduler-core',
      'gantt-agent',
      'gantt-console',
      'gantt-server',
      'gantt-cli',
    ])
    for (const tarball of tarballs) {
      const { stdout } = spawnSync('tar', ['-tzf', tarball], { encoding: 'utf8' })
      const names = stdout.trim().split('\n')
      const always = ['package.json', 'LICENSE', 'NOTICE', 'README.md', 'CHANGELOG.md'].map((name) => `package/${name}`)
      expect(names).toEqual(expect.arrayContaining(always))
      expect(names.filter((name) => /\.map$|\.test\.|\/src\/|for-proofs|(?<!\.d)\.ts$/.test(name))).toEqual([])
    }
  })

  test('the client has no dependencies, and takes less than a megabyte', () => {
    const cwd = path.join(folder, 'client')
    const { status, stderr } = npmInstall(cwd, [tarballOf('client')])
    expect(status, stderr).toBe(0)
    expect(readdirSync(path.join(cwd, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@gantt'])
    const bytes = filesBelow(path.join(cwd, 'node_modules')).reduce((sum, file) => sum + statSync(file).size, 0)
    expect(bytes).toBeLessThan(1_000_000)
    writeFileSync(path.join(cwd, 'use.js'), CLIENT_JS)
    expect(node(cwd, 'use.js')).toBe('Bearer a-key')
    withTypesOfNode(cwd)
    writeFileSync(path.join(cwd, 'use.ts'), CLIENT_TS)
    checkTypes(cwd, 'NodeNext')
    checkTypes(cwd, 'Bundler')
  })

  test('core, agent and command line work from JavaScript and from TypeScript in a folder with only them and their dependencies', (context) => {
    const cwd = path.join(folder, 'all')
    const { status, stderr } = npmInstall(cwd, tarballs)
    if (status !== 0 && NO_REGISTRY.test(stderr)) context.skip('neither npm’s cache nor a registry has what the packages depend on')
    expect(status, stderr).toBe(0)
    const { version } = JSON.parse(readFileSync(path.join(checkout, 'apps/cli/package.json'), 'utf8')) as { version: string }
    const command = spawnSync(path.join(cwd, 'node_modules/.bin/gantt'), ['--version'], { encoding: 'utf8' })
    expect([command.stdout, command.stderr]).toEqual([`${version}\n`, ''])
    const proof = spawnSync(path.join(cwd, 'node_modules/.bin/gantt'), ['prove', 'race'], { encoding: 'utf8' })
    expect([proof.status, proof.stdout, proof.stderr]).toEqual([2, '', expect.stringContaining('In a checkout of the repository, run')])
    expect(filesBelow(path.join(cwd, 'node_modules')).filter((file) => /\/node_modules\/typescript\//.test(file))).toEqual([])
    writeFileSync(path.join(cwd, 'use.js'), OTHERS_JS)
    expect(node(cwd, 'use.js')).toBe('false 4 1 function function function')
    withTypesOfNode(cwd)
    writeFileSync(path.join(cwd, 'use.ts'), OTHERS_TS)
    checkTypes(cwd, 'NodeNext')
    checkTypes(cwd, 'Bundler')
  })
})
