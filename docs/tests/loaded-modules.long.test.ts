import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { checkout } from '../testing/follow-page.ts'

// Counts the modules that a built program loads at its start, because loading them takes most of the time of a warm start.

/** Writes the address of each module of ECMAScript that is loaded to a file. */
const hook = (file: string): string => {
  const loader = `
    import { appendFileSync } from 'node:fs'
    export const load = (url, context, next) => { appendFileSync(${JSON.stringify(file)}, url + '\\n'); return next(url, context) }`
  return `import { register } from 'node:module'; register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(loader))})`
}

/** The modules that a program loads, by their paths in the checkout. */
function loadedBy(...program: readonly string[]): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantt-loaded-'))
  try {
    const list = path.join(folder, 'loaded.txt')
    writeFileSync(path.join(folder, 'hook.mjs'), hook(list))
    const args = ['--import', path.join(folder, 'hook.mjs'), ...program]
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: path.join(checkout, 'apps/cli'), encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    const loaded = readFileSync(list, 'utf8').trim().split('\n')
    return loaded.map((url) => (url.startsWith('file:') ? path.relative(checkout, new URL(url).pathname) : url))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('the version is printed without core, client and server', () => {
  const loaded = loadedBy('dist/main.js', '--version')
  expect(loaded).toContain('apps/cli/dist/main.js')
  expect(loaded.filter((file) => /^(apps\/(?!cli)|packages)\//.test(file))).toEqual([])
  expect(loaded.length).toBeLessThan(20)
})

test('importing the server loads fewer than 150 modules, because large dependencies are bundled', () => {
  const loaded = loadedBy('--input-type=module', '--eval', `await import('@gantt/server')`)
  expect(loaded).toContain('apps/server/dist/index.js')
  expect(loaded.length).toBeLessThan(150)
})

test('the server is loaded without its service, which is loaded while the database starts', () => {
  const loaded = loadedBy('--input-type=module', '--eval', `await import('@gantt/server')`)
  expect(loaded.filter((file) => /\/service-[^/]*$|\/graphql/.test(file))).toEqual([])
})
