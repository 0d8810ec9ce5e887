import type { Page } from '../fixtures.ts'

export const searchOf = (page: Page) => page.getByRole('textbox', { name: 'Search and go' })
