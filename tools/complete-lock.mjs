// Adds the optional packages of other platforms to package-lock.json, if an incomplete registry left them out. Without them `npm ci`
// refuses the lock ("Missing: ... from lock file"). Run this after every `npm install`. The added entries have no integrity hash; a later
// install from a complete registry adds it.
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
const { packages } = lock

const systems = ['darwin', 'android', 'freebsd', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'aix', 'linux']
const processors = ['arm64', 'arm', 'ppc64', 'riscv64', 's390x', 'ia32', 'mips64el', 'loong64', 'wasm32', 'x64']

let added = 0
for (const [owner, { optionalDependencies }] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(optionalDependencies ?? {})) {
    const isExact = /^\d/.test(version)
    if (!isExact || isLocked(owner, name)) continue
    packages[`node_modules/${name}`] = { version, optional: true, ...platformOf(name) }
    added++
  }
}

lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
process.stderr.write(`package-lock.json: ${added} entries added\n`)

/** Looks up a package as Node does: in the folder of the package that needs it, then in every folder above. */
function isLocked(owner, name) {
  for (let folder = owner; ; folder = parentOf(folder)) {
    if (packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`]) return true
    if (folder === '') return false
  }
}

function parentOf(folder) {
  const cut = folder.lastIndexOf('node_modules/')
  return cut <= 0 ? '' : folder.slice(0, cut - 1)
}

/** The system and processor in a package name that ends in `<system>-<processor>`, possibly followed by the name of the C library. */
function platformOf(name) {
  const os = /win(32|dows)/.test(name) && !name.includes('darwin') ? 'win32' : (systems.find((one) => name.includes(one)) ?? 'linux')
  const cpu = name.includes('aarch64') ? 'arm64' : (processors.find((one) => name.includes(one)) ?? 'x64')
  return { os: [os], cpu: [cpu], ...(name.includes('musl') ? { libc: ['musl'] } : {}) }
}
