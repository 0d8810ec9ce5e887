// `npm run TASK`: makes the checkout ready, then runs one task.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { findNatsServer } from './nats-server.mjs'
import { prepare, root, runTool, tools, typeChecks } from './prepare.mjs'

const [task, ...args] = process.argv.slice(2)

const tasks = {
  build: () => 0, // preparing has already built everything
  check: () => typeChecks.reduce((status, [, tool, fixed]) => status || run(tool, fixed), 0),
  lint: () => run(tools.biome, ['check']),
  format: () => run(tools.biome, ['check', '--write']),
  rules: () => run(tools.depcruise, ['apps', 'packages', '--config', '.dependency-cruiser.cjs']),
  'check:python': async () => (await import('./python/check.mjs')).runCommand(args),
  'test:without-shared': async () => (await import('./without-shared.mjs')).testWithoutShared(),
  pack: async () => {
    const { pack } = await import('./release/pack.mjs')
    const [target] = args
    for (const tarball of await pack(target && path.resolve(target))) process.stdout.write(`${tarball}\n`)
  },
  release: async () => {
    const { release } = await import('./release/release.mjs')
    const [target] = args
    process.stdout.write(`${await release(target && path.resolve(target))}\n`)
  },
  prisma: () => spawnSync(process.execPath, [path.join(root, 'tools', 'prisma.mjs'), ...args], { stdio: 'inherit' }).status ?? 1,
  e2e: async () => (await import('./browser-tests.mjs')).runBrowserTests(args),
  'e2e:large': async () => (await import('./browser-tests.mjs')).runLargeFleetTests(args),
  screenshots: async () =>
    (await import('./browser-tests.mjs')).runBrowserTests(['--project=screenshots', ...args], { GANTT_SCREENSHOTS: 'docs/images' }),
  bench: async () => (await import('./bench.mjs')).bench(args),
  'bench:console': async () => (await import('./bench-console.mjs')).benchConsole(args),
  gantt: async () => {
    process.argv.splice(2, 1)
    const nats = findNatsServer()
    if (nats !== undefined) process.env.NATS_SERVER_PATH ??= nats
    await import('../apps/cli/dist/main.js')
  },
}

const run = (tool, fixed) => runTool(tool, [...fixed, ...args]).status ?? 1

if (!Object.hasOwn(tasks, task ?? '')) {
  process.stderr.write(`There is no task ${task}; there are ${Object.keys(tasks).join(', ')}.\n`)
  process.exit(2)
}
prepare()
const status = await tasks[task]()
if (status !== undefined) process.exitCode = status
