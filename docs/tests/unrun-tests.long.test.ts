import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { checkout } from '../testing/follow-page.ts'

// Runs the static check of tests that nothing runs in a small repository made for it.

const CONFIG = `export default { test: { projects: [{ test: { name: 'core', root: 'core', include: ['src/**/*.test.ts'] } }] } }\n`
const A_TEST = `import { test } from 'vitest'\ntest('anything', () => {})\n`

const checked = (folder: string) => {
  const { status, stdout } = spawnSync(process.execPath, ['tools/checks/unrun-tests.mjs', folder], { cwd: checkout, encoding: 'utf8' })
  return { status, faults: stdout.split('\n').filter((line) => line !== '') }
}

test('a test that no project includes fails the static checks, and so do browser tests elsewhere and suites without callers', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'gantt-unrun-'))
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(path.join(folder, path.dirname(file)), { recursive: true })
    await writeFile(path.join(folder, file), text)
  }
  try {
    await symlink(path.join(checkout, 'node_modules'), path.join(folder, 'node_modules'))
    await write('package.json', '{ "type": "module" }\n')
    await write('vitest.config.ts', CONFIG)
    await write('core/src/a.test.ts', `import { suite } from './a.suite.ts'\n${A_TEST}suite()\n`)
    await write('core/src/a.suite.ts', 'export const suite = () => {}\n')
    await write('e2e/a.spec.ts', A_TEST)
    expect(checked(folder)).toEqual({ status: 0, faults: [] })

    await write('core/b.test.ts', A_TEST)
    await write('core/src/c.test.tsx', A_TEST)
    await write('tools/d.test.mjs', A_TEST)
    await write('core/src/e.spec.ts', A_TEST)
    await write('core/src/f.suite.ts', 'export const suite = () => {}\n')
    const { status, faults } = checked(folder)
    expect(status).toBe(1)
    expect(faults.map((fault) => fault.split(' ', 1)[0]).toSorted()).toEqual([
      'core/b.test.ts',
      'core/src/c.test.tsx',
      'core/src/e.spec.ts',
      'core/src/f.suite.ts',
      'tools/d.test.mjs',
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
