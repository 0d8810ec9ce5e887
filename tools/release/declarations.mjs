// Writes the type declarations of a library for its users: a `.d.ts` file for each entry point under `exports` of its package.json.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { doorsOf, installedDependencies } from '../package-doors.mjs'

/**
 * The compiler's message about types that exported types use but no entry point exports. They are in a file that the entry points share,
 * which is enough for type checks.
 */
const IS_NAMELESS = /private shared type exports with no public re-export/

/** The message about an entry point that exports nothing, such as a program that is started as a process of its own. */
const IS_EMPTY = /^Generated an empty chunk/

/**
 * Writes the declarations. Types of packages that are installed with the library are imported from these; types of bundled packages are
 * copied into the declarations.
 */
export async function writeDeclarations(folder, target) {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const installed = Object.keys(installedDependencies(manifest))
  const bundle = await rollup({
    input: Object.fromEntries(Object.entries(doorsOf(manifest)).map(([door, source]) => [door, path.join(folder, source)])),
    external: (name) => installed.some((one) => name === one || name.startsWith(`${one}/`)),
    plugins: [dts({ tsconfig: path.join(folder, 'tsconfig.json'), respectExternal: true, compilerOptions: { noEmit: false } })],
    onLog(_level, { message }) {
      if (!IS_NAMELESS.test(message) && !IS_EMPTY.test(message)) throw new Error(`the types of ${manifest.name}: ${message}`)
    },
  })
  await bundle.write({ dir: target, entryFileNames: '[name].d.ts', chunkFileNames: '[name]-[hash].d.ts' })
  await bundle.close()
}
