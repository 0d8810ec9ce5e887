// `npm run bench`: bundles the measurements in bench/ and runs them. It prints results and asserts nothing, because a busy machine is
// slower.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from './prepare.mjs'

/** Bundled CommonJS packages need `require`, which does not exist in ECMAScript modules. */
const REQUIRE = "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);"

/** Runs the benchmark; returns the exit code. */
export async function bench(args) {
  const folder = path.join(root, 'node_modules', '.cache', 'gantt')
  mkdirSync(folder, { recursive: true })
  const outfile = path.join(folder, 'bench.mjs')
  await build({
    entryPoints: [path.join(root, 'bench', 'run.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['source'],
    // some packages that the measurements of a whole service need are CommonJS
    banner: { js: REQUIRE },
    logLevel: 'error',
  })
  const { runBench } = await import(pathToFileURL(outfile).href)
  return await runBench(args)
}
