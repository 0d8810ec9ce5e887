import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

let clone: string

beforeAll(() => {
  clone = mkdtempSync(path.join(tmpdir(), 'gantt-clone-'))
  for (const name of ['package.json', 'package-lock.json', 'tools'])
    cpSync(path.join(root, name), path.join(clone, name), { recursive: true })
  // an npm that installs nothing: a script that calls it has shown that it runs without installed packages
  writeFileSync(path.join(clone, 'npm'), '#!/bin/sh\necho "npm was asked for: $*" >&2\nexit 1\n')
  chmodSync(path.join(clone, 'npm'), 0o755)
})

afterAll(() => rmSync(clone, { recursive: true, force: true }))

test.each([
  ['npm start', ['start.mjs']],
  ['npm test', ['test.mjs']],
  ['npm run test:all', ['test-all.mjs']],
  ['npm run demo', ['run.mjs', 'gantt', 'demo']],
  ['npm run e2e', ['run.mjs', 'e2e']],
  ['npm run bench:console', ['run.mjs', 'bench:console']],
])('without node_modules %s begins by installing', (_name, [script = '', ...args]) => {
  const { stderr, status } = spawnSync(process.execPath, [path.join(clone, 'tools', script), ...args], {
    encoding: 'utf8',
    cwd: clone,
    env: { PATH: `${clone}:${process.env.PATH}` },
  })
  expect([stderr, status]).toEqual([expect.stringMatching(/^Installing packages \(npm ci\) \.\.\.\nnpm was asked for: ci /), 1])
})
