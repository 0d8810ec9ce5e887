import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Does what docs/write-a-scheduler.md says, in a copy of the package: a `ts` block is a file, a `diff` block an edit of one.

const checkout = fileURLToPath(new URL('..', import.meta.url))
const core = 'packages/scheduler-core'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gantt-scheduler-'))
  await mkdir(path.join(folder, core), { recursive: true })
  for (const name of ['tsconfig.json', 'package.json', `${core}/src`, `${core}/package.json`])
    await cp(path.join(checkout, name), path.join(folder, name), { recursive: true })
  await symlink(path.join(checkout, 'node_modules'), path.join(folder, 'node_modules'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('the scheduler of the page keeps the law, and its types fit', async () => {
  const blocks = readBlocks(await readFile(new URL('write-a-scheduler.md', import.meta.url), 'utf8'))
  expect(blocks.map(({ form }) => form)).toEqual(['ts', 'diff', 'diff', 'diff', 'ts'])
  for (const { form, file, text } of blocks) {
    const target = path.join(folder, file)
    await mkdir(path.dirname(target), { recursive: true })
    await writeFile(target, form === 'ts' ? text : edited(await readFile(target, 'utf8'), text))
  }
  const include = blocks.filter(({ form }) => form === 'ts').map(({ file }) => path.relative(core, file))
  expect((blocks[0]?.text.split('\n').length ?? 0) - 1).toBeLessThanOrEqual(65)
  await writeFile(path.join(folder, core, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include }))
  await writeFile(path.join(folder, core, 'vitest.config.ts'), 'export default {}\n')
  for (const [tool, ...args] of [
    ['typescript/bin/tsc', '--noEmit', '-p', '.'],
    ['vitest/vitest.mjs', 'run', 'src/schedulers/two-choices'],
  ]) {
    const bin = path.join(checkout, 'node_modules', tool ?? '')
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd: path.join(folder, core), encoding: 'utf8' })
    expect(status, `${tool}: ${stdout}${stderr}`).toBe(0)
  }
})

interface Block {
  readonly form: string
  readonly file: string
  readonly text: string
}

function readBlocks(page: string): Block[] {
  return [...page.matchAll(/^( *)```(\w+) (\S+)\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', form = '', file = '', text = '']) => ({
    form,
    file,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** The file with the lines of a diff that begin with `-` made those that begin with `+`. */
function edited(file: string, diff: string): string {
  const lines = (sign: string) =>
    diff
      .split('\n')
      .filter((line) => line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  expect(file).toContain(lines('-'))
  return file.replace(lines('-'), lines('+'))
}
