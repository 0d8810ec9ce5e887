// Bundles the package in the current folder: every door that its package.json names under `exports`, from the `source`
// of the door to its `default`. Other packages stay outside. `--platform node` for programs, `neutral` for what must also
// run in a browser.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

const { values } = parseArgs({ options: { platform: { type: 'string', default: 'neutral' } } })
const { exports: doors } = JSON.parse(readFileSync('package.json', 'utf8'))
const entryPoints = Object.fromEntries(
  Object.values(doors).map(({ source, default: built }) => [built.replace(/^\.\/dist\/|\.js$/g, ''), source]),
)

const { metafile } = await build({
  entryPoints,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: values.platform,
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
