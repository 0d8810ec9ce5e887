import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'

// these tests run the command line as it is in a release: in a folder from which packages/proofs cannot be resolved
let folder: string

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-installed-'))
  await build({
    stdin: {
      contents: `import { Command } from 'commander'
        import { addProof } from './proofs.ts'
        const program = new Command('gantt')
        await addProof(program, 'prove')
        await program.parseAsync()`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['@gantt/proofs'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    outfile: path.join(folder, 'main.mjs'),
  })
})

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** Runs `gantt prove race` with a package @gantt/proofs of this content, or without such a package. */
function proveRace(content?: string) {
  const place = path.join(folder, 'node_modules', '@gantt', 'proofs')
  fs.rmSync(place, { recursive: true, force: true })
  if (content !== undefined) {
    fs.mkdirSync(place, { recursive: true })
    fs.writeFileSync(path.join(place, 'package.json'), '{ "type": "module", "exports": "./index.js" }')
    fs.writeFileSync(path.join(place, 'index.js'), content)
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(folder, 'main.mjs'), 'prove', 'race'], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('if the proofs package is not installed, the command explains what to do and exits with 2', () => {
  expect(proveRace()).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'error: "gantt prove" needs the package @gantt/proofs, which is not installed: it is part of the repository, and of no release. ' +
      'In a checkout of the repository, run "npm ci", then "npx gantt prove".\n',
  })
})

test('if the proofs package is installed, its command runs', () => {
  const adds =
    "export const proofs = { prove: async () => (program) => program.command('prove <name>').action((name) => console.log(name)) }"
  expect(proveRace(adds)).toEqual({ status: 0, stdout: 'race\n', stderr: '' })
})

test('if a dependency of the proofs package is missing, the error is shown unchanged', () => {
  const { status, stderr } = proveRace("import 'no-such-package'\nexport const proofs = {}")
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("Cannot find package 'no-such-package'") })
})
