import { availableParallelism } from 'node:os'
import { defineConfig, devices } from '@playwright/test'
import { findBrowser } from '../tools/browser.mjs'
import { COLOURED, type TestOptions } from './fixtures.ts'

const browser = findBrowser()
const desktop = { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 720 } }
/** Tests with this tag check the appearance of pages. They also run in all colour schemes, and at a zoom of 200 %. */
const LOOKS = /@looks/
/** The tests that run on the large fleet. */
const LARGE = /large-fleet\/[a-z-]+\.spec\.ts$/
/**
 * If true, the trace of a failed test also contains the page after each action, and tests take one and a half times as long. If false, the
 * trace has only the actions and the log of the page.
 */
const recordsPages = process.env.GANTT_TRACE === 'pages'
/** `npm test` skips tests with this tag. They are slow, check rare situations or appearance, or repeat a check on a further page. */
const RARE = /@rare/
const SCREENSHOTS = /screenshots\.spec\.ts$/

export default defineConfig<TestOptions>({
  testDir: '.',
  // Keeps the PostgreSQL server that all tests share running between the test files.
  globalSetup: '../apps/server/src/testing/global-setup.ts',
  outputDir: '../test-results',
  // These time limits are longer than any load requires. A test waits for a condition, and fails if the condition never holds.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  retries: 0,
  // There is one worker more than processors, because each worker spends a part of the time waiting until a page reads its data again.
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
        // Chromium does not start its sandbox for root.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        // The /dev/shm of a container is small.
        '--disable-dev-shm-usage',
        // This prevents requests of the browser to other servers than the service.
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-quic',
        '--no-first-run',
      ],
    },
  },
  // `npm test` runs the first project, and `npm run test:all` the others (docs/testing.md).
  projects: [
    {
      name: 'desktop',
      use: { ...desktop, colorScheme: 'light', schemes: ['light'] },
      testIgnore: [SCREENSHOTS, LARGE],
      grepInvert: RARE,
    },
    { name: 'rare', use: { ...desktop, colorScheme: 'light' }, testIgnore: [SCREENSHOTS, LARGE], grep: RARE },
    { name: 'colours', use: { ...desktop, colorScheme: 'light' }, testIgnore: [SCREENSHOTS, LARGE], grep: COLOURED, grepInvert: RARE },
    // There are only two workers, because each creates its own large fleet.
    { name: 'large', workers: 2, use: { ...desktop, colorScheme: 'light' }, testMatch: LARGE },
    {
      name: 'zoom-200',
      // At a zoom of 200 %, a window of 1280 x 720 has this size.
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
