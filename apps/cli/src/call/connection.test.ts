import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { aFile } from '../../../../packages/proofs/src/published-figures/testing/files.ts'
import { gantt } from '../testing/gantt.ts'

const UNUSED_URL = 'http://127.0.0.1:2'

/** Writes a config file. By default, only its owner can read it. */
function aConfig(content: string, mode = 0o600): string {
  const file = aFile('config.json', content)
  fs.chmodSync(file, mode)
  return file
}

test('the URL and the key are read from the config file', async () => {
  const GANTT_CONFIG = aConfig(JSON.stringify({ url: UNUSED_URL, key: 'k' }))
  const { err, code } = await gantt({ GANTT_CONFIG }, 'hosts')
  expect([err, code]).toEqual([expect.stringContaining(`${UNUSED_URL}/graphql: `), 3])
})

test('the config file in the home folder is read if GANTT_CONFIG names no other file', async () => {
  const HOME = path.dirname(aFile('x', ''))
  fs.mkdirSync(path.join(HOME, '.config', 'gantt'), { recursive: true })
  fs.writeFileSync(path.join(HOME, '.config', 'gantt', 'config.json'), JSON.stringify({ url: 'ftp://x', key: 'k' }), { mode: 0o600 })
  expect((await gantt({ HOME }, 'hosts')).err).toContain(`(from ${path.join(HOME, '.config', 'gantt', 'config.json')})`)
})

test('an option takes precedence over the environment, and the environment over the file', async () => {
  const GANTT_CONFIG = aConfig(JSON.stringify({ url: 'ftp://file', key: 'k' }))
  expect((await gantt({ GANTT_CONFIG }, 'hosts')).err).toContain(`"ftp://file" (from ${GANTT_CONFIG})`)
  expect((await gantt({ GANTT_CONFIG, GANTT_URL: 'ftp://env' }, 'hosts')).err).toContain('"ftp://env" (from GANTT_URL)')
  expect((await gantt({ GANTT_CONFIG, GANTT_URL: 'ftp://env' }, 'hosts', '--url', 'ftp://x')).err).toContain('"ftp://x" (from --url)')
})

test.each([
  ['is not JSON', 'url: x', 'is not JSON'],
  ['is a list', '[]', 'must contain one JSON object'],
  ['has another field', '{"token":"x"}', 'has the unknown field "token"; known are url and key'],
  ['has a number', '{"key":1}', 'has an invalid key'],
])('a config file that %s is refused, and the error names the file', async (_name, content, message) => {
  const GANTT_CONFIG = aConfig(content)
  const { err, code } = await gantt({ GANTT_CONFIG }, 'hosts')
  expect([err, code]).toEqual([expect.stringContaining(`the config file ${GANTT_CONFIG} ${message}`), 2])
})

test('a config file that GANTT_CONFIG names must exist', async () => {
  const { err, code } = await gantt({ GANTT_CONFIG: '/nowhere/config.json' }, 'hosts')
  expect([err, code]).toEqual(['error: the config file /nowhere/config.json cannot be read: ENOENT\n', 2])
})

test('a key in a file that others can read causes a warning', async () => {
  const content = JSON.stringify({ url: UNUSED_URL, key: 'k' })
  expect((await gantt({ GANTT_CONFIG: aConfig(content, 0o644) }, 'hosts')).err).toContain('other users can read it (mode 644)')
  expect((await gantt({ GANTT_CONFIG: aConfig(content) }, 'hosts')).err).not.toContain('warning')
})
