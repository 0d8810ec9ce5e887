import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

export const checkout = fileURLToPath(new URL('../..', import.meta.url))
const core = 'packages/scheduler-core'

/** A block of a page: ` ```form file `, or without a file where it is none. */
export interface Block {
  readonly form: string
  readonly file: string
  readonly text: string
}

/** The blocks of a page of `docs/`, in their order, without the indent of the list that they stand in. */
export async function readBlocks(page: string): Promise<Block[]> {
  const text = await readFile(new URL(`../${page}`, import.meta.url), 'utf8')
  return [...text.matchAll(/^( *)```(\w+)(?: (\S+))?\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = '', form = '', file = '', inner = '']): Block => ({
      form,
      file,
      text: inner.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )
}

/** Does what a block with a file says: a `diff` is an edit of it, anything else is the file. */
export async function writeBlock(folder: string, { form, file, text }: Block): Promise<void> {
  const target = path.join(folder, file)
  await mkdir(path.dirname(target), { recursive: true })
  await writeFile(target, form === 'diff' ? edited(await readFile(target, 'utf8'), text) : text)
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

/** A temporary copy of the core, to be edited as a page says. */
export async function copyCore(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix))
  await mkdir(path.join(folder, core), { recursive: true })
  for (const name of ['tsconfig.json', 'package.json', 'testing', `${core}/src`, `${core}/package.json`])
    await cp(path.join(checkout, name), path.join(folder, name), { recursive: true })
  await symlink(path.join(checkout, 'node_modules'), path.join(folder, 'node_modules'))
  return folder
}

/** Checks the types of these files of a copy of the core, and runs its tests under each of `tests`. */
export async function checkCore(folder: string, files: readonly string[], ...tests: readonly string[]): Promise<void> {
  const include = files.map((file) => path.relative(core, file))
  await writeFile(path.join(folder, core, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include }))
  await writeFile(path.join(folder, core, 'vitest.config.ts'), 'export default {}\n')
  runTool(path.join(folder, core), 'typescript7/bin/tsc', '--noEmit', '-p', '.')
  runTool(path.join(folder, core), 'vitest/vitest.mjs', 'run', ...tests)
}

/** Runs a program of the checkout's packages, which has to end well. */
export function runTool(cwd: string, tool: string, ...args: readonly string[]): void {
  const bin = path.join(checkout, 'node_modules', tool)
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd, encoding: 'utf8' })
  expect(status, `${tool}: ${stdout}${stderr}`).toBe(0)
}
