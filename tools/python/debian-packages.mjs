// The packages of Debian that the checks of the Python client need: which are missing, and installing them.
import { spawnSync } from 'node:child_process'

/** Those of these Debian packages that are not installed. On a system without dpkg these are all. */
export function missingPackages(packages) {
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', `\${db:Status-Status} \${Package}\n`, ...packages], { encoding: 'utf8' })
  const installed = new Set((stdout ?? '').split('\n').map((line) => line.replace(/^installed /, '')))
  return packages.filter((name) => !installed.has(name))
}

/**
 * Installs packages if this process may do that. Returns why some are still missing, as part of a sentence; undefined if they are all
 * installed.
 */
export function installPackages(packages) {
  if (packages.length === 0) return undefined
  if (process.getuid?.() !== 0) return 'only root may install them'
  if (spawnSync('apt-get', ['--version']).status !== 0) return 'there is no apt-get to install them'
  process.stderr.write(`Installing ${packages.join(', ')} (apt-get install) ...\n`)
  const apt = (...args) =>
    spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  const install = () => apt('-y', '--no-install-recommends', 'install', ...packages)
  return install() || (apt('update') && install()) ? undefined : 'apt-get could not install them, for the reason above'
}
