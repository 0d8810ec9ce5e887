// `npm run bench:console -- --hosts 10000`: how fast the console is with a large fleet, in a real browser against a real service. It prints
// figures and asserts nothing, because a busy machine is slower. The first table has the time from the navigation to the first row.
// Keystroke: the time from the key to the next paint (Event Timing). Hover: the time from a move of the pointer on the map to the end of
// the next frame, including the wait for that frame (16.7 ms at most). Live: the number of tasks over 50 ms while reports arrive, and while
// `--decisions` decisions a second are made. Each of these decisions names its host, because a search would take too long at that rate.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { ensureBrowser, findBrowser } from './browser.mjs'
import { root } from './prepare.mjs'

const HOVERS = 200
/** How many calls are made concurrently, and how many decisions each call requests. */
const WORKERS = 16
const IN_ONE_CALL = 10
/** The measurement starts once the database's tables are fewer than this many entries of the log behind. */
const BEHIND = 20
const TYPED = ['az:z1', 'mem.free>=64GiB', 'trait:HW_CPU_X86_AVX512F', 'cmp-0']

/** Runs the benchmark; returns the exit code. */
export async function benchConsole(args) {
  const { values } = parseArgs({
    args,
    options: {
      hosts: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '20' },
      rounds: { type: 'string', default: '3' },
      decisions: { type: 'string', default: '500' },
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
    const { hosts, rounds, seconds, decisions } = values
    await measure(demo.link, { hosts, rounds: Number(rounds), seconds: Number(seconds), decisions: Number(decisions) })
    return 0
  } finally {
    await demo.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts the demo as users start it. Resolves once the demo has printed its links. */
async function startDemo(folder, hosts) {
  const main = path.join(root, 'apps', 'cli', 'dist', 'main.js')
  // `npm run demo` uses the same arguments.
  const child = spawn(process.execPath, ['--max-semi-space-size=32', main, 'demo', '--hosts', hosts, '--port', '0', '--data-dir', folder], {
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
      if (line.includes('The next start uses') && first !== undefined) resolve(first)
    })
  })
  return { link, stop }
}

async function measure(link, { hosts, rounds, seconds, decisions }) {
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
    await tablesFollowed(origin, hash.replace('#key=', ''))
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
    print(`first table, ${hosts} hosts`, tables, 'ms')

    await page.evaluate(() => void window.keys.splice(0))
    for (const text of TYPED) {
      await page.getByRole('combobox', { name: 'Filter hosts' }).fill('')
      await page.getByRole('combobox', { name: 'Filter hosts' }).pressSequentially(text, { delay: 120 })
    }
    await page.getByRole('combobox', { name: 'Filter hosts' }).fill('')
    await page.waitForTimeout(500)
    const keys = await page.evaluate(() => window.keys)
    print('key to paint in the filter', keys, 'ms (those of 16 ms and more)')

    await reportTasks(page, `reports for ${seconds} s`, () => page.waitForTimeout(seconds * 1_000))

    await page.goto(`${origin}/hosts?view=map`)
    const map = page.getByRole('application').first()
    await map.waitFor()
    const box = await map.boundingBox()
    await page.evaluate(() => void window.hovers.splice(0))
    for (let step = 0; step < HOVERS; step++)
      await page.mouse.move(box.x + ((step * 37) % box.width), box.y + ((step * 23) % Math.min(box.height, 400)))
    print('pointer to paint on the map', await page.evaluate(() => window.hovers), 'ms')

    await page.goto(`${origin}/decisions?live=on`)
    await page.getByRole('grid').getByRole('row').nth(2).waitFor()
    let made = 0
    await reportTasks(page, `decisions for ${seconds} s`, async () => {
      made = await decide(origin, hash.replace('#key=', ''), decisions, seconds)
    })
    process.stdout.write(`${Math.round(made / seconds)} decisions a second were made, of ${decisions} wanted\n`)
    process.stdout.write(`load average ${loadavg()[0].toFixed(1)}\n`)
  } finally {
    await browser.close()
  }
}

/** Runs an action, and prints how many tasks of the page took over 50 ms during it. */
async function reportTasks(page, what, act) {
  await page.evaluate(() => void window.tasks.splice(0))
  await act()
  const tasks = await page.evaluate(() => window.tasks)
  const longest = tasks.length === 0 ? '' : `, the longest ${Math.round(Math.max(...tasks))} ms`
  process.stdout.write(`${what}: ${tasks.length} tasks over 50 ms${longest}\n`)
}

/** Calls the service. Throws the errors in the answer. */
async function ask(origin, key, query, variables = {}) {
  const response = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = await response.json()
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data
}

/** Waits until the database's tables have caught up with the log, because a fleet that was just created keeps the service busy. */
async function tablesFollowed(origin, key) {
  const startedAt = performance.now()
  for (;;) {
    const { fleet, fleetLog } = await ask(origin, key, '{ fleet { asOf } fleetLog { tablesRevision } }')
    // The demo appends further entries meanwhile, so a small difference remains.
    if (Number(fleet.asOf) - Number(fleetLog.tablesRevision) < BEHIND) break
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  process.stdout.write(`the tables had followed the log after ${Math.round((performance.now() - startedAt) / 1_000)} s\n`)
}

/** Makes this many decisions per second for this many seconds, or as many as the service can. Returns how many were made. */
async function decide(origin, key, perSecond, seconds) {
  const { hosts } = await ask(origin, key, '{ hosts(first: 500, query: "state:UP status:ENABLED") { nodes { name } } }')
  let next = 0
  const spec = () => ({
    gantt: { flavor: { vcpus: 1, memoryMb: 64, name: 'bench' }, forceHosts: [hosts.nodes[next++ % hosts.nodes.length].name] },
  })
  const names = Array.from({ length: IN_ONE_CALL }, (_, i) => `i${i}`)
  const call = `mutation Decide(${names.map((name) => `$${name}: SelectDestinationsInput!`).join(', ')}) {
    ${names.map((name) => `${name}: selectDestinations(input: $${name}) { __typename }`).join('\n')} }`
  const endsAt = performance.now() + seconds * 1_000
  let made = 0
  const work = async () => {
    for (let due = performance.now(); performance.now() < endsAt; due += (WORKERS * IN_ONE_CALL * 1_000) / perSecond) {
      await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
      const input = () => ({ idempotencyKey: randomUUID(), spec: spec(), profile: 'first-fit', claim: { mode: 'RESERVE', ttl: 'PT5S' } })
      const answers = await ask(origin, key, call, Object.fromEntries(names.map((name) => [name, input()])))
      made += Object.values(answers).filter(({ __typename }) => __typename === 'SelectDestinationsPayload').length
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
  return made
}

/** Runs in the page. Records what the browser reports about keys and long tasks. */
function observe() {
  window.keys = []
  window.tasks = []
  window.hovers = []
  addEventListener(
    'pointermove',
    ({ timeStamp }) =>
      requestAnimationFrame(() => {
        const painted = new MessageChannel()
        painted.port1.onmessage = () => window.hovers.push(performance.now() - timeStamp)
        painted.port2.postMessage(null)
      }),
    { capture: true, passive: true },
  )
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.name === 'keydown') window.keys.push(entry.duration)
  }).observe({ type: 'event', durationThreshold: 16, buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.tasks.push(entry.duration)
  }).observe({ type: 'longtask', buffered: true })
}

function print(what, figures, unit) {
  const sorted = [...figures].sort((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  process.stdout.write(`${what}: median ${Math.round(median)}, most ${Math.round(sorted.at(-1) ?? 0)} ${unit}, n = ${sorted.length}\n`)
}
