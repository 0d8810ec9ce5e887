// The Prisma command line with this repository's own schema engine, so that nothing but npm packages is downloaded.
//   node tools/prisma.mjs generate
//   node tools/prisma.mjs migrate diff --from-migrations prisma/migrations --to-schema prisma/schema --script
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const cli = path.join(path.dirname(createRequire(import.meta.url).resolve('prisma/package.json')), 'build', 'index.js')
const engine = path.join(root, 'tools', 'schema-engine.mjs')

const { status, error } = spawnSync(process.execPath, [cli, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: engine, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' },
})
if (error) process.stderr.write(`prisma did not start: ${error.message}\n`)
process.exitCode = status ?? 1
