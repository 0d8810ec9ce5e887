// Bundles the package in the current folder. Each entry point under `exports` of its package.json is built from its `source` to its
// `default`. Dependencies are not bundled, except those that package.json lists under `bundled`; packages of this repository never are.
// `--platform node` is for programs, and `neutral` for code that must also run in a browser.
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
  // Unless this is set, libraries such as graphql make additional checks for developers, which are slower.
  define: values.platform === 'node' ? { 'process.env.NODE_ENV': '"production"' } : {},
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
