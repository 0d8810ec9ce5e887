import type { Client } from '@gantt/client'
import { test as base, expect, type Page } from '../fixtures.ts'
import { keyFor, type Part, report, writeVersion as write } from '../seed.ts'
import { type Service, startService } from '../service.ts'

// Rollouts change the decisions of the whole service. So these tests have their own service, and each test uses another profile.

interface Fleet extends Service {
  /** A key that may only read. */
  readonly reader: string
}

export const test = base.extend<object, { readonly fleet: Fleet }>({
  fleet: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the needed fixtures from this pattern
    async ({}, use) => {
      const service = await startService()
      try {
        await report(service.client, {
          'small-1': { memoryMbUsed: 61_440 },
          'small-2': { memoryMbUsed: 57_344 },
          'large-1': {},
          'large-2': { memoryMbUsed: 8_192, traits: ['HW_CPU_X86_AVX2'] },
        })
        await use({ ...service, reader: await keyFor(service.client, 'reader', ['READ']) })
      } finally {
        await service.stop()
      }
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: async ({ fleet }, use) => use(fleet.origin),
  visit: async ({ page, fleet }, use) => {
    await use(async (path) => {
      await page.goto(`${path}#key=${fleet.key}`)
      await expect(page.getByRole('main')).toBeVisible()
    })
  },
})

export const SPREADS: readonly Part[] = [{ name: 'RAMWeigher', multiplier: 1 }]
export const PACKS: readonly Part[] = [{ name: 'RAMWeigher', multiplier: -1 }]

/** Creates a profile with two versions, the first of which is active. */
export async function writeTwo(client: Client, profile: string, filters: readonly Part[] = []): Promise<void> {
  await write(client, profile, 'spreads', SPREADS)
  await write(client, profile, 'packs', PACKS, filters)
}

interface State {
  readonly active: { readonly number: number }
  readonly rollout: { readonly mode: string; readonly percent: number; readonly candidate: { readonly number: number } } | null
}

export async function stateOf(client: Client, name: string): Promise<State> {
  const { profile } = await client.request<{ profile: State }>(
    `query State($name: String!) { profile(name: $name) { active { number } rollout { mode percent candidate { number } } } }`,
    { name },
  )
  return profile
}

export const summary = (page: Page) => page.locator('[data-summary-of]')
export const evaluation = (page: Page) => page.getByRole('region', { name: 'Effect on past requests' })
export const dialog = (page: Page) => page.getByRole('dialog')

export interface Compared {
  readonly compareProfiles: {
    readonly sampled: number
    readonly newFailures: number
    readonly elsewhere: number
    readonly zones: readonly {
      readonly zone: string
      readonly resources: readonly { readonly resourceClass: string; readonly baseline: number; readonly candidate: number }[]
    }[]
    readonly disagreements: readonly { readonly kind: string; readonly because: string; readonly decision: { readonly id: string } }[]
  }
}
