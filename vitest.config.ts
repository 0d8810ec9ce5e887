import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type UserWorkspaceConfig as ProjectConfig } from 'vitest/config'
import { isLongForm } from './testing/extent.ts'

/** Tests run on the sources: the condition `source` in each package's `exports` leads there, so no test needs a build. */
const conditions = ['source']
const resolve = { conditions: [...conditions, 'module', 'node', 'development|production'] }
const ssr = { resolve: { conditions: [...conditions, 'module', 'node', 'development|production'] } }
/** GraphQL refuses types of another copy of itself: the sources get the one that Node gives to packages. */
const graphql = [{ find: /^graphql$/, replacement: fileURLToPath(new URL('node_modules/graphql/index.js', import.meta.url)) }]

/** The long form has laws over 10,000 draws, which a busy machine needs many minutes for. */
const TIMEOUT_MS = isLongForm ? 3_600_000 : 600_000

/** Files that run in the long form only: each starts processes, databases or a nats-server, or follows a document to its end. */
const LONG = '**/*.long.test.ts'

const project = (name: string, root: string, options: ProjectConfig['test'] = {}): ProjectConfig => ({
  resolve,
  ssr,
  test: {
    name,
    root,
    include: ['src/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', ...(isLongForm ? [] : [LONG])],
    // for what never ends: a test that waits looks for its condition, and how long that takes is up to the load of the machine
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    expect: { poll: { timeout: 120_000 } },
    // modules keep no state, so files that follow each other in a process share what is loaded; it saves a third of the processor time
    isolate: false,
    ...options,
  },
})

export default defineConfig({
  test: {
    // each file has its own database, ports and folders; many wait for processes that they started, and leave a processor to one more
    maxWorkers: availableParallelism() + 1,
    projects: [
      // tests of the core import its files, not its entry points, which load the built-in package
      project('core', 'packages/scheduler-core', { include: ['**/*.test.ts'], setupFiles: ['src/bundled.ts'] }),
      project('client', 'packages/client'),
      project('console', 'apps/console'),
      project('bench', 'bench', { include: ['*.test.ts'] }),
      project('docs', 'docs', { include: ['tests/*.test.ts'], globalSetup: '../apps/server/src/testing/global-setup.ts' }),
      project('agent', 'apps/agent'),
      { ...project('cli', 'apps/cli', { globalSetup: '../server/src/testing/global-setup.ts' }), resolve: { ...resolve, alias: graphql } },
      {
        ...project('proofs', 'packages/proofs', { globalSetup: '../../apps/server/src/testing/global-setup.ts' }),
        resolve: { ...resolve, alias: graphql },
      },
      {
        ...project('server', 'apps/server', { globalSetup: './src/testing/global-setup.ts' }),
        resolve: { ...resolve, alias: graphql },
      },
    ],
  },
})
