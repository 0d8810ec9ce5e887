// `npm run bench:console -- --hosts 10000`: how fast the console is with a large fleet, in a real browser against a real service.
// Prints figures; asserts nothing, for a busy machine is slower. First table: from the navigation to the first row. Keystroke:
// from the key to the next paint (Event Timing). Live: tasks over 50 ms while requests and reports come in.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { ensureBrowser, findBrowser } from './browser.mjs'
import { root } from './prepare.mjs'

const TYPED = ['az:z1', 'mem.free>=64GiB', 'trait:HW_CPU_X86_AVX512F', 'cmp-0']

/** Answers the exit code. */
export async function benchConsole(args) {
  const { values } = parseArgs({
    args,
    options: {
      hosts: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '20' },
      rounds: { type: 'string', default: '3' },
    },
  })
  const missing = ensureBrowser()
  if (missing !== undefined) {
    process.stderr.write(`The console cannot be measured: ${missing}\n`)
    return 1
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'gantt-bench-'))
  const demo = await startDemo(folder, values.hosts)
  try {
    await measure(demo.link, Number(values.rounds), Number(values.seconds), values.hosts)
    return 0
  } finally {
    await demo.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The demo as its users start it; ready once it has printed its links. */
async function startDemo(folder, hosts) {
  const main = path.join(root, 'apps', 'cli', 'dist', 'main.js')
  const child = spawn(process.execPath, [main, 'demo', '--hosts', hosts, '--port', '0', '--data-dir', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  const link = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the demo ended with ${code}`)))
    let first
    createInterface({ input: child.stdout }).on('line', (line) => {
      first ??= /http:\/\/\S+#key=\S+/.exec(line)?.[0]
      if (line.includes('The next start goes on') && first !== undefined) resolve(first)
    })
  })
  return { link, stop }
}

async function measure(link, rounds, seconds, hosts) {
  const browser = await chromium.launch({
    ...(findBrowser() === undefined ? {} : { executablePath: findBrowser() }),
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      '--disable-sync',
      '--disable-quic',
    ],
  })
  try {
    const { origin, hash } = new URL(link)
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage()
    await page.addInitScript(observe)
    await page.goto(`${origin}/hosts?view=table${hash}`)
    await page.getByRole('grid').getByRole('row').nth(5).waitFor()

    const tables = []
    for (let round = 0; round < rounds; round++) {
      const startedAt = performance.now()
      await page.goto(`${origin}/hosts?view=table&live=${round}`)
      await page.getByRole('grid').getByRole('row').nth(5).waitFor()
      tables.push(performance.now() - startedAt)
    }
    tell(`first table, ${hosts} hosts`, tables, 'ms')

    await page.evaluate(() => void window.keys.splice(0))
    for (const text of TYPED) {
      await page.getByRole('combobox', { name: 'Filter hosts' }).fill('')
      await page.getByRole('combobox', { name: 'Filter hosts' }).pressSequentially(text, { delay: 120 })
    }
    await page.getByRole('combobox', { name: 'Filter hosts' }).fill('')
    await page.waitForTimeout(500)
    const keys = await page.evaluate(() => window.keys)
    tell('key to paint in the filter', keys, 'ms (those of 16 ms and more)')

    await page.evaluate(() => void window.tasks.splice(0))
    await page.waitForTimeout(seconds * 1_000)
    const tasks = await page.evaluate(() => window.tasks)
    process.stdout.write(
      `live for ${seconds} s: ${tasks.length} tasks over 50 ms${tasks.length === 0 ? '' : `, the longest ${Math.round(Math.max(...tasks))} ms`}\n`,
    )
    process.stdout.write(`load average ${loadavg()[0].toFixed(1)}\n`)
  } finally {
    await browser.close()
  }
}

/** Runs in the page: keeps what the browser says of keys and long tasks. */
function observe() {
  window.keys = []
  window.tasks = []
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.name === 'keydown') window.keys.push(entry.duration)
  }).observe({ type: 'event', durationThreshold: 16, buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.tasks.push(entry.duration)
  }).observe({ type: 'longtask', buffered: true })
}

function tell(what, figures, unit) {
  const sorted = [...figures].sort((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  process.stdout.write(`${what}: median ${Math.round(median)}, most ${Math.round(sorted.at(-1) ?? 0)} ${unit}, n = ${sorted.length}\n`)
}
