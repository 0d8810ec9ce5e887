import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Tests run on the sources: the condition `source` in each package's `exports` leads there, so no test needs a build. */
const conditions = ['source']
const resolve = { conditions: [...conditions, 'module', 'node', 'development|production'] }
const ssr = { resolve: { conditions: [...conditions, 'module', 'node', 'development|production'] } }
/** GraphQL refuses types of another copy of itself: the sources get the one that Node gives to packages. */
const graphql = [{ find: /^graphql$/, replacement: fileURLToPath(new URL('node_modules/graphql/index.js', import.meta.url)) }]
const exclude = ['**/node_modules/**', '**/dist/**']

export default defineConfig({
  test: {
    // each file has its own database, ports and folders; left to itself, Vitest leaves one processor idle
    maxWorkers: availableParallelism(),
    projects: [
      { resolve, ssr, test: { name: 'core', root: 'packages/scheduler-core', include: ['**/*.test.ts'], exclude, testTimeout: 30_000 } },
      { resolve, ssr, test: { name: 'client', root: 'packages/client', include: ['src/**/*.test.ts'], exclude, testTimeout: 30_000 } },
      {
        resolve,
        ssr,
        test: { name: 'console', root: 'apps/console', include: ['src/**/*.test.ts'], exclude, passWithNoTests: true, testTimeout: 30_000 },
      },
      { resolve, ssr, test: { name: 'bench', root: 'bench', include: ['*.test.ts'], exclude, testTimeout: 60_000 } },
      { resolve, ssr, test: { name: 'docs', root: 'docs', include: ['*.test.ts'], exclude, testTimeout: 300_000, hookTimeout: 60_000 } },
      { resolve, ssr, test: { name: 'cli', root: 'apps/cli', include: ['src/**/*.test.ts'], exclude, testTimeout: 30_000 } },
      {
        resolve: { ...resolve, alias: graphql },
        ssr,
        test: {
          name: 'server',
          globalSetup: './src/testing/global-setup.ts',
          root: 'apps/server',
          include: ['src/**/*.test.ts'],
          exclude,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
