import { availableParallelism } from 'node:os'
import { defineConfig, devices } from '@playwright/test'
import { findBrowser } from '../tools/browser.mjs'
import { COLOURED, type TestOptions } from './fixtures.ts'

const browser = findBrowser()
const desktop = { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 720 } }
/** Tests with this tag check the states of a page; they also run in all colours, and at a zoom of 200 %. */
const LOOKS = /@looks/
/** The tests that run on a fleet of 10,000 hosts. */
const LARGE = /large-fleet\/[a-z-]+\.spec\.ts$/
/**
 * Without this setting, the trace of a failure contains the actions and the log of the page; with it also the pages
 * after each action, and tests take half as long again.
 */
const recordsPages = process.env.GANTT_TRACE === 'pages'
/**
 * Tests with this tag take long, repeat on another page what `npm test` checks on one, only check appearance, or are
 * about rare situations.
 */
const RARE = /@rare/
const SCREENSHOTS = /screenshots\.spec\.ts$/

export default defineConfig<TestOptions>({
  testDir: '.',
  // keeps the PostgreSQL server of all tests up between the files
  globalSetup: '../apps/server/src/testing/global-setup.ts',
  outputDir: '../test-results',
  // these timeouts are longer than any load requires: a test waits for a condition and fails if it never holds
  timeout: 240_000,
  expect: { timeout: 30_000 },
  retries: 0,
  // one more than processors, because a worker waits part of the time for intervals of the page
  workers: availableParallelism() + 1,
  forbidOnly: process.env.CI !== undefined,
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    headless: true,
    actionTimeout: 30_000,
    trace: { mode: 'retain-on-failure', screenshots: recordsPages, snapshots: recordsPages, sources: recordsPages },
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(browser === undefined ? {} : { executablePath: browser }),
      args: [
        // Chromium refuses its sandbox to root only
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        // a container's /dev/shm is small
        '--disable-dev-shm-usage',
        // the browser sends requests only to the service
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-quic',
        '--no-first-run',
      ],
    },
  },
  // `npm test` runs the first, `npm run test:all` the others (docs/testing.md)
  projects: [
    {
      name: 'desktop',
      use: { ...desktop, colorScheme: 'light', schemes: ['light'] },
      testIgnore: [SCREENSHOTS, LARGE],
      grepInvert: RARE,
    },
    { name: 'rare', use: { ...desktop, colorScheme: 'light' }, testIgnore: [SCREENSHOTS, LARGE], grep: RARE },
    { name: 'colours', use: { ...desktop, colorScheme: 'light' }, testIgnore: [SCREENSHOTS, LARGE], grep: COLOURED, grepInvert: RARE },
    // each worker creates its own fleet
    { name: 'large', workers: 2, use: { ...desktop, colorScheme: 'light' }, testMatch: LARGE },
    {
      name: 'zoom-200',
      // 1280 x 720 at a zoom of 200 %
      use: { ...desktop, viewport: { width: 640, height: 360 }, deviceScaleFactor: 2, colorScheme: 'light', schemes: ['light'] },
      grep: LOOKS,
    },
    {
      name: 'screenshots',
      use: { ...desktop, viewport: { width: 1280, height: 800 }, colorScheme: 'light', contextOptions: { reducedMotion: 'reduce' } },
      testMatch: SCREENSHOTS,
    },
  ],
})
