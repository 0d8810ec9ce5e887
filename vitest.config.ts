import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type UserWorkspaceConfig as ProjectConfig } from 'vitest/config'
import { isLongForm } from './testing/extent.ts'

/** Tests import the sources of packages, by the condition `source` in the `exports` of each package. No test therefore needs a build. */
const conditions = ['source']
const resolve = { conditions: [...conditions, 'module', 'node', 'development|production'] }
const ssr = { resolve: { conditions: [...conditions, 'module', 'node', 'development|production'] } }
/** GraphQL refuses types that another copy of GraphQL made. The sources therefore use the copy that Node gives to installed packages. */
const graphql = [{ find: /^graphql$/, replacement: fileURLToPath(new URL('node_modules/graphql/index.js', import.meta.url)) }]

/** In the long form a law is tried with up to 10,000 random values, for which a busy machine needs many minutes. */
const TIMEOUT_MS = isLongForm ? 3_600_000 : 600_000

/** Files that run only in the long form, for example because they start processes or databases, or carry out all steps of a document. */
const LONG = '**/*.long.test.ts'

const project = (name: string, root: string, options: ProjectConfig['test'] = {}): ProjectConfig => ({
  resolve,
  ssr,
  test: {
    name,
    root,
    include: ['src/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', ...(isLongForm ? [] : [LONG])],
    // These limits are only for tests that never end. A test waits for a condition, and how long that takes depends on the machine's load.
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    expect: { poll: { timeout: 120_000 } },
    // Modules have no state, so test files that run one after the other in a process can share the loaded modules. This saves a third of
    // the processor time.
    isolate: false,
    ...options,
  },
})

export default defineConfig({
  test: {
    // Each file has its own database, ports and folders. There is one worker more than processors, because many files spend time waiting
    // for processes that they started.
    maxWorkers: availableParallelism() + 1,
    projects: [
      // Tests of the core import its files directly. Only its entry points load the built-in package, so it is loaded here.
      project('core', 'packages/scheduler-core', { include: ['**/*.test.ts'], setupFiles: ['src/bundled.ts'] }),
      project('client', 'packages/client'),
      project('console', 'apps/console'),
      project('bench', 'bench', { include: ['**/*.test.ts'] }),
      project('docs', 'docs', { include: ['tests/**/*.test.ts'], globalSetup: '../apps/server/src/testing/global-setup.ts' }),
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
