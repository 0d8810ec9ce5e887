import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../testing/extent.ts'
import { checkout } from '../testing/follow-page.ts'
import { brokenLinks, pagesIn } from '../testing/links.ts'
import { gather, interrupt, openTerminals, readCommandBlocks, type Terminals, toPattern } from '../testing/terminals.ts'

// Makes a release, and follows docs/install.md with it in a folder outside of the checkout. Three things differ from the page: the port (a
// free one instead of 4400), the folder of the data, and ID, which is replaced by the printed id.

const DEFAULT_PORT = '4400'

let terminals: Terminals

beforeAll(async () => {
  terminals = await openTerminals('gantt-install-')
})

afterAll(() => terminals.close())

test.skipIf(!isLongForm)(`a release serves, places, explains and stops as docs/install.md says${longFormNote}`, async () => {
  const folder = path.join(terminals.folder, 'installed')
  await mkdir(folder)
  const made = spawnSync(process.execPath, ['tools/run.mjs', 'release', folder], { cwd: checkout, encoding: 'utf8' })
  expect(made.status, made.stderr).toBe(0)
  const blocks = readCommandBlocks(await readFile(new URL('../install.md', import.meta.url), 'utf8'), ['sh', 'sh service', 'sh stopped'])
  expect(blocks.map(({ kind }) => kind)).toEqual(['sh', 'sh service', 'sh', 'sh', 'sh', 'sh stopped'])

  const environment = { GANTT_DATA_DIR: path.join(terminals.folder, 'state') }
  const second = terminals.openShell(environment)
  await second.run(`cd ${folder}`)
  let service: ReturnType<Terminals['startBash']> | undefined
  let port = DEFAULT_PORT
  let decision = ''
  for (const { kind, line, commands, expected = '' } of blocks) {
    const where = `docs/install.md:${line}`
    if (kind === 'sh service') {
      service = terminals.startBash({ ...environment, PORT: '0' })
      const seen = gather(service)
      service.stdin?.end(`cd ${folder}/gantt-*/\n${commands}`)
      port = (await seen.until(/Gantt is ready at http:\/\/127\.0\.0\.1:(\d+)\/graphql/))[1] ?? ''
      expect(seen.text().replaceAll(`:${port}/`, `:${DEFAULT_PORT}/`), where).toMatch(toPattern(expected))
      const page = await fetch(`http://127.0.0.1:${port}/overview`)
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script type="module"')])
      continue
    }
    if (kind === 'sh stopped' && service !== undefined) await interrupt(service)
    const { output, status } = await second.run(commands.replaceAll(`:${DEFAULT_PORT}/`, `:${port}/`).replaceAll(' ID', ` ${decision}`))
    expect(status, `${where}: ${output}`).toBe(0)
    expect(output, where).toMatch(toPattern(expected))
    decision = /explain (\S+)/.exec(output)?.[1] ?? decision
    if (commands.includes(' ID')) expect(output).toContain('first-host')
  }
  second.end()

  const [release = ''] = (await readdir(folder)).filter((name) => !name.endsWith('.tar.gz'))
  const inside = await readdir(path.join(folder, release))
  expect(inside.toSorted()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'NOTICE',
    'README.md',
    'THIRD-PARTY-LICENSES',
    'bin',
    'clients',
    'docs',
    'examples',
    'lib',
  ])
  const installed = path.join(folder, release)
  expect(brokenLinks(installed, ['README.md', ...pagesIn(installed, 'docs')])).toEqual([])
  // proofs are left out, because they are run from a checkout
  const ours = await readdir(path.join(installed, 'lib/node_modules/@gantt'))
  expect(ours.toSorted()).toEqual(['agent', 'cli', 'client', 'console', 'scheduler-core', 'server'])
  const licences = await readFile(path.join(folder, release, 'THIRD-PARTY-LICENSES'), 'utf8')
  // one package that is installed separately, one bundled into the console, and one bundled into the server
  for (const name of ['pg', 'react-dom', '@prisma/client']) expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'))
  const listed = await readFile(new URL('../third-party-licences.md', import.meta.url), 'utf8')
  const inTarball = [...licences.matchAll(/(?:^|-{80}\n\n)(\S+) (\S+)\n/g)].map(([, name, version]) => `| ${name} | ${version} |`)
  expect(inTarball.length).toBeGreaterThan(50)
  expect(inTarball.filter((row) => !listed.includes(row))).toEqual([])
  expect(path.isAbsolute(await readlink(path.join(folder, release, 'bin', 'gantt')))).toBe(false)
})
