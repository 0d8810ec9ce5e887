import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

// Whether the agent runs a collector in a PID namespace, as root and as a user without capabilities.

const folder = mkdtempSync(path.join(tmpdir(), 'gantt-contained-'))
chmodSync(folder, 0o755)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const bin = fileURLToPath(new URL('../../../bin/gantt.mjs', import.meta.url))
const NOBODY = { uid: 65_534, gid: 65_534 }
const isRoot = process.getuid?.() === 0

/** Prints how many numbers the process has: one for the namespace of /proc, and one for each namespace inside of it. */
const COUNTS = `set -- $(grep NSpid: /proc/self/status); printf '{"version":"1.0","document":{"numbers":%d}}' $(($# - 1))`

/** In how many namespaces below that of /proc a collector of an agent runs. */
function namespacesOf(user: { readonly uid?: number; readonly gid?: number }, settings: object): number {
  const file = path.join(folder, 'collectors.json')
  const collector = { name: 'counts', namespace: 'counts', command: ['/bin/sh', '-c', COUNTS], ...settings }
  writeFileSync(file, JSON.stringify({ collectors: [collector] }))
  const args = [bin, 'agent', '--print', '--name', 'contained', '--collectors', file]
  const env = { PATH: process.env.PATH, HOME: folder }
  const { stdout, stderr } = spawnSync(process.execPath, args, { ...user, env, cwd: folder, encoding: 'utf8' })
  const [, numbers] = /"numbers": (\d+)/.exec(stdout) ?? []
  if (numbers === undefined) throw new Error(`the collector printed no document: ${stdout}${stderr}`)
  return Number(numbers) - 1
}

/** Why the kernel lets the user create no PID namespace. Undefined if it does. */
function refusal(user: { readonly uid?: number; readonly gid?: number }, options: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync('unshare', [...options, '--pid', '--fork', 'true'], { ...user, encoding: 'utf8' })
  return status === 0 ? undefined : (error?.message ?? stderr.trim())
}
const USER_OPTIONS = ['--user', '--map-current-user']

test('a collector runs in a PID namespace of its own, and with pidNamespace = false in that of the agent', (context) => {
  const why = refusal({}, isRoot ? [] : USER_OPTIONS)
  if (why !== undefined) return context.skip(`no PID namespace can be created: ${why}`)
  const outside = namespacesOf({}, { pidNamespace: false })
  expect(namespacesOf({}, {})).toBe(outside + 1)
})

test('the same holds for an agent without capabilities', (context) => {
  if (!isRoot) return context.skip('only root can start an agent as another user')
  if (spawnSync('test', ['-r', bin], NOBODY).status !== 0) return context.skip(`the user nobody may not read ${bin}`)
  const why = refusal(NOBODY, USER_OPTIONS)
  if (why !== undefined) return context.skip(`no PID namespace can be created: ${why}`)
  const outside = namespacesOf(NOBODY, { pidNamespace: false })
  expect(namespacesOf(NOBODY, {})).toBe(outside + 1)
})

test('a collector with a user runs in a PID namespace too', (context) => {
  if (!isRoot) return context.skip('only root may run a collector as another user')
  const why = refusal({}, [])
  if (why !== undefined) return context.skip(`no PID namespace can be created: ${why}`)
  const outside = namespacesOf({}, { user: 'nobody', pidNamespace: false })
  expect(namespacesOf({}, { user: 'nobody' })).toBe(outside + 1)
})
