// Makes the type declarations of a library for those who install it: a `.d.ts` for each entry point that its package.json names under
// `exports`.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { doorsOf, installedDependencies } from '../package-doors.mjs'

/**
 * The compiler's message about types that no entry point exports but that exported types use. They are in a file that the entry points
 * share, which is enough for type checks.
 */
const IS_NAMELESS = /private shared type exports with no public re-export/

/**
 * Types of packages that are installed with the library are imported from them; those of bundled packages are copied into the declarations.
 */
export async function writeDeclarations(folder, target) {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const installed = Object.keys(installedDependencies(manifest))
  const bundle = await rollup({
    input: Object.fromEntries(Object.entries(doorsOf(manifest)).map(([door, source]) => [door, path.join(folder, source)])),
    external: (name) => installed.some((one) => name === one || name.startsWith(`${one}/`)),
    plugins: [dts({ tsconfig: path.join(folder, 'tsconfig.json'), respectExternal: true, compilerOptions: { noEmit: false } })],
    onLog(_level, { message }) {
      if (!IS_NAMELESS.test(message)) throw new Error(`the types of ${manifest.name}: ${message}`)
    },
  })
  await bundle.write({ dir: target, entryFileNames: '[name].d.ts', chunkFileNames: '[name]-[hash].d.ts' })
  await bundle.close()
}
