import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { checkout, readBlocks } from '../testing/follow-page.ts'

// Follows docs/extenders.md: sends the question of the page to the server of its example. apps/server/src/plugin/outside/extender.test.ts
// tests that a service sends it.

test('the server of the page answers its question as the page says', async () => {
  const [start, ask, answer, ...others] = await readBlocks('extenders.md')
  expect([start?.form, ask?.form, answer?.form, others]).toEqual(['sh', 'sh', 'json', []])
  const [, script = '', port = ''] = /^python3 (\S+) (\d+)\nGANTT_EXTENDERS=(\S+) npm start\n$/.exec(start?.text ?? '') ?? []
  const file = path.join(checkout, script.replace('extender.py', 'extenders.json'))
  expect(start?.text).toContain(`GANTT_EXTENDERS=${path.relative(checkout, file)} `)
  expect(JSON.parse(await readFile(file, 'utf8')).extenders[0].url).toBe(`http://127.0.0.1:${port}`)

  const server = spawn('python3', [path.join(checkout, script), '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await once(server.stdout, 'data')
    const url = String(line).replace('listening on ', '').trim()
    const { stdout, stderr, status } = spawnSync('sh', ['-ec', ask?.text.replace(`http://127.0.0.1:${port}`, url) ?? ''], {
      encoding: 'utf8',
    })
    expect([stderr, status]).toEqual(['', 0])
    expect(JSON.parse(stdout)).toEqual(JSON.parse(answer?.text ?? ''))
  } finally {
    server.kill()
  }
})
