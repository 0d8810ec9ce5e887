import { spawnSync } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { SOURCE, sourceFiles, tooLarge } from '../../tools/checks/sizes.mjs'

export const checkout = fileURLToPath(new URL('../..', import.meta.url))
const core = 'packages/scheduler-core'

/** A code block of a page: ` ```form file `, or ` ```form ` if it is about no file. */
export interface Block {
  readonly form: string
  readonly file: string
  readonly text: string
}

/** The code blocks of a page of `docs/`, in order, without the indentation of the list around them. */
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

/** Applies a block that names a file: a `diff` edits the file, and any other block is its new content. */
export async function writeBlock(folder: string, { form, file, text }: Block): Promise<void> {
  const target = path.join(folder, file)
  await mkdir(path.dirname(target), { recursive: true })
  await writeFile(target, form === 'diff' ? edited(await readFile(target, 'utf8'), text) : text)
}

/** Pages and files that `npm run docs:reference` and `npm run build` write. */
const GENERATED = ['apps/server/schema.graphql', 'docs/api.md', 'docs/command-line.md', 'docs/metrics.md', 'docs/request-spec.md']

/** Applies the blocks of a page to a copy of the workspace: writes files, and runs commands. Returns the files that have changed, sorted. */
export async function applyPage(folder: string, page: string): Promise<string[]> {
  const touched = new Set<string>()
  for (const block of await readBlocks(page)) {
    if (block.file === '') runLines(folder, block.text)
    else {
      await writeBlock(folder, block)
      touched.add(block.file)
    }
  }
  for (const file of GENERATED)
    if ((await readFile(path.join(folder, file), 'utf8')) !== (await readFile(path.join(checkout, file), 'utf8'))) touched.add(file)
  return [...touched].toSorted()
}

/**
 * What the checks of sizes would report after these blocks were applied to the checkout: files with too many lines, folders with too many
 * files, and long functions.
 */
export function tooLargeAfter(blocks: readonly Block[]): string[] {
  const changes = blocks.filter(({ file }) => SOURCE.test(file))
  const folders = new Set(changes.map(({ file }) => path.posix.dirname(file)))
  const present = sourceFiles().filter(({ file }) => folders.has(path.posix.dirname(file)))
  const texts = new Map(present.map(({ file, text }) => [file, text]))
  for (const { form, file, text } of changes) texts.set(file, form === 'diff' ? edited(texts.get(file) ?? '', text) : text)
  return tooLarge(Array.from(texts, ([file, text]) => ({ file, text })))
}

/** The file after the lines of a diff that begin with `-` were replaced by those that begin with `+`. */
function edited(file: string, diff: string): string {
  expect(file).toContain(linesOf(diff, '-'))
  return file.replace(linesOf(diff, '-'), linesOf(diff, '+'))
}

/** The lines of a diff that begin with a given sign, without the sign. */
const linesOf = (diff: string, sign: '-' | '+'): string =>
  diff
    .split('\n')
    .filter((line) => line.startsWith(sign))
    .map((line) => `${line.slice(1)}\n`)
    .join('')

/** A temporary copy of the core, for the edits of a page. */
export async function copyCore(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix))
  await mkdir(path.join(folder, core), { recursive: true })
  for (const name of ['tsconfig.json', 'package.json', 'testing', `${core}/src`, `${core}/package.json`])
    await cp(path.join(checkout, name), path.join(folder, name), { recursive: true })
  await symlink(path.join(checkout, 'node_modules'), path.join(folder, 'node_modules'))
  return folder
}

/** Folders of packages that are installed or built, not sources. */
const MADE = new Set(['node_modules', 'dist', '.turbo'])

const CONFIGS = ['package.json', 'tsconfig.json', 'vitest.config.ts']

/** A temporary copy of all packages, clients and pages, for the edits of a page. Its packages import each other, not the checkout's. */
export async function copyWorkspace(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix))
  // a database of the tests may run as another account
  await chmod(folder, 0o711)
  for (const name of [...CONFIGS, 'testing', 'tools', 'prisma', 'docs', 'examples', 'apps', 'clients', 'packages'])
    await cp(path.join(checkout, name), path.join(folder, name), { recursive: true, filter: (from) => !MADE.has(path.basename(from)) })
  const modules = path.join(folder, 'node_modules')
  await mkdir(path.join(modules, '@gantt'), { recursive: true })
  const installed = path.join(checkout, 'node_modules')
  for (const name of await readdir(installed))
    if (name !== '@gantt' && (name === '.bin' || !name.startsWith('.'))) await symlink(path.join(installed, name), path.join(modules, name))
  for (const name of await readdir(path.join(installed, '@gantt')))
    await symlink(await readlink(path.join(installed, '@gantt', name)), path.join(modules, '@gantt', name))
  return folder
}

/** Checks the types of these files of a copy of the core. Their paths are relative to the copy. */
export async function checkTypesOfCore(folder: string, files: readonly string[]): Promise<void> {
  const include = files.filter((file) => file.endsWith('.ts')).map((file) => path.relative(core, file))
  await writeFile(path.join(folder, core, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include }))
  runTool(path.join(folder, core), 'typescript7/bin/tsc', '--noEmit', '-p', '.')
}

/** Checks the types of these files of a copy of the core, and runs the tests in `tests`: files and folders, relative to the package. */
export async function checkCore(folder: string, files: readonly string[], ...tests: readonly string[]): Promise<void> {
  await checkTypesOfCore(folder, files)
  await writeFile(path.join(folder, core, 'vitest.config.ts'), `export default { test: { setupFiles: ['src/bundled.ts'] } }\n`)
  // the same time limits as for tests of the repository, so that none fails on a busy machine
  await runTests(path.join(folder, core), ['--testTimeout=120000'], tests)
}

const TEST = /\.test\.tsx?$/

/** Runs tests with Vitest: files and folders, relative to `cwd`. Fails if one of them has no test, which Vitest would ignore. */
export async function runTests(cwd: string, options: readonly string[], tests: readonly string[]): Promise<void> {
  for (const name of tests) {
    const full = path.join(cwd, name)
    const files = (await stat(full)).isDirectory() ? await readdir(full, { recursive: true }) : [name]
    expect(files.filter((file) => TEST.test(file)).length, `the number of tests in ${name}`).toBeGreaterThan(0)
  }
  runTool(cwd, 'vitest/vitest.mjs', 'run', ...options, ...tests)
}

/** Runs a program of the checkout's packages, and throws if it fails. */
export function runTool(cwd: string, tool: string, ...args: readonly string[]): void {
  const bin = path.join(checkout, 'node_modules', tool)
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd, encoding: 'utf8' })
  expect(status, `${tool}: ${stdout}${stderr}`).toBe(0)
}

/** Runs each line of a block in a shell. */
export function runLines(folder: string, text: string): void {
  for (const line of text.trim().split('\n')) {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: folder, encoding: 'utf8' })
    expect(status, `${line}: ${stdout}${stderr}`).toBe(0)
  }
}

/** The lines that a diff of a page expects in its file. */
export const removedLines = ({ file, text }: Block) => ({ file, removed: linesOf(text, '-') })
