import path from 'node:path'
import { build, type Metafile } from 'esbuild'
import { beforeAll, expect, test } from 'vitest'

// These tests bundle the command line as tools/build.mjs does, and check which packages are loaded before a command runs.
let outputs: Metafile['outputs']
let main: string

beforeAll(async () => {
  const { metafile } = await build({
    entryPoints: [path.join(import.meta.dirname, 'main.ts')],
    outdir: path.join(import.meta.dirname, '../dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    write: false,
    metafile: true,
  })
  outputs = metafile.outputs
  main = Object.keys(outputs).find((file) => path.basename(file) === 'main.js') ?? ''
})

const importsOf = (file: string) => outputs[file]?.imports ?? []

/** The packages that a file of the bundle imports statically, directly or through other files. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  return importsOf(file).flatMap(({ path: imported, kind, external }) => {
    if (kind !== 'import-statement') return []
    return external === true ? [imported] : packagesOf(imported, seen)
  })
}

test('every call, including --version, loads only the command-line library before its command runs', () => {
  expect(new Set(packagesOf(main))).toEqual(new Set(['commander']))
})

test('no command loads the server or the proofs before it runs', () => {
  const commands = importsOf(main).filter(({ kind, external }) => kind === 'dynamic-import' && external !== true)
  expect(commands.length).toBeGreaterThan(25)
  const loaded = new Set(commands.flatMap(({ path: command }) => packagesOf(command)))
  expect(loaded).toContain('@gantt/client')
  expect([...loaded].filter((name) => name === '@gantt/server' || name === '@gantt/proofs')).toEqual([])
})

test('the command that lists hosts loads only the filter grammar of the core', () => {
  const hosts = importsOf(main).find(({ path: file }) => path.basename(file).startsWith('hosts-'))?.path ?? ''
  expect(packagesOf(hosts).filter((name) => name.startsWith('@gantt/scheduler-core'))).toContain('@gantt/scheduler-core/query')
  expect(packagesOf(hosts)).not.toContain('@gantt/scheduler-core')
})
