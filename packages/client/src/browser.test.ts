import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const bundle = (contents: string) =>
  build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
  })

test('the client can be bundled for browsers, and the bundle has no module of Node or of the service', async () => {
  const { metafile } = await bundle(`export * from './index.ts'`)
  const inputs = Object.keys(metafile.inputs)
  expect(inputs.some((input) => input.endsWith('packages/client/src/gantt.ts') || input.endsWith('src/gantt.ts'))).toBe(true)
  expect(inputs.filter((input) => /(^|\/)(apps|scheduler-core)\//.test(input))).toEqual([])
  const packages = inputs.flatMap((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? [])
  expect([...new Set(packages)].toSorted()).toEqual(['@0no-co/graphql.web', 'gql.tada', 'graphql'])
})

test('the bundler of this test refuses code that imports a module of Node', async () => {
  await expect(bundle(`import { readFileSync } from 'node:fs'; readFileSync('x')`)).rejects.toThrow(/node:fs/)
})

test('a program that only uses createClient does not load the documents', async () => {
  const { metafile, outputFiles } = await bundle(`import { createClient } from './index.ts'; console.log(createClient)`)
  const [output] = Object.values(metafile.outputs)
  const used = Object.entries(output?.inputs ?? {})
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .filter(([input]) => input !== '<stdin>')
  expect(used.map(([input]) => input.replace(/^.*\//, '')).toSorted()).toEqual([
    'answer.ts',
    'client.ts',
    'clock.ts',
    'endpoints.ts',
    'errors.ts',
    'gathering.ts',
    'hidden-keys.ts',
    'json-lines.ts',
    'keys.ts',
    'transport.ts',
  ])
  expect(outputFiles[0]?.text).not.toContain('selectDestinations')
})
