// The types of a library, as whoever installs it needs them: a `.d.ts` for each door that its package.json names under `exports`.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { doorsOf, installedDependencies } from '../package-doors.mjs'

/** Said of types that no door names, and that others are made of. They are in a file that the doors share, which is enough to check with. */
const IS_NAMELESS = /private shared type exports with no public re-export/

/** Types of packages that are installed with the library are imported from these; those of bundled packages are written out. */
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
