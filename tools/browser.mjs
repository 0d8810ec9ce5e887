// Finds the browser for the browser tests: the program that CHROMIUM_PATH names, otherwise Debian's Chromium if it is installed, otherwise
// Playwright's own. The headless variant is preferred, because it has the same engine and uses less CPU time.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'
import { quietEnvironment, root, runTool, tools } from './prepare.mjs'

/** What the user can install if no browser was found and none could be installed. */
export const HOW_TO_INSTALL = '`apt-get install chromium-headless-shell` or `npx playwright install chromium`'

/**
 * The program to start; undefined when there is none.
 * @returns {string | undefined}
 */
export function findBrowser() {
  const candidates = [
    process.env.CHROMIUM_PATH,
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    chromium.executablePath(),
  ]
  return candidates.find((file) => file !== undefined && file !== '' && existsSync(file))
}

/** Finds a browser that starts, or installs one if possible. Returns why there is no browser; undefined if there is one. */
export function ensureBrowser() {
  if (findBrowser() === undefined) install()
  const browser = findBrowser()
  if (browser === undefined) return `there is no Chromium; ${HOW_TO_INSTALL}`
  const { status, stderr, error } = spawnSync(browser, ['--version'], { encoding: 'utf8', timeout: 60_000 })
  if (status === 0) return undefined
  const why = error?.message ?? stderr?.trim().split('\n').at(-1) ?? 'no reason given'
  return `${browser} does not start (${why}); ${HOW_TO_INSTALL}`
}

function install() {
  const options = { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, ...quietEnvironment, DEBIAN_FRONTEND: 'noninteractive' } }
  const hasApt = spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0
  if (process.getuid?.() === 0 && hasApt) {
    process.stderr.write('Installing a browser (apt-get install chromium-headless-shell) ...\n')
    const apt = (...args) => spawnSync('apt-get', ['-qq', ...args], options).status === 0
    // Older releases of Debian do not have the headless variant.
    const installOne = () => ['chromium-headless-shell', 'chromium'].some((name) => apt('install', '-y', '--no-install-recommends', name))
    if (installOne() || (apt('update') && installOne())) return
  }
  process.stderr.write('Installing a browser (npx playwright install chromium) ...\n')
  runTool(tools.playwright, ['install', 'chromium'], { stdio: ['ignore', 2, 2] })
}
