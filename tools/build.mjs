// Bundles the package in the current folder: each entry point that its package.json names under `exports`, from its `source` to its
// `default`. Dependencies are not bundled, except those that it names under `bundled`; our own packages never are.
// `--platform node` for programs, `neutral` for what must also run in a browser.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { doorsOf, installedDependencies } from './package-doors.mjs'

const { values } = parseArgs({ options: { platform: { type: 'string', default: 'neutral' } } })
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const installed = Object.keys({ ...installedDependencies(manifest), ...manifest.optionalDependencies })
/** Bundled CommonJS packages need `require`, which does not exist in ECMAScript modules. */
const REQUIRE = "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);"

const { metafile } = await build({
  entryPoints: doorsOf(manifest),
  outdir: 'dist',
  bundle: true,
  splitting: true,
  external: ['@gantt/*', ...installed.flatMap((name) => [name, `${name}/*`])],
  platform: values.platform,
  mainFields: ['module', 'main'],
  banner: values.platform === 'node' && manifest.bundled !== undefined ? { js: REQUIRE } : {},
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  metafile: true,
  logLevel: 'warning',
})

const made = new Set(Object.keys(metafile.outputs).map((file) => path.normalize(file)))
for (const entry of readdirSync('dist', { withFileTypes: true, recursive: true })) {
  const file = path.join(path.relative('.', entry.parentPath), entry.name)
  if (entry.isFile() && !made.has(file)) rmSync(file)
}
