import { defineConfig, devices } from '@playwright/test'
import { findBrowser } from '../tools/browser.mjs'

const browser = findBrowser()
const desktop = { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 720 } }
/** Tests with this word in their title go through the states of the pages; they run in every look. The others run once. */
const LOOKS = /@looks/
const SCREENSHOTS = /screenshots\.spec\.ts$/

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  timeout: 60_000,
  expect: { timeout: 15_000 },
  retries: 0,
  workers: 2,
  forbidOnly: process.env.CI !== undefined,
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    headless: true,
    actionTimeout: 15_000,
    trace: 'retain-on-failure',
    launchOptions: {
      ...(browser === undefined ? {} : { executablePath: browser }),
      args: [
        // Chromium refuses its sandbox to root only
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        // a container's /dev/shm is small
        '--disable-dev-shm-usage',
        // the browser asks nobody but the service
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-quic',
        '--no-first-run',
      ],
    },
  },
  projects: [
    { name: 'light', use: { ...desktop, colorScheme: 'light' }, testIgnore: SCREENSHOTS },
    { name: 'dark', use: { ...desktop, colorScheme: 'dark' }, grep: LOOKS },
    // what remains of 1280 x 720 at 200 %
    { name: 'zoom-200', use: { ...desktop, viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 }, grep: LOOKS },
    {
      name: 'screenshots',
      use: { ...desktop, viewport: { width: 1280, height: 800 }, colorScheme: 'light', contextOptions: { reducedMotion: 'reduce' } },
      testMatch: SCREENSHOTS,
    },
  ],
})
