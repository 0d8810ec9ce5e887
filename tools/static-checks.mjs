// The static checks of `npm test`. Each is counted as one test.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { quietEnvironment, root, tools, typeChecks } from './prepare.mjs'

const CHECKS = [
  ...typeChecks,
  ['import rules', tools.depcruise, ['apps', 'packages', '--config', '.dependency-cruiser.cjs', '--output-type', 'err']],
  ['lint and format', tools.biome, ['check']],
  ['size of the console', '../tools/checks/console-size.mjs', []],
  ['readers of the shared folder', '../tools/checks/shared-folder-readers.mjs', []],
  ['tests that nothing runs', '../tools/checks/unrun-tests.mjs', []],
  ['sizes of files, folders and functions', '../tools/checks/sizes.mjs', []],
  ['list of third-party licences', '../tools/release/third-party-licences.mjs', ['--check']],
]

/** Runs all checks, as many at a time as there are processors, because most use only one. Progress goes to standard error. */
export async function runStaticChecks() {
  const waiting = [...CHECKS]
  const summary = { passed: 0, failed: [], skipped: [] }
  const runNext = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const [name, tool, args] = check
      const startedAt = performance.now()
      const { isPassed, output } = await run(tool, args)
      const took = `${Math.round(performance.now() - startedAt)} ms`
      process.stderr.write(`${output}${isPassed ? 'passed' : 'FAILED'}  ${name}  ${took}\n`)
      if (isPassed) summary.passed++
      else summary.failed.push({ name, reason: 'see above' })
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, runNext))
  return summary
}

/** Runs a check. Its output is printed at the end, so that the outputs of two checks are not mixed. */
function run(tool, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(root, 'node_modules', tool), ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...quietEnvironment },
    })
    const written = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => written.push(part))
    child.once('error', reject)
    child.once('close', (status) => resolve({ isPassed: status === 0, output: Buffer.concat(written).toString('utf8') }))
  })
}
