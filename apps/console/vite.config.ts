import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, type Plugin, type Rolldown } from 'vite'
import { graphiqlFiles } from './graphiql-files.ts'
import { persistedDocuments } from './persisted-documents.ts'

/** The URL of the service for `npm run dev`. */
const service = process.env.GANTT_URL ?? 'http://127.0.0.1:4000'

/**
 * Groups of modules that are loaded together in one file. Without groups, each set of pages that share a module has a file of its own: 85
 * requests for the page of hosts, most of them for less than a kilobyte. tools/checks/console-size.mjs limits what a page may load.
 */
const CHUNKS: Rolldown.CodeSplittingGroup[] = [
  { name: 'initial', tags: ['$initial'] },
  { name: 'common', minShareCount: 10 },
  { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 1_500 },
]

/** A chunk that pages share is named after all of them: `shared~host-page~hosts-page`. */
const withoutPages = (name: string): string => name.split('~')[0] ?? name

export default defineConfig({
  plugins: [react({ jsxImportSource: '#shown' }), graphiqlFiles(), persistedDocuments(), precompress()],
  // packages of this repository are read from their sources, so that they need not be built for the console
  resolve: { conditions: ['source', ...defaultClientConditions] },
  server: { host: '127.0.0.1', proxy: { '/graphql': new URL(service).origin } },
  build: {
    target: 'es2022',
    // These browsers support light-dark(). For older browsers, the build would translate it to a form that the style sheets here do not
    // support.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    sourcemap: true,
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: { groups: CHUNKS },
        chunkFileNames: ({ name }) => `assets/${withoutPages(name)}-[hash].js`,
        assetFileNames: ({ names: [name = 'asset'] }) => `assets/${withoutPages(path.parse(name).name)}-[hash][extname]`,
      },
    },
  },
})

/**
 * Files with more than this many bytes are compressed less. These are the files of GraphiQL, for which the best compression would take
 * longer than the rest of the build.
 */
const LARGE_BYTES = 300_000

/** Writes compressed copies of each text file as .br and .gz, so that the service does not compress at run time. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    // a build of the kit is for a single visit, so it is not compressed
    apply: (_config, { command, mode }) => command === 'build' && mode !== 'kit',
    writeBundle({ dir = 'dist' }) {
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(js|css|html|svg|json)$/.test(entry.name)) continue
        const file = path.join(entry.parentPath, entry.name)
        const content = readFileSync(file)
        const isLarge = content.length > LARGE_BYTES
        writeFileSync(`${file}.gz`, gzipSync(content, { level: isLarge ? 6 : 9 }))
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: isLarge ? 5 : 11 } }))
      }
    },
  }
}
