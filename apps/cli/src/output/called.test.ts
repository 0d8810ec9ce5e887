import { expect, test, vi } from 'vitest'
import { commandOf } from './called.ts'

const npx = { npm_command: 'exec', npm_lifecycle_script: 'gantt select' }

test.each<[string, string, NodeJS.ProcessEnv, string]>([
  ['by npx', '/repo/node_modules/.bin/gantt', { ...npx, PATH: '/repo/node_modules/.bin:/usr/bin' }, 'npx gantt'],
  ['by its name, from a folder of PATH', '/usr/local/bin/gantt', { PATH: '/usr/local/bin:/usr/bin' }, 'gantt'],
  ['from a relative folder of PATH', '/opt/gantt-0.2.0/bin/gantt', { PATH: 'bin/:/usr/bin' }, 'gantt'],
  ['by a path below the working folder', '/opt/gantt-0.2.0/bin/gantt', { PATH: '/usr/bin' }, 'bin/gantt'],
  ['in its own folder', '/opt/gantt-0.2.0/gantt', { PATH: '/usr/bin' }, './gantt'],
  ['by a path outside of the working folder', '/srv/gantt/bin/gantt', { PATH: '/usr/bin' }, '/srv/gantt/bin/gantt'],
  ['by a path with a space', '/srv/my gantt/bin/gantt', { PATH: '/usr/bin' }, "'/srv/my gantt/bin/gantt'"],
  ['without PATH', '/opt/gantt-0.2.0/bin/gantt', {}, 'bin/gantt'],
  ['as a module that Node runs', '/repo/apps/cli/dist/main.js', { PATH: '/usr/bin' }, 'gantt'],
])('if the program was started %s, printed commands can be copied', (_name, program, environment, expected) => {
  expect(commandOf(program, '/opt/gantt-0.2.0', environment)).toBe(expected)
})

test('the command is known when the module is loaded', async () => {
  vi.resetModules()
  vi.stubGlobal('process', {
    ...process,
    argv: [process.execPath, '/opt/gantt/bin/gantt'],
    cwd: () => '/opt/gantt',
    env: { PATH: '/usr/bin' },
  })
  try {
    expect((await import('./called.ts')).GANTT).toBe('bin/gantt')
  } finally {
    vi.unstubAllGlobals()
  }
})
