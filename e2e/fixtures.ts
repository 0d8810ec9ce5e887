import { AxeBuilder } from '@axe-core/playwright'
import { test as base, expect, type Page } from '@playwright/test'
import { expectNoSidewaysScroll, expectWholeHeadings } from './layout.ts'
import { type Seed, seedFleet } from './seed.ts'
import { type Service, startService } from './service.ts'

export { expect, type Page }

/** A service with the fleet of `seedFleet`. */
export interface SeededService extends Service {
  readonly seed: Seed
}

interface WorkerFixtures {
  /** Returns the service of a test file. The first call for a file stops the service of the previous file and starts a new one. */
  readonly serviceOfFile: (file: string) => Promise<SeededService>
  /** A service without hosts. Tests must not report hosts to it. */
  readonly emptyService: Service
}

/** The time limit, in milliseconds, for stopping a service and starting the next one on a busy machine. */
const START_MS = 180_000

const withSeed = async (started: Promise<Service>): Promise<SeededService> => {
  const service = await started
  return { ...service, seed: await seedFleet(service.client) }
}

/** The colour schemes, and the forced colours that a system can set for every page. */
type Scheme = 'light' | 'dark' | 'forced'

export interface TestOptions {
  /** The colour schemes in which every state of a page is checked. */
  readonly schemes: readonly Scheme[]
}

/** Tests with one of these tags also run in every colour scheme. */
export const COLOURED = /@looks|@colours/

interface TestFixtures {
  /** The service that all tests of the file share. */
  readonly service: SeededService
  /** Opens a path of the console with a link that signs in. */
  readonly visit: (path: string) => Promise<void>
  /** Checks the accessibility of the page. `state` names the state of the page in a failure message. */
  readonly axe: (state: string) => Promise<void>
  /**
   * Checks a state of the page in each colour scheme of the Playwright project. It checks accessibility, that no content is beyond the
   * right edge, and that table headings are not cut. The browser page keeps the last colour scheme. A test that calls this function must
   * have the tag `@looks` or `@colours`, because the project for all colour schemes selects its tests by these tags.
   */
  readonly look: (state: string) => Promise<void>
  /**
   * Declares the errors that a test provokes in the browser's console, as HTTP statuses or parts of the error texts. Each of these errors
   * must occur, and no other error may occur.
   */
  readonly provokes: (...errors: readonly (number | string)[]) => void
}

export const test = base.extend<TestFixtures & TestOptions, WorkerFixtures>({
  schemes: [['light', 'dark', 'forced'], { option: true }],

  // Each file has its own service, so that its tests depend only on earlier tests of the same file.
  serviceOfFile: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the needed fixtures from this pattern
    async ({}, use) => {
      let now: { readonly file: string; readonly service: Promise<Service>; readonly seeded: Promise<SeededService> } | undefined
      const end = async (): Promise<void> => {
        const before = now
        now = undefined
        // If the previous service did not start, the test that needed it has failed with that error, and there is no process to stop.
        const service = await before?.service.catch(() => undefined)
        await service?.stop()
      }
      try {
        await use(async (file) => {
          if (now?.file !== file) {
            await end()
            const service = startService()
            now = { file, service, seeded: withSeed(service) }
          }
          return now.seeded
        })
      } finally {
        await end()
      }
    },
    { scope: 'worker' },
  ],

  service: [async ({ serviceOfFile }, use, { file }) => use(await serviceOfFile(file)), { timeout: START_MS }],

  emptyService: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the needed fixtures from this pattern
    async ({}, use) => {
      const service = await startService()
      try {
        await use(service)
      } finally {
        await service.stop()
      }
    },
    { scope: 'worker', timeout: START_MS },
  ],

  baseURL: async ({ service }, use) => use(service.origin),

  page: async ({ page }, use) => {
    await use(page)
    // Otherwise a route handler of the test could still run for an automatic request of the page while the browser is being closed.
    if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' })
  },

  visit: async ({ page, service }, use) => {
    await use(async (path) => {
      await page.goto(`${path}#key=${service.key}`)
      await expect(page.getByRole('main')).toBeVisible()
    })
  },

  axe: async ({ page }, use) => {
    await use((state) => checkAccessibility(page, state))
  },

  look: async ({ page, schemes }, use, { title, tags }) => {
    let now: Scheme = 'light'
    await use(async (state) => {
      if (schemes.length < 3 && !COLOURED.test(tags.join(' ')))
        throw new Error(`The test ${JSON.stringify(title)} calls look, so it needs the tag @looks or @colours`)
      for (const scheme of [now, ...schemes.filter((other) => other !== now)]) {
        if (scheme !== now) await colour(page, scheme)
        now = scheme
        await checkAccessibility(page, `${state}, ${scheme}`)
        await expectNoSidewaysScroll(page, `${state}, ${scheme}`)
        await expectWholeHeadings(page, `${state}, ${scheme}`)
      }
    })
  },

  provokes: [
    async ({ context }, use) => {
      const errors: string[] = []
      const provoked: string[] = []
      context.on('console', (message) => {
        if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
      })
      context.on('weberror', (error) => errors.push(String(error.error())))
      await use((...parts) => void provoked.push(...parts.map((part) => (typeof part === 'number' ? `a status of ${part} (` : part))))
      for (const part of provoked) await expect.poll(() => errors.join('; '), 'errors in the console of the browser').toContain(part)
      // Errors that arrived while waiting are checked too.
      const others = errors.filter((error) => !provoked.some((part) => error.includes(part)))
      expect(others, `errors in the console of the browser: ${others.join('; ')}`).toEqual([])
    },
    { auto: true },
  ],
})

/** Shows the page in another colour scheme. */
export async function colour(page: Page, scheme: Scheme): Promise<void> {
  if (scheme === 'forced') return page.emulateMedia({ forcedColors: 'active' })
  await page.emulateMedia({ forcedColors: 'none', colorScheme: scheme })
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', scheme)
}

/** Checks WCAG 2.2 AA as far as a program can. */
export async function checkAccessibility(page: Page, state: string): Promise<void> {
  // An element that is still fading in does not have its final colours yet.
  await page.evaluate(() =>
    Promise.all(
      document.getAnimations().map(({ finished, effect }) => {
        const endsAfterMs = Number(effect?.getComputedTiming().endTime ?? 0)
        // An animation that repeats forever has no end to wait for. It is part of the state of the page.
        if (!Number.isFinite(endsAfterMs)) return undefined
        // An animation that was replaced, for example when all colours change, never reports its end.
        const isOver = new Promise((resolve) => setTimeout(resolve, endsAfterMs + 100))
        return Promise.race([finished.catch(() => undefined), isOver])
      }),
    ),
  )
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    // The tabs of GraphiQL are excluded, because its own markup makes each tab a draggable item with buttons in it.
    .exclude({ fromFrames: ['iframe[title=GraphiQL]', '.graphiql-tabs'] })
    // All frames have the same origin, so axe needs no separate page to collect the results.
    .setLegacyMode(true)
    .analyze()
  const problems = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id} at ${target.join(' ')}: ${failureSummary.replace(/\s+/g, ' ')}`),
  )
  expect(problems, `accessibility of ${state}`).toEqual([])
}
