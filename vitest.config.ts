import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type UserWorkspaceConfig as ProjectConfig } from 'vitest/config'

/** Tests run on the sources: the condition `source` in each package's `exports` leads there, so no test needs a build. */
const conditions = ['source']
const resolve = { conditions: [...conditions, 'module', 'node', 'development|production'] }
const ssr = { resolve: { conditions: [...conditions, 'module', 'node', 'development|production'] } }
/** GraphQL refuses types of another copy of itself: the sources get the one that Node gives to packages. */
const graphql = [{ find: /^graphql$/, replacement: fileURLToPath(new URL('node_modules/graphql/index.js', import.meta.url)) }]

const project = (name: string, root: string, options: ProjectConfig['test'] = {}): ProjectConfig => ({
  resolve,
  ssr,
  test: {
    name,
    root,
    include: ['src/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 30_000,
    // modules keep no state, so files that follow each other in a process share what is loaded; it saves a third of the processor time
    isolate: false,
    ...options,
  },
})

export default defineConfig({
  test: {
    // each file has its own database, ports and folders; left to itself, Vitest leaves one processor idle
    maxWorkers: availableParallelism(),
    projects: [
      project('core', 'packages/scheduler-core', { include: ['**/*.test.ts'] }),
      project('client', 'packages/client'),
      project('console', 'apps/console'),
      project('bench', 'bench', { include: ['*.test.ts'], testTimeout: 60_000 }),
      project('docs', 'docs', { include: ['*.test.ts'], testTimeout: 300_000, hookTimeout: 60_000 }),
      project('agent', 'apps/agent'),
      { ...project('cli', 'apps/cli'), resolve: { ...resolve, alias: graphql } },
      {
        ...project('server', 'apps/server', { globalSetup: './src/testing/global-setup.ts', hookTimeout: 60_000 }),
        resolve: { ...resolve, alias: graphql },
      },
    ],
  },
})
